import { Type } from '@fastify/type-provider-typebox';
import type { LoginAttempts } from '@sallyport/login-policy';
import type { Config } from '../../config/config.js';
import { ipAddressFormat } from '../../http/body-formats.js';
import { parseMobile } from '../../http/mobile-number.js';
import type { App } from '../../http/module.js';
import { username } from '../../http/name-schemas.js';
import type { SmsCodes } from '../one-time-codes/index.js';

export interface LoginPolicyDependencies {
  /** Clearing an app user frees codes and sends too (OTC-2). */
  readonly codes: Pick<SmsCodes, 'clear' | 'explain'>;
  readonly config: Pick<Config, 'app.auth.default-region'>;
}

/** The terminals of administrators and of app users, in any letter case. */
const terminal = Type.String({ pattern: '^(?:[Ww][Ee][Bb]|[Aa][Pp][Pp])$' });

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

/** What limits the codes of a number (OTC-1, OTC-2). */
const codeLimits = Type.Object({
  liveCodes: Type.Integer(),
  messages: Type.Integer(),
  wrongCodes: Type.Integer(),
  limits: Type.Array(Type.Object({ limit: Type.String(), until: Type.Integer() })),
});

const explanation = Type.Object({
  data: Type.Object({
    username: Type.String(),
    terminal: Type.String(),
    lockedUntil: Type.Union([Type.Integer(), Type.Null()]),
    counters: Type.Array(counter),
    codes: Type.Optional(codeLimits),
  }),
});

const DEFAULT_TERMINAL = 'Web';

/**
 * `POST /admin/auth/clearLoginLimit` (ADM-6) and `GET /admin/login-policy/explain` (LGN-10). The answer is the same for
 * unknown names.
 */
export async function loginPolicyRoutes(app: App, { codes, config }: LoginPolicyDependencies): Promise<void> {
  const mobileOf = (username: string, terminal: string) =>
    terminal.toLowerCase() === 'app' ? parseMobile(username, config['app.auth.default-region']) : null;

  /**
   * The policy of a terminal, and the name under which it counts attempts. For app users that is the normalised number.
   */
  function accountOf(username: string, terminal: string): { policy: LoginAttempts; username: string } {
    if (terminal.toLowerCase() !== 'app') return { policy: app.loginPolicy, username };
    return { policy: app.appLoginPolicy, username: mobileOf(username, terminal) ?? username };
  }

  async function explainCodes(mobile: string) {
    const { liveCodes, messages, wrongCodes, limits } = await codes.explain(mobile);
    return { liveCodes, messages, wrongCodes, limits: [...limits] };
  }

  app.post(
    '/admin/auth/clearLoginLimit',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:auth:clearLoginLimit',
        audit: { action: 'auth.clear-login-limit' },
      },
      schema: {
        body: Type.Object({ username, terminal: Type.Optional(terminal) }, { additionalProperties: false }),
        response: { 204: Type.Null() },
      },
    },
    async function clearLoginLimit(request, reply) {
      const { terminal = DEFAULT_TERMINAL } = request.body;
      const { policy, username } = accountOf(request.body.username, terminal);
      request.audit?.set({ target: username });
      await policy.clear({ username, terminal });
      const mobile = mobileOf(username, terminal);
      if (mobile !== null) await codes.clear(mobile);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/admin/login-policy/explain',
    {
      config: { access: 'admin', permission: 'api:admin:login-policy:explain', audit: 'login-limit' },
      schema: {
        querystring: Type.Object(
          {
            username,
            terminal: Type.Optional(terminal),
            clientIp: Type.Optional(Type.String({ format: ipAddressFormat })),
          },
          { additionalProperties: false },
        ),
        response: { 200: explanation },
      },
    },
    async function explainLoginLimit(request) {
      const { terminal = DEFAULT_TERMINAL } = request.query;
      const { policy, username } = accountOf(request.query.username, terminal);
      request.audit?.set({ target: username });
      const { counters, ...rest } = await policy.explain({ ...request.query, terminal, username });
      const mobile = mobileOf(username, terminal);
      const ofCodes = mobile === null ? {} : { codes: await explainCodes(mobile) };
      return { data: { ...rest, counters: [...counters], ...ofCodes } };
    },
  );
}
