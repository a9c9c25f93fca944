import { Type } from '@fastify/type-provider-typebox';
import { counterKey } from '@sallyport/client-ip';
import type { App } from '../../app.js';
import type { Config } from '../../config/config.js';
import { CaptchaInvalidError, LoginFailedError } from '../../http/errors.js';
import { MAX_CLIENTS } from '../../protection/rate-limits.js';
import type { Captchas } from '../captcha/captchas.js';
import { captchaParameters, registrationParameters } from '../parameters/tables.js';
import { checkSignIn, isStillEntitled, type SignInParts } from './sign-in.js';

export interface AdminSignInOptions extends SignInParts {
  readonly config: Pick<Config, 'rate-limit.login.max-requests' | 'rate-limit.captcha.max-requests'>;
  readonly captchas: Captchas;
}

/** ADM-4 counts by the minute, and so do captchas (LP-34). */
const WINDOW_MILLIS = 60_000;

export const username = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\p{Cc}]*$' });

/** The one terminal of administrators, in any case. Free text would be a fresh counter for every guess (LGN-4). */
const terminal = Type.String({ pattern: '^[Ww][Ee][Bb]$' });

/** What an account is signed in to with. */
export const credentials = { username, password: Type.String({ format: 'bcrypt-password' }), terminal };

/** The answer to a captcha, and what it answers. */
export const captchaAnswer = { key: Type.String({ maxLength: 128 }), code: Type.String({ maxLength: 32 }) };

const signInBody = Type.Object(
  { ...credentials, key: Type.Optional(captchaAnswer.key), code: Type.Optional(captchaAnswer.code) },
  { additionalProperties: false },
);

/** What the captcha is for; the answer says whether one is needed there. */
const captchaQuery = Type.Object({ for: Type.Optional(Type.Union([Type.Literal('login'), Type.Literal('register')])) });

export const captcha = Type.Object({
  data: Type.Object({
    enabled: Type.Boolean(),
    key: Type.Optional(Type.String()),
    image: Type.Optional(Type.String()),
    expiresInSeconds: Type.Optional(Type.Integer()),
  }),
});

const signedIn = Type.Object({
  data: Type.Object({
    token: Type.String(),
    tokenType: Type.Literal('Bearer'),
    expiresAt: Type.Integer(),
    username: Type.String(),
  }),
});

/** The config of a route that anybody may call, so many times a minute. */
export function publicWithLimit(max: number) {
  return { access: 'public' as const, rateLimit: { max, timeWindow: WINDOW_MILLIS, cache: MAX_CLIENTS } };
}

/** `GET /admin/auth/captcha` and `POST /admin/auth/login`, both public. */
export async function adminSignInRoutes(
  app: App,
  { config, administrators, passwords, captchas }: AdminSignInOptions,
): Promise<void> {
  async function checkCaptcha(key = '', code = ''): Promise<void> {
    const { enabled } = await app.systemParameters.read(captchaParameters);
    if (enabled && !(await captchas.redeem(key, code))) throw new CaptchaInvalidError();
  }

  app.get(
    '/admin/auth/captcha',
    {
      config: { ...publicWithLimit(config['rate-limit.captcha.max-requests']), audit: false },
      schema: { querystring: captchaQuery, response: { 200: captcha } },
    },
    async function readCaptcha({ query }) {
      // A registration takes a captcha, and where it is closed none is made for it.
      const parameters = query.for === 'register' ? registrationParameters : captchaParameters;
      const { enabled } = await app.systemParameters.read(parameters);
      return { data: enabled ? { enabled, ...(await captchas.issue()) } : { enabled } };
    },
  );

  app.post(
    '/admin/auth/login',
    {
      config: {
        ...publicWithLimit(config['rate-limit.login.max-requests']),
        audit: { action: 'auth.login' },
        safeMode: 'served',
      },
      schema: { body: signInBody, response: { 200: signedIn } },
    },
    async function signIn(request) {
      const { username, terminal, key, code } = request.body;
      request.audit?.set({ target: username });
      const subject = { username, terminal, clientIp: request.clientIp, request };
      // The policy asks whitelist and locks first: who is refused there costs neither his captcha nor a hash (LGN-2, LGN-8).
      const account = await app.loginPolicy.attempt(subject, async () => {
        await checkCaptcha(key, code);
        return checkSignIn({ administrators, passwords }, request.body, counterKey(request.clientIp));
      });
      if (account === null) throw new LoginFailedError();
      const { token, expiresAt } = await app.authTokens.issue({
        subject: account.id,
        audience: 'admin',
        terminal: terminal.toLowerCase(),
        clientIp: request.clientIp,
        userAgent: request.headers['user-agent'] ?? '',
        confirm: () => isStillEntitled(administrators, account),
      });
      request.audit?.set({ actor: `admin:${account.id}` });
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
