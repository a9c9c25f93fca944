import { Type } from '@fastify/type-provider-typebox';
import type { App } from '../app.js';
import type { Config } from '../config.js';
import { LoginFailedError } from '../errors.js';
import { checkSignIn, isStillEntitled, type SignInParts } from '../features/administrators/sign-in.js';
import { MAX_CLIENTS } from '../plugins/rate-limits.js';

export interface AdminSignInOptions extends SignInParts {
  readonly config: Pick<Config, 'rate-limit.login.max-requests'>;
}

/** ADM-4 counts by the minute. */
const LOGIN_WINDOW_MILLIS = 60_000;

const credentials = Type.Object(
  {
    username: Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\p{Cc}]*$' }),
    password: Type.String({ format: 'bcrypt-password' }),
    /** The one terminal of administrators, in any case. Free text would be a fresh counter for every guess (LGN-4). */
    terminal: Type.String({ pattern: '^[Ww][Ee][Bb]$' }),
    key: Type.Optional(Type.String({ maxLength: 128 })),
    code: Type.Optional(Type.String({ maxLength: 32 })),
  },
  { additionalProperties: false },
);

const captcha = Type.Object({ data: Type.Object({ enabled: Type.Literal(false) }) });

const signedIn = Type.Object({
  data: Type.Object({
    token: Type.String(),
    tokenType: Type.Literal('Bearer'),
    expiresAt: Type.Integer(),
    username: Type.String(),
  }),
});

/** `GET /admin/auth/captcha` and `POST /admin/auth/login`, both public. */
export async function adminSignInRoutes(
  app: App,
  { config, administrators, passwords }: AdminSignInOptions,
): Promise<void> {
  app.get(
    '/admin/auth/captcha',
    { config: { access: 'public' }, schema: { response: { 200: captcha } } },
    async function readCaptcha() {
      return { data: { enabled: false as const } };
    },
  );

  app.post(
    '/admin/auth/login',
    {
      config: {
        access: 'public',
        rateLimit: {
          max: config['rate-limit.login.max-requests'],
          timeWindow: LOGIN_WINDOW_MILLIS,
          cache: MAX_CLIENTS,
        },
      },
      schema: { body: credentials, response: { 200: signedIn } },
    },
    async function signIn(request) {
      const account = await checkSignIn({ administrators, passwords }, request.body);
      if (account === null) throw new LoginFailedError();
      const { token, expiresAt } = await app.authTokens.issue({
        subject: account.id,
        audience: 'admin',
        terminal: request.body.terminal.toLowerCase(),
        clientIp: request.clientIp,
        userAgent: request.headers['user-agent'] ?? '',
        confirm: () => isStillEntitled(administrators, account),
      });
      return {
        data: {
          token,
          tokenType: 'Bearer' as const,
          expiresAt,
          username: account.username,
        },
      };
    },
  );
}
