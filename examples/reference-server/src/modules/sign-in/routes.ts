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
import type { MissingStep, SecondStep } from '../second-step/index.js';
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
  readonly secondStep: Pick<SecondStep, 'missingStep'>;
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

/** With a token that serves the second step alone. */
export const missingFactor = Type.Object(
  { kinds: Type.Array(Type.String()), mustEnrol: Type.Boolean() },
  { title: 'MissingSecondFactor' },
);

const signedIn = Type.Object(
  {
    token: Type.String(),
    tokenType: Type.Literal('Bearer'),
    expiresAt: Type.Integer(),
    username: Type.String(),
    /** Absent while a second step is missing. */
    deviceToken: Type.Optional(Type.String()),
    secondFactor: Type.Optional(missingFactor),
  },
  { title: 'SignedInAdministrator' },
);

interface RightPassword {
  readonly account: Administrator;
  /** Null: the sign-in is complete. */
  readonly missing: MissingStep | null;
}

/** For the audit record of a sign-in that is not complete. */
export function pendingDetail(missing: MissingStep | null) {
  return missing === null ? {} : { detail: { pending: missing.purpose } };
}

/** `GET /admin/auth/captcha` and `POST /admin/auth/login`, both public. */
export async function adminSignInRoutes(
  app: App,
  { config, administrators, passwords, captchas, changes, secondStep }: SignInRouteDependencies,
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

  /**
   * Opens the session of an account whose password was right. If no step is missing, it makes the next token of the
   * device.
   */
  async function openSession({ body, clientIp, headers }: SignInRequest, { account, missing }: RightPassword) {
    const { terminal, password, deviceToken } = body;
    const opening = app.authTokens.issue({
      subject: account.id,
      audience: 'admin',
      terminal: terminal.toLowerCase(),
      clientIp,
      userAgent: headers['user-agent'] ?? '',
      purpose: missing?.purpose,
      proof: { method: 'password' },
      // After the token of the device is made. A password that was changed in the meantime is seen then; nobody gets
      // that token.
      async confirm() {
        await issuing;
        return isStillEntitled({ administrators, passwords }, account, password);
      },
    });
    const device = { username: account.username, terminal, replaces: deviceToken };
    const issuing = missing === null ? app.loginPolicy.issueDeviceToken(device) : undefined;
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
      const right = await app.loginPolicy.attempt(
        subject,
        async (): Promise<RightPassword | null> => {
          const account = await checkSignIn(check, request.body, counterKey(request.clientIp));
          if (account === null) return null;
          const owner = { audience: 'admin', subject: account.id, username: account.username } as const;
          return { account, missing: await secondStep.missingStep(owner) };
        },
        {
          precheck: () => checkCaptcha(request.body, request.clientIp),
          // While the policy counts the success (PRF-13).
          async onPassed(right) {
            opened.session = await openSession(request, right);
            if (right.missing === null) await app.signInNotes.note(request, 'admin', right.account.id);
          },
          // A right password alone clears no counter (MFA-2).
          isFinal: ({ missing }) => missing === null,
        },
      );
      if (right === null || opened.session === undefined) throw new LoginFailedError();
      const { account, missing } = right;
      request.audit?.set({ actor: `admin:${account.id}`, ...pendingDetail(missing) });
      const { token, expiresAt, deviceToken: nextDeviceToken } = opened.session;
      const { username: name } = account;
      return {
        data: {
          ...{ token, tokenType: 'Bearer' as const, expiresAt, username: name },
          ...(nextDeviceToken !== undefined && { deviceToken: nextDeviceToken }),
          ...(missing !== null && { secondFactor: missing.secondFactor }),
        },
      };
    },
  );
}
