import { counterKey } from '@sallyport/client-ip';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Config } from '../../config/config.js';
import { ignoreEmptyMembers } from '../../http/empty-members.js';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { username } from '../../http/name-schemas.js';
import { publicWithLimit } from '../../protection/rate-limits.js';
import { type Changes, runEventOf } from '../../storage/changes.js';
import type { Administrator } from '../administrators/index.js';
import {
  CaptchaInvalidError,
  captchaKind,
  captchaParameters,
  optionalCaptchaAnswer,
  type PurposeCaptchas,
  shownCaptcha,
} from '../captcha/index.js';
import { deviceToken, terminalOf } from '../login-policy/index.js';
import { password } from '../passwords/index.js';
import { LoginFailedError } from './errors.js';
import { registrationParameters } from './parameters.js';
import { checkSignIn, isStillEntitled, type SignInDependencies } from './sign-in.js';

export interface SignInRouteDependencies extends SignInDependencies {
  readonly config: Pick<
    Config,
    'admin.auth.terminals' | 'rate-limit.login.max-requests' | 'rate-limit.captcha.max-requests'
  >;
  readonly captchas: PurposeCaptchas;
  readonly changes: Changes;
}

/** The credentials of a sign-in. */
export const credentialsOf = (config: Pick<Config, 'admin.auth.terminals'>) => ({
  username,
  password,
  terminal: terminalOf(config['admin.auth.terminals']),
});

/** The purpose of the captcha, and its kind. The answer says whether one is required. */
const captchaQuery = Type.Object({
  for: Type.Optional(Type.Union([Type.Literal('login'), Type.Literal('register')])),
  kind: Type.Optional(captchaKind),
});

const signedIn = Type.Object(
  {
    token: Type.String(),
    tokenType: Type.Literal('Bearer'),
    expiresAt: Type.Integer(),
    username: Type.String(),
    deviceToken: Type.String(),
  },
  { title: 'SignedInAdministrator' },
);

/** `GET /admin/auth/captcha` and `POST /admin/auth/login`, both public. */
export async function adminSignInRoutes(
  app: App,
  { config, administrators, passwords, captchas, changes }: SignInRouteDependencies,
): Promise<void> {
  const signInBody = Type.Object(
    { ...credentialsOf(config), ...optionalCaptchaAnswer, deviceToken: Type.Optional(deviceToken) },
    { title: 'AdministratorCredentials', additionalProperties: false },
  );

  async function checkCaptcha(answer: Static<typeof signInBody>, clientIp: string): Promise<void> {
    const { enabled } = await app.systemParameters.read(captchaParameters);
    if (enabled && !(await captchas.isAnswered('login', answer, clientIp))) throw new CaptchaInvalidError();
  }

  type SignInRequest = FastifyRequest<{ Body: Static<typeof signInBody> }>;

  /** Opens the session of an account whose password was right, and makes the next token of the device. */
  async function openSession({ body, clientIp, headers }: SignInRequest, account: Administrator) {
    const { terminal, password, deviceToken } = body;
    const opening = app.authTokens.issue({
      subject: account.id,
      audience: 'admin',
      terminal: terminal.toLowerCase(),
      clientIp,
      userAgent: headers['user-agent'] ?? '',
      // After the token of the device is made. A password that was changed in the meantime is seen then; nobody gets
      // that token.
      async confirm() {
        await issuing;
        return isStillEntitled({ administrators, passwords }, account, password);
      },
    });
    const issuing = app.loginPolicy.issueDeviceToken({ username: account.username, terminal, replaces: deviceToken });
    const [opened, issued] = await Promise.allSettled([opening, issuing]);
    if (opened.status === 'rejected') throw opened.reason;
    if (issued.status === 'rejected') throw issued.reason;
    const { token, expiresAt } = opened.value;
    return { token, expiresAt, deviceToken: issued.value };
  }

  app.get(
    '/admin/auth/captcha',
    {
      config: { ...publicWithLimit(config['rate-limit.captcha.max-requests']), audit: false },
      schema: { querystring: captchaQuery, response: { 200: oneOf(shownCaptcha) } },
    },
    async function readCaptcha({ query }) {
      // Registration always requires a captcha. None is issued while registration is closed.
      const { for: purpose = 'login', kind } = query;
      const parameters = purpose === 'register' ? registrationParameters : captchaParameters;
      const { enabled } = await app.systemParameters.read(parameters);
      return { data: enabled ? await captchas.show(purpose, kind) : { enabled } };
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
      schema: { body: signInBody, response: { 200: oneOf(signedIn) } },
      preValidation: ignoreEmptyMembers(signInBody),
    },
    async function signIn(request) {
      const { username, terminal, deviceToken } = request.body;
      request.audit?.set({ target: username });
      const subject = { username, terminal, deviceToken, clientIp: request.clientIp, request };
      const check = { administrators, passwords, runEvent: runEventOf(changes, request) };
      // The policy checks whitelist and locks first. A client that it refuses uses up neither its captcha nor a hash
      // (LGN-2, LGN-8), and one without a captcha takes no place from the owner (LGN-13).
      const opened: { session?: Awaited<ReturnType<typeof openSession>> } = {};
      const account = await app.loginPolicy.attempt(
        subject,
        () => checkSignIn(check, request.body, counterKey(request.clientIp)),
        {
          precheck: () => checkCaptcha(request.body, request.clientIp),
          // While the policy counts the success (PRF-13).
          async onPassed(account) {
            opened.session = await openSession(request, account);
          },
        },
      );
      if (account === null || opened.session === undefined) throw new LoginFailedError();
      request.audit?.set({ actor: `admin:${account.id}` });
      const { token, expiresAt, deviceToken: nextDeviceToken } = opened.session;
      const { username: name } = account;
      return {
        data: { token, tokenType: 'Bearer' as const, expiresAt, username: name, deviceToken: nextDeviceToken },
      };
    },
  );
}
