import { type Answer, inShort } from '../answer.js';
import { ownAddress, recordsOf, type ShownRecord } from '../audit-trail.js';
import type { AcceptanceCheck, CheckContext } from '../check.js';
import { roomForFailures } from '../failure-room.js';
import { NotRunError } from '../not-run.js';
import { newPassword } from '../sign-ins.js';
import { acceptedKind, upload } from '../uploads.js';

/** One operation, and its expected audit record. */
interface Operation {
  readonly what: string;
  readonly answer: Answer;
  readonly action: string;
  /** `admin:<id>`; null without a session. */
  readonly actor: string | null;
  readonly outcome: 'success' | 'failure' | 'refused';
  readonly method: string;
  /** The target of the record; not compared if undefined. */
  readonly target?: string;
  /** Texts that it must not contain. */
  readonly secrets?: readonly string[];
}

const USER_AGENT = 'acceptance\u00a0run <b>"\u2028';

/** Runs each recorded operation once, on temporary objects only. */
async function operate(context: CheckContext): Promise<Operation[]> {
  const { deployment, operator, temporaries, signIns } = context;
  const actor = `admin:${operator.id}`;
  const operations: Operation[] = [];
  const note = (operation: Operation): Answer => {
    operations.push(operation);
    return operation.answer;
  };
  const ask = (method: string, path: string, body?: object, token = operator.token) =>
    deployment.call({ method, path, token, ...(body !== undefined && { body }) });
  const done = { actor, outcome: 'success' } as const;

  const roleName = temporaries.name();
  const role = note({
    ...{ what: 'making a role', action: 'role.create', method: 'POST', ...done },
    answer: await ask('POST', '/admin/roles', { name: roleName, permissions: [] }),
  });
  const roleId: string = role.json?.data?.id;
  temporaries.remember('role', roleId);
  const changed = await ask('PUT', `/admin/roles/${roleId}`, { permissions: ['api:admin:roles:list'] });
  note({ what: 'changing a role', answer: changed, action: 'role.update', method: 'PUT', ...done });

  const account = { username: temporaries.name(), password: newPassword() };
  const secrets = [account.password];
  const content = { ...account, displayName: 'x', roleIds: [roleId] };
  const made = note({
    ...{ what: 'making an administrator', action: 'administrator.create', method: 'POST', secrets, ...done },
    answer: await ask('POST', '/admin/administrators', content),
  });
  const id: string = made.json?.data?.id;
  temporaries.remember('administrator', id);
  const path = `/admin/administrators/${id}`;
  const renamed = await ask('PUT', path, { displayName: 'y' });
  note({ what: 'changing an administrator', answer: renamed, action: 'administrator.update', method: 'PUT', ...done });
  const reset = newPassword();
  note({
    ...{ what: 'resetting a password', action: 'password.reset', method: 'PUT', secrets: [reset], ...done },
    answer: await ask('PUT', `${path}/password`, { password: reset }),
  });

  await roomForFailures(context, account.username, () => 1);
  const wrong = await signIns.attempt(account);
  note({
    ...{ what: 'a failed sign-in', answer: wrong, action: 'auth.login', method: 'POST', secrets },
    ...{ actor: null, outcome: 'refused', target: account.username },
  });
  const signedIn = await signIns.attempt({ ...account, password: reset });
  const own = { actor: `admin:${id}`, outcome: 'success', method: 'POST' } as const;
  const given: string = signedIn.json?.data?.token ?? '';
  const signInSecrets = [reset, given.split('.')[2] ?? reset];
  note({ what: 'a sign-in', answer: signedIn, action: 'auth.login', ...own, secrets: signInSecrets });
  const token = await signIns.finish(account.username, signedIn);
  const denied = await ask('GET', '/admin/audit-records', undefined, token);
  note({
    ...{ what: 'an attempt without the right', answer: denied, action: 'audit-record.read', method: 'GET' },
    ...{ actor: `admin:${id}`, outcome: 'refused' },
  });
  const out = await ask('POST', '/auth/logout', undefined, token);
  note({ what: 'a sign-out', answer: out, action: 'auth.logout', ...own });

  const ended = await ask('DELETE', `${path}/sessions`);
  note({ what: 'ending sessions by force', answer: ended, action: 'session.revoke', method: 'DELETE', ...done });
  const cleared = await ask('POST', '/admin/auth/clearLoginLimit', { username: account.username });
  note({ what: 'clearing a login limit', answer: cleared, action: 'auth.clear-login-limit', method: 'POST', ...done });

  const kind = await acceptedKind(context);
  const sent = await upload(context, {
    ...kind,
    name: `${temporaries.name()}.${kind.extension}`,
    content: kind.content(),
  });
  note({ what: 'an upload', answer: sent, action: 'file.upload', method: 'POST', ...done });
  const fileId: string = sent.json?.data?.id;
  const read = await ask('GET', `/admin/storage/files/${fileId}/content`);
  note({ what: 'a download', answer: read, action: 'file.download', method: 'GET', ...done });
  const use = { purpose: 'storage:download', resource: fileId };
  const ticket = await ask('POST', '/auth/tickets', use);
  const ticketText: string = ticket.json?.data?.ticket ?? '';
  note({ what: 'getting a ticket', answer: ticket, action: 'ticket.create', method: 'POST', ...done });
  const query = `?id=${fileId}&ticket=${ticketText}`;
  note({
    ...{ what: 'a download by ticket', action: 'file.download', method: 'GET', secrets: [ticketText], ...done },
    answer: await deployment.call({ path: `/public/storage/download${query}` }),
  });
  const removed = await ask('DELETE', `/admin/storage/files/${fileId}`);
  note({ what: 'deleting a file', answer: removed, action: 'file.delete', method: 'DELETE', ...done });
  operations.push(...(await refuseParameterChange(context, actor)));

  const gone = await ask('DELETE', path);
  note({ what: 'deleting an administrator', answer: gone, action: 'administrator.delete', method: 'DELETE', ...done });
  const unused = await ask('DELETE', `/admin/roles/${roleId}`);
  note({ what: 'deleting a role', answer: unused, action: 'role.delete', method: 'DELETE', ...done });
  const to = Date.now() - 1000;
  const range = `format=ndjson&from=${to - 1}&to=${to}`;
  const exported = await ask('GET', `/admin/audit-records/export?${range}`);
  note({ what: 'an export', answer: exported, action: 'audit-record.export', method: 'GET', ...done });
  return operations;
}

/** Uses an impossible version and the current value, so that nothing changes whatever the answer. */
async function refuseParameterChange({ deployment, operator }: CheckContext, actor: string): Promise<Operation[]> {
  const path = '/admin/system-parameters/admin.auth.password.min-length';
  const { token } = operator;
  const read = await deployment.call({ path, token });
  const { value, version } = read.json?.data ?? {};
  if (value === undefined) return [];
  const body = { value, version: Number(version) + 1_000_000 };
  const answer = await deployment.call({ method: 'PUT', path, token, body });
  const what = 'a refused change of a parameter';
  return [{ what, answer, action: 'system-parameter.update', method: 'PUT', actor, outcome: 'refused' }];
}

const coverage: AcceptanceCheck = {
  id: 'audit.coverage',
  title: 'every operation is in the audit log once: who, what, how it ended, from where, and no secret',
  parts: ['sign-ins', 'refusals', 'operations', 'metadata', 'secrets'],
  async run(context) {
    const { did, hole } = context;
    const clientIp = await ownAddress(context);
    const operations = await operate(context);
    for (const operation of operations) {
      const { what, answer, outcome } = operation;
      const isDone = answer.status < 300;
      if (isDone !== (outcome === 'success')) throw new NotRunError(`${what} was answered ${inShort(answer)}`);
      const records = await recordsOf(context, answer.requestId);
      const own = records.filter(({ action }) => action === operation.action);
      if (own.length === 0 && operation.actor === null) await mayHaveBeenOmitted(context, clientIp);
      if (own.length !== 1) {
        hole(
          `${what} has ${own.length} records of ${operation.action}, and not 1 (request ${answer.requestId})`,
          partOf(operation),
        );
        continue;
      }
      const record = own[0] as ShownRecord;
      for (const fault of faultsOf(record, operation, clientIp)) hole(`the record of ${what} ${fault}`, 'metadata');
      if (holdsSecret(record, operation)) hole(`the record of ${what} holds a secret`, 'secrets');
    }
    did(`${operations.length} operations: ${operations.map(({ action }) => action).join(', ')}`);
  },
};

/** Refusals without a session that are recorded for one address in a minute; the rest are only counted. */
const RECORDED_REFUSALS = 60;

/** @throws NotRunError if this address has caused so many that the next one would not be recorded */
async function mayHaveBeenOmitted({ deployment, operator }: CheckContext, ip: string): Promise<void> {
  const from = String(Date.now() - 2 * 60_000);
  const query = new URLSearchParams({ from, ip, outcome: 'refused', size: '200' });
  const answer = await deployment.call({ path: `/admin/audit-records?${query}`, token: operator.token });
  const records: readonly ShownRecord[] = answer.json?.data ?? [];
  if (records.filter(({ actor }) => actor === null).length < RECORDED_REFUSALS) return;
  throw new NotRunError(`${ip} caused more refusals than are recorded of one address: run it again in two minutes`);
}

function faultsOf(record: ShownRecord, operation: Operation, clientIp: string): string[] {
  const { actor, outcome, method, target } = operation;
  const faults: string[] = [];
  if (record.actor !== actor) faults.push(`names ${record.actor} as its actor, and not ${actor}`);
  if (record.outcome !== outcome) faults.push(`says ${record.outcome}, and not ${outcome}`);
  if (record.clientIp !== clientIp) faults.push(`comes from ${record.clientIp}, and not from ${clientIp}`);
  if (record.extra.method !== method) faults.push(`has the method ${record.extra.method}, and not ${method}`);
  if (!record.extra.path?.startsWith('/')) faults.push('has no path');
  if (target !== undefined && record.target !== target) faults.push('does not name what it was about');
  return faults;
}

function holdsSecret(record: ShownRecord, { secrets = [] }: Operation): boolean {
  const text = JSON.stringify(record);
  return secrets.some((secret) => secret !== '' && text.includes(secret));
}

/** What is amiss if an operation has no record. */
function partOf({ action, outcome }: Operation): string {
  if (action === 'auth.login' || action === 'auth.logout') return 'sign-ins';
  return outcome === 'success' ? 'operations' : 'refusals';
}

const forgery: AcceptanceCheck = {
  id: 'audit.forgery',
  title:
    'a record keeps what clients write into headers without letting it make lines or markup of its own, and nothing deletes one',
  parts: ['text', 'deletion'],
  async run(context) {
    const { deployment, operator, did, hole } = context;
    const { token } = operator;
    const headers = { 'user-agent': `${Buffer.from(USER_AGENT).toString('latin1')}${'x'.repeat(2000)}` };
    const answer = await deployment.call({ path: '/admin/profile', token, headers });
    const [record] = await recordsOf(context, answer.requestId);
    const kept = record?.extra.userAgent ?? '';
    if (record === undefined) hole('a request with a hostile User-Agent has no record');
    if (kept.length > 256) hole(`a User-Agent is kept with ${kept.length} characters, and not cut to 256`, 'text');
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(kept)) hole('a User-Agent is kept with line breaks or controls', 'text');
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/admin/audit-records', `/admin/audit-records/${answer.requestId}`]) {
        const refused = await deployment.call({ method, path, token, ...(method !== 'DELETE' && { body: {} }) });
        if (refused.status < 400) hole(`${method} ${path} is answered ${inShort(refused)}`, 'deletion');
      }
    }
    did(
      `sent a User-Agent of 2000 characters with line breaks (kept: ${kept.length}); tried to change and delete records`,
    );
  },
};

export const auditChecks: readonly AcceptanceCheck[] = [coverage, forgery];
