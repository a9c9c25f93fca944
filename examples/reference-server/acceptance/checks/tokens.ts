import { type Answer, inShort, must } from '../answer.js';
import type { AcceptanceCheck, CheckContext } from '../check.js';
import { type HeldAccount, newPassword } from '../sign-ins.js';
import type { TemporaryAccount } from '../temporaries.js';
import { storedFile } from '../uploads.js';

/** The permission that download tickets need. */
const DOWNLOAD = 'api:admin:storage:download';

/** The account, session and ticket at the beginning of one row of the matrix. */
interface Holder extends HeldAccount {
  readonly ticket: string;
}

/** What a failed end is a fault of. */
type EndPart = 'sign-out' | 'revocation' | 'password' | 'closure';

interface End {
  readonly name: string;
  readonly part: EndPart;
  /** Ends the session. */
  readonly act: (holder: Holder, context: CheckContext) => Promise<Answer>;
  /** The expected refusal. */
  readonly reason: string;
  /** Restores the account. Resolves to it, with its password. */
  readonly restore?: (account: TemporaryAccount, context: CheckContext) => Promise<TemporaryAccount>;
}

const byOperator = ({ deployment, operator }: CheckContext, method: string, path: string, body?: object) =>
  deployment.call({ method, path, token: operator.token, ...(body !== undefined && { body }) });

const ends: readonly End[] = [
  {
    name: 'sign-out',
    part: 'sign-out',
    act: ({ token }, { deployment }) => deployment.call({ method: 'POST', path: '/auth/logout', token }),
    reason: 'SESSION_REVOKED',
  },
  {
    name: 'the end of this session by an administrator',
    part: 'revocation',
    async act({ token }, context) {
      const own = await context.deployment.call({ path: '/admin/sessions', token });
      const id = own.json?.data?.find(({ current }: { current: unknown }) => current === true)?.id;
      return byOperator(context, 'DELETE', `/admin/sessions/${id}`);
    },
    reason: 'SESSION_REVOKED',
  },
  {
    name: 'the end of all sessions by an administrator',
    part: 'revocation',
    act: ({ id }, context) => byOperator(context, 'DELETE', `/admin/administrators/${id}/sessions`),
    reason: 'SESSION_REVOKED',
  },
  {
    name: 'a change of the own password',
    part: 'password',
    act({ token, password }, { deployment }) {
      const body = { oldPassword: password, newPassword: newPassword() };
      return deployment.call({ method: 'PUT', path: '/admin/profile/password', token, body });
    },
    reason: 'PASSWORD_CHANGED',
    restore: renewPassword,
  },
  {
    name: 'a reset of the password',
    part: 'password',
    act: ({ id }, context) =>
      byOperator(context, 'PUT', `/admin/administrators/${id}/password`, { password: newPassword() }),
    reason: 'PASSWORD_CHANGED',
    restore: renewPassword,
  },
  {
    name: 'disabling',
    part: 'closure',
    act: ({ id }, context) => byOperator(context, 'PUT', `/admin/administrators/${id}`, { disabled: true }),
    reason: 'ACCOUNT_DISABLED',
    async restore(account, context) {
      const path = `/admin/administrators/${account.id}`;
      must(await byOperator(context, 'PUT', path, { disabled: false }), 200, 'enable a temporary administrator');
      return account;
    },
  },
  {
    name: 'deletion',
    part: 'closure',
    act: ({ id }, context) => byOperator(context, 'DELETE', `/admin/administrators/${id}`),
    reason: 'ACCOUNT_DISABLED',
  },
];

function renewPassword(account: TemporaryAccount, { temporaries }: CheckContext): Promise<TemporaryAccount> {
  return temporaries.renewPassword(account);
}

const sessionEnds: AcceptanceCheck = {
  id: 'tokens.ends',
  title: 'sign-out, revocation, password change, reset, disabling and deletion end session and tickets at once',
  parts: ['sign-out', 'revocation', 'password', 'closure'] satisfies readonly EndPart[],
  async run(context) {
    const { deployment, temporaries, signIns, did, hole } = context;
    const file = await storedFile(context);
    const { id: roleId } = await temporaries.role([DOWNLOAD]);
    let account = await temporaries.administrator([roleId]);
    for (const { name, part, act, reason, restore } of ends) {
      const token = await signIns.open(account);
      const holder = { ...account, token, ticket: await ticketOf(context, token, file) };
      must(await deployment.call({ path: '/admin/profile', token }), 200, 'use a new session');
      const acted = await act(holder, context);
      if (acted.status !== 200 && acted.status !== 204) must(acted, 204, `end a session by ${name}`);
      const after = await deployment.call({ path: '/admin/profile', token });
      if (after.status !== 401) hole(`after ${name} the access token still opens the profile: ${inShort(after)}`, part);
      else if (after.code !== reason)
        hole(`after ${name} the client is told ${inShort(after)}, and not ${reason}`, part);
      const again = await deployment.call({ method: 'POST', path: '/auth/logout', token });
      if (again.status !== 401) hole(`after ${name} the access token still signs out: ${inShort(again)}`, part);
      const redeemed = await redeem(context, file, holder.ticket);
      if (redeemed.status !== 403)
        hole(`after ${name} a ticket of the session still downloads: ${inShort(redeemed)}`, part);
      if (restore !== undefined) account = await restore(account, context);
      did(`${name}: token refused with ${inShort(after)}, ticket with ${inShort(redeemed)}`);
    }
  },
};

const roleChange: AcceptanceCheck = {
  id: 'tokens.roles',
  title: 'a right that is taken away is gone on the next request, for tickets too, and no session ends by it',
  async run(context) {
    const { deployment, temporaries, did, hole } = context;
    const file = await storedFile(context);
    const permissions = [DOWNLOAD, 'api:admin:roles:list'];
    const holder = await temporaries.signedIn(permissions);
    const { token, roleId, id } = holder;
    const changes = [
      ['the role is emptied', () => byOperator(context, 'PUT', `/admin/roles/${roleId}`, { permissions: [] })],
      ['the role is taken away', () => byOperator(context, 'PUT', `/admin/administrators/${id}`, { roleIds: [] })],
    ] as const;
    for (const [name, change] of changes) {
      must(await deployment.call({ path: '/admin/roles?size=1', token }), 200, 'use a right');
      const ticket = await ticketOf(context, token, file);
      must(await change(), 200, 'change a temporary role');
      const after = await deployment.call({ path: '/admin/roles?size=1', token });
      if (after.status !== 403) hole(`when ${name}, its right stays: ${inShort(after)}, and not 403`);
      const redeemed = await redeem(context, file, ticket);
      if (redeemed.status !== 403)
        hole(`when ${name}, a ticket that it obtained still downloads: ${inShort(redeemed)}`);
      const profile = await deployment.call({ path: '/admin/profile', token });
      if (profile.status !== 200) hole(`when ${name}, the session ends: ${inShort(profile)}`);
      did(`${name}: ${inShort(after)}, ticket ${inShort(redeemed)}, session ${inShort(profile)}`);
      must(await byOperator(context, 'PUT', `/admin/roles/${roleId}`, { permissions }), 200, 'restore the role');
    }
  },
};

/** The number of parallel requests. */
const PARALLEL = 10;

const singleUse: AcceptanceCheck = {
  id: 'tokens.tickets',
  title: 'a ticket is good for one use of one thing, however many ask at a time',
  async run(context) {
    const { operator, did, hole } = context;
    const [file, other] = [await storedFile(context), await storedFile(context)];
    const ticket = await ticketOf(context, operator.token, file);
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => redeem(context, file, ticket)));
    const downloads = answers.filter(({ status }) => status === 200).length;
    if (downloads !== 1) hole(`of ${PARALLEL} parallel uses of one ticket ${downloads} downloaded, and not 1`);
    const later = await redeem(context, file, ticket);
    if (later.status !== 403) hole(`a used ticket is answered ${inShort(later)}, and not 403`);
    const moved = await redeem(context, other, await ticketOf(context, operator.token, file));
    if (moved.status !== 403) hole(`the ticket of one file is answered ${inShort(moved)} for another, and not 403`);
    const bare = await redeem(context, file, '');
    if (bare.status < 400 || bare.status >= 500) hole(`a download without a ticket is answered ${inShort(bare)}`);
    did(`${PARALLEL} parallel uses: ${downloads} download; then ${inShort(later)}; for another file ${inShort(moved)}`);
  },
};

async function ticketOf({ deployment }: CheckContext, token: string, file: string): Promise<string> {
  const body = { purpose: 'storage:download', resource: file };
  const answer = must(
    await deployment.call({ method: 'POST', path: '/auth/tickets', token, body }),
    201,
    'get a ticket',
  );
  return String(answer.json?.data?.ticket);
}

function redeem({ deployment }: CheckContext, file: string, ticket: string): Promise<Answer> {
  return deployment.call({ path: `/public/storage/download?id=${file}&ticket=${encodeURIComponent(ticket)}` });
}

export const tokenChecks: readonly AcceptanceCheck[] = [sessionEnds, roleChange, singleUse];
