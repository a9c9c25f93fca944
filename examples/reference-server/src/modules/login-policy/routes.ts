import { Type } from '@fastify/type-provider-typebox';
import { PermissionDeniedError } from '@sallyport/auth-tokens';
import { ipAddressFormat } from '../../http/body-formats.js';
import type { App } from '../../http/module.js';
import { username } from '../../http/name-schemas.js';
import { type ClearingDependencies, clearLimits } from './clearing.js';
import { accountOf, allTerminals, type Policies, type TerminalSettings, terminalOf } from './terminals.js';

export interface LoginPolicyDependencies extends Pick<ClearingDependencies, 'clearCodes'> {
  readonly config: TerminalSettings;
}

const clientIp = Type.String({ format: ipAddressFormat });

const stillLocked = Type.Object({
  counter: Type.String(),
  address: Type.Union([Type.String(), Type.Null()]),
  lockedUntil: Type.Integer(),
});

const cleared = Type.Object({ data: Type.Object({ stillLocked: Type.Array(stillLocked) }) });

const counter = Type.Object({
  counter: Type.String(),
  address: Type.Union([Type.String(), Type.Null()]),
  limit: Type.Integer(),
  state: Type.String(),
  failures: Type.Optional(Type.Integer()),
  inFlight: Type.Optional(Type.Integer()),
  windowEndsAt: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  lockedUntil: Type.Optional(Type.Integer()),
});

const explanation = Type.Object({
  data: Type.Object({
    username: Type.String(),
    terminal: Type.String(),
    lockedUntil: Type.Union([Type.Integer(), Type.Null()]),
    counters: Type.Array(counter),
    devices: Type.Object({ known: Type.Integer(), locked: Type.Integer() }),
  }),
});

/**
 * `POST /admin/auth/clearLoginLimit` (ADM-6, LGN-11) and `GET /admin/login-policy/explain` (LGN-10). The answer is the
 * same for unknown names.
 */
export async function loginPolicyRoutes(app: App, { config, clearCodes }: LoginPolicyDependencies): Promise<void> {
  const policies: Policies = { admin: app.loginPolicy, app: app.appLoginPolicy };
  const terminal = terminalOf(allTerminals(config));

  app.post(
    '/admin/auth/clearLoginLimit',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:auth:clearLoginLimit',
        audit: { action: 'auth.clear-login-limit' },
      },
      schema: {
        body: Type.Object(
          {
            username: Type.Optional(username),
            terminal: Type.Optional(terminal),
            clientIp: Type.Optional(clientIp),
          },
          { additionalProperties: false, anyOf: [{ required: ['username'] }, { required: ['clientIp'] }] },
        ),
        response: { 200: cleared },
      },
    },
    async function clearLoginLimit(request) {
      const { username, terminal, clientIp = null } = request.body;
      const account = username === undefined ? null : accountOf(config, username, terminal);
      request.audit?.set({ target: account?.username ?? clientIp });
      if (clientIp !== null && !(await request.hasPermission('api:admin:auth:clearAddressLimit')))
        throw new PermissionDeniedError();
      const stillLocked = await clearLimits({ policies, clearCodes }, { account, clientIp });
      return { data: { stillLocked: [...stillLocked] } };
    },
  );

  app.get(
    '/admin/login-policy/explain',
    {
      config: { access: 'admin', permission: 'api:admin:login-policy:explain', audit: 'login-limit' },
      schema: {
        querystring: Type.Object(
          { username, terminal: Type.Optional(terminal), clientIp: Type.Optional(clientIp) },
          { additionalProperties: false },
        ),
        response: { 200: explanation },
      },
    },
    async function explainLoginLimit({ query, audit }) {
      const { audience, ...account } = accountOf(config, query.username, query.terminal);
      audit?.set({ target: account.username });
      const { counters, ...rest } = await policies[audience].explain({ ...account, clientIp: query.clientIp });
      return { data: { ...rest, counters: [...counters] } };
    },
  );
}
