import { type AdminRoute, adminRoutes, harmlessPath, NOBODY } from '../admin-routes.js';
import { type Answer, inShort } from '../answer.js';
import type { AcceptanceCheck, CheckContext } from '../check.js';
import type { Call, Deployment } from '../deployment.js';
import { NotApplicableError } from '../not-run.js';
import { newPassword } from '../sign-ins.js';

function callOf(route: AdminRoute, token: string): Call {
  const { method, bytes } = route;
  const hasBody = method === 'POST' || method === 'PUT';
  return {
    method,
    path: harmlessPath(route),
    token,
    ...(bytes !== undefined && { bytes: Buffer.from(bytes.text), headers: { 'content-type': bytes.contentType } }),
    // No schema accepts it: if the request is let through, validation refuses it.
    ...(bytes === undefined && hasBody && { body: { acceptance: true } }),
  };
}

const everyRoute: AcceptanceCheck = {
  id: 'privileges.routes',
  title: 'every administrator route is refused without a token, and without its permission',
  async run({ deployment, bystander, did, hole }) {
    const { token } = await bystander();
    for (const route of adminRoutes) {
      const name = `${route.method} ${route.route}`;
      const bare = await deployment.send({ method: route.method, target: harmlessPath(route) });
      if (bare.status !== 401) hole(`${name} answers ${inShort(bare)} to a request without a token, and not 401`);
      const answer = await deployment.call(callOf(route, token));
      if (answer.status !== 403 || answer.code !== 'PERMISSION_DENIED') {
        hole(`${name} answers ${inShort(answer)} to an administrator without ${route.permission}, and not 403`);
      }
    }
    did(`called ${adminRoutes.length} routes without a token, and as an administrator without any right`);
  },
};

/** Spellings of a path that a check of its text could miss. */
const spellings = (origin: string): readonly string[] => [
  '/%61dmin/roles',
  '/admin/%72oles',
  '/admin/%2e/roles',
  '/admin/./roles',
  '/admin/x/../roles',
  '//admin/roles',
  '/admin//roles',
  '/ADMIN/roles',
  '/admin/roles/',
  '/admin/roles;x=1',
  '/admin/roles%00',
  '/admin/roles%2f',
  '/public/..%2fadmin/roles',
  '/public/../admin/roles',
  '/actuator/health/../../admin/roles',
  `${origin}/admin/roles`,
];

/** Headers that make some servers execute another request than the one that was checked. */
const rewritingHeaders = ['x-original-url', 'x-rewrite-url', 'x-forwarded-uri'] as const;

const spelledPaths: AcceptanceCheck = {
  id: 'privileges.paths',
  title: 'no other spelling of a path, and no header, leads around the permission',
  async run({ deployment, bystander, did, hole }) {
    const { token } = await bystander();
    const { mode } = await deployment.bootstrap();
    const targets = spellings(deployment.url.origin + deployment.url.pathname.replace(/\/$/, ''));
    for (const target of targets) {
      for (const holder of [undefined, token]) {
        const answer = await reach(deployment, mode, target, holder);
        // A refusal by the schema means that the permission check passed.
        if (answer.status >= 400 && answer.status < 500 && answer.code !== 'VALIDATION_FAILED') continue;
        const who = holder === undefined ? 'without a token' : 'by an administrator without any right';
        hole(`POST ${target} ${who} is answered ${inShort(answer)}`);
      }
    }
    for (const header of rewritingHeaders) {
      const answer = await deployment.call({ path: '/admin/profile', token, headers: { [header]: '/admin/roles' } });
      if (Array.isArray(answer.json?.data))
        hole(`with ${header} an administrator without permissions reads /admin/roles`);
    }
    const headers = { authorization: `Bearer ${token}` };
    const head = await deployment.send({ method: 'HEAD', target: '/admin/roles', headers });
    if (head.status < 400 || head.status >= 500) hole(`HEAD /admin/roles is answered ${head.status}, and not 403`);
    did(
      `spelled /admin/roles in ${targets.length} ways, and sent HEAD and ${rewritingHeaders.length} rewriting headers`,
    );
  },
};

/** In an envelope if possible: a refusal of plaintext must not hide what an envelope would reach. */
async function reach(deployment: Deployment, mode: string, target: string, token?: string): Promise<Answer> {
  // No schema accepts it.
  const body = { acceptance: true };
  if (mode === 'OFF' || !target.startsWith('/')) {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    return deployment.send({ method: 'POST', target, headers, body: JSON.stringify(body) });
  }
  const sealed = await deployment.seal({ method: 'POST', path: target, body, ...(token !== undefined && { token }) });
  const answer = await deployment.send(sealed.request);
  return answer.status < 300 ? answer : sealed.open(answer);
}

const STRONG = 'api:admin:audit-records:list';

const granting: AcceptanceCheck = {
  id: 'privileges.grants',
  title:
    'who manages administrators and roles gets and gives no right that he lacks, and touches nobody who holds more',
  async run(context) {
    const { deployment, temporaries, did, hole } = context;
    const strongRole = await temporaries.role([STRONG]);
    const superior = await temporaries.administrator([strongRole.id]);
    const granter = await temporaries.signedIn(['api:admin:administrators:*', 'api:admin:roles:*']);
    const { token } = granter;
    const name = temporaries.name;
    const account = { username: name(), password: newPassword(), displayName: 'x' };
    const attempts: readonly [what: string, call: Call][] = [
      ['makes a role with every right', post('/admin/roles', { name: name(), permissions: ['*'] })],
      [`makes a role with ${STRONG}`, post('/admin/roles', { name: name(), permissions: [STRONG] })],
      ['gives his own role every right', put(`/admin/roles/${granter.roleId}`, { permissions: ['*'] })],
      ['gives himself a stronger role', put(`/admin/administrators/${granter.id}`, { roleIds: [strongRole.id] })],
      ['makes an administrator with it', post('/admin/administrators', { ...account, roleIds: [strongRole.id] })],
      ['empties the stronger role', put(`/admin/roles/${strongRole.id}`, { permissions: [] })],
      ['deletes the stronger role', { method: 'DELETE', path: `/admin/roles/${strongRole.id}` }],
      [
        'resets a superior’s password',
        put(`/admin/administrators/${superior.id}/password`, { password: newPassword() }),
      ],
      ['disables a superior', put(`/admin/administrators/${superior.id}`, { disabled: true })],
      ['deletes a superior', { method: 'DELETE', path: `/admin/administrators/${superior.id}` }],
    ];
    for (const [what, call] of attempts) {
      const answer = await deployment.call({ ...call, token });
      if (answer.status === 201) remember(context, call.path, answer);
      if (answer.status !== 403)
        hole(`an administrator without the permission ${what}: ${inShort(answer)}, and not 403`);
    }
    did(`a manager of administrators and roles tried ${attempts.length} ways to a right that he lacks`);
  },
};

function remember({ temporaries }: CheckContext, path: string, { json }: Answer): void {
  temporaries.remember(path === '/admin/roles' ? 'role' : 'administrator', json?.data?.id);
}

const foreignThings: AcceptanceCheck = {
  id: 'privileges.foreign',
  title: 'sessions, idempotency keys and tickets of others are out of reach',
  async run({ deployment, operator, temporaries, bystander, did, hole }) {
    const { token } = await bystander();
    const victim = await temporaries.signedIn([]);
    const listed = await deployment.call({ path: `/admin/sessions?subject=${victim.id}`, token });
    if (listed.status !== 403) hole(`the sessions of another administrator are listed: ${inShort(listed)}`);
    const own = await deployment.call({ path: '/admin/sessions', token: victim.token });
    const sessionId: unknown = own.json?.data?.[0]?.id;
    const ended = await deployment.call({ method: 'DELETE', path: `/admin/sessions/${sessionId}`, token });
    if (ended.status !== 403) hole(`the session of another administrator can be ended: ${inShort(ended)}`);

    const key = crypto.randomUUID();
    const body = { name: temporaries.name(), permissions: [] };
    const headers = { 'idempotency-key': key };
    const made = await deployment.call({ method: 'POST', path: '/admin/roles', body, headers, token: operator.token });
    temporaries.remember('role', made.json?.data?.id);
    const looked = await deployment.call({ path: `/idempotency/${key}`, token });
    if (looked.status !== 404) hole(`the idempotency key of another administrator can be read: ${inShort(looked)}`);

    const use = { purpose: 'storage:download', resource: NOBODY };
    const ticket = await deployment.call({ method: 'POST', path: '/auth/tickets', body: use, token });
    if (ticket.status !== 403) hole(`a download ticket is given without the permission: ${inShort(ticket)}`);
    did(
      "tried to list and to end another's session, to read another's idempotency key, to get a ticket without the right",
    );
  },
};

const forgedTokens: AcceptanceCheck = {
  id: 'privileges.tokens',
  title: 'forged, unsigned and garbled tokens are refused',
  parts: ['algorithm', 'signature', 'claims', 'audience', 'query'],
  async run({ deployment, operator, bystander, did, hole }) {
    const [head = '', claims = '', signature = ''] = operator.token.split('.');
    if (signature === '') throw new NotApplicableError('the token is no JWT');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const decode = (text: string): object => JSON.parse(Buffer.from(text, 'base64url').toString());
    const later = encode({ ...decode(claims), exp: 4_102_444_800 });
    const other = encode({ ...decode(claims), aud: 'app' });
    const forged: Readonly<Record<string, readonly [part: string, token: string]>> = {
      'without a signature (alg none)': ['algorithm', `${encode({ ...decode(head), alg: 'none' })}.${claims}.`],
      'with alg None and its signature': [
        'algorithm',
        `${encode({ ...decode(head), alg: 'None' })}.${claims}.${signature}`,
      ],
      'with another algorithm': ['algorithm', `${encode({ ...decode(head), alg: 'HS256' })}.${claims}.${signature}`],
      'with a later end': ['claims', `${head}.${later}.${signature}`],
      'with another audience': ['claims', `${head}.${other}.${signature}`],
      'with a changed signature': [
        'signature',
        `${head}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      ],
      'of two parts': ['signature', `${head}.${claims}`],
    };
    for (const [what, [part, token]] of Object.entries(forged)) {
      const answer = await deployment.call({ path: '/admin/profile', token });
      if (answer.status !== 401) hole(`a token ${what} is answered ${inShort(answer)}, and not 401`, part);
    }
    // Intermediaries log URLs, so the token in this one ends with the run.
    const { token: passing } = await bystander();
    for (const path of ['/admin/profile', `/admin/storage/files/${NOBODY}/content`]) {
      const answer = await deployment.send({ method: 'GET', target: `${path}?access_token=${passing}` });
      if (answer.status !== 401) hole(`${path} takes a token in the query: ${inShort(answer)}, and not 401`, 'query');
    }
    const app = await deployment.call({ path: '/app/profile', token: operator.token });
    if (app.status !== 401 && app.status !== 403) {
      hole(`an administrator's token opens /app/profile: ${inShort(app)}`, 'audience');
    }
    did(
      `changed the own token in ${Object.keys(forged).length} ways, sent one in the query, and took one to an app endpoint`,
    );
  },
};

function post(path: string, body: object): Call {
  return { method: 'POST', path, body };
}

function put(path: string, body: object): Call {
  return { method: 'PUT', path, body };
}

export const privilegeChecks: readonly AcceptanceCheck[] = [
  everyRoute,
  spelledPaths,
  granting,
  foreignThings,
  forgedTokens,
];
