import { Type } from '@fastify/type-provider-typebox';
import { counterKey } from '@sallyport/client-ip';
import type { Config } from '../../config/config.js';
import type { App } from '../../http/module.js';
import { username } from '../../http/name-schemas.js';
import { publicWithLimit } from '../../protection/rate-limits.js';
import { type Changes, runEventOf } from '../../storage/changes.js';
import {
  CaptchaInvalidError,
  type Captchas,
  captchaAnswer,
  captchaParameters,
  shownCaptcha,
} from '../captcha/index.js';
import { password } from '../passwords/index.js';
import { LoginFailedError } from './errors.js';
import { registrationParameters } from './parameters.js';
import { checkSignIn, isStillEntitled, type SignInDependencies } from './sign-in.js';

export interface SignInRouteDependencies extends SignInDependencies {
  readonly config: Pick<Config, 'rate-limit.login.max-requests' | 'rate-limit.captcha.max-requests'>;
  readonly captchas: Captchas;
  readonly changes: Changes;
}

/**
 * The only terminal of administrators, in any letter case. With free text, each spelling would have its own counter
 * (LGN-4).
 */
const terminal = Type.String({ pattern: '^[Ww][Ee][Bb]$' });

/** The credentials of a sign-in. */
export const credentials = { username, password, terminal };

const signInBody = Type.Object(
  { ...credentials, key: Type.Optional(captchaAnswer.key), code: Type.Optional(captchaAnswer.code) },
  { additionalProperties: false },
);

/** The purpose of the captcha. The answer says whether one is required for it. */
const captchaQuery = Type.Object({ for: Type.Optional(Type.Union([Type.Literal('login'), Type.Literal('register')])) });

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
  { config, administrators, passwords, captchas, changes }: SignInRouteDependencies,
): Promise<void> {
  async function checkCaptcha(key = '', code = ''): Promise<void> {
    const { enabled } = await app.systemParameters.read(captchaParameters);
    if (enabled && !(await captchas.redeem(key, code))) throw new CaptchaInvalidError();
  }

  app.get(
    '/admin/auth/captcha',
    {
      config: { ...publicWithLimit(config['rate-limit.captcha.max-requests']), audit: false },
      schema: { querystring: captchaQuery, response: { 200: shownCaptcha } },
    },
    async function readCaptcha({ query }) {
      // Registration always requires a captcha. None is issued while registration is closed.
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
      const runEvent = runEventOf(changes, request);
      // The policy checks whitelist and locks first. A client that it refuses uses up neither its captcha nor a hash
      // (LGN-2, LGN-8).
      const account = await app.loginPolicy.attempt(subject, async () => {
        await checkCaptcha(key, code);
        const check = { administrators, passwords, runEvent };
        return checkSignIn(check, request.body, counterKey(request.clientIp));
      });
      if (account === null) throw new LoginFailedError();
      const { token, expiresAt } = await app.authTokens.issue({
        subject: account.id,
        audience: 'admin',
        terminal: terminal.toLowerCase(),
        clientIp: request.clientIp,
        userAgent: request.headers['user-agent'] ?? '',
        confirm: () => isStillEntitled({ administrators, passwords }, account, request.body.password),
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
