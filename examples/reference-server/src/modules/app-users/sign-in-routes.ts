import { counterKey } from '@sallyport/client-ip';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Config } from '../../config/config.js';
import { ignoreEmptyMembers } from '../../http/empty-members.js';
import { chooseLanguage } from '../../http/language.js';
import { oneOf } from '../../http/lists.js';
import { readMobileNumber, regionOf } from '../../http/mobile-number.js';
import type { App } from '../../http/module.js';
import { publicWithLimit } from '../../protection/rate-limits.js';
import { type Changes, runEventOf } from '../../storage/changes.js';
import { captchaKind, optionalCaptchaAnswer, type PurposeCaptchas, shownCaptcha } from '../captcha/index.js';
import { deviceToken, terminalOf } from '../login-policy/index.js';
import { SmsUnavailableError } from '../notifications/index.js';
import { MobileRegionRefusedError, type SmsCodes } from '../one-time-codes/index.js';
import { password } from '../passwords/index.js';
import type { MissingStep, SecondStep } from '../second-step/index.js';
import { LoginFailedError, missingFactor, pendingDetail } from '../sign-in/index.js';
import type { AppUser } from './app-users.js';
import { handle, mobile, readMobile, smsCode } from './mobile-request.js';
import { type AppSignInDependencies, checkAppPassword, isStillEntitled, userOfCode } from './sign-in.js';

export interface AppSignInRouteDependencies extends AppSignInDependencies {
  readonly changes: Changes;
  readonly secondStep: Pick<SecondStep, 'missingStep'>;
  readonly config: Pick<
    Config,
    'app.auth.default-region' | 'app.auth.terminals' | 'app.auth.sms-regions' | 'rate-limit.app-login.max-requests'
  >;
  readonly captchas: PurposeCaptchas;
  readonly codes: Pick<SmsCodes, 'send' | 'check' | 'redeem' | 'needsCaptcha'>;
  /** Whether text messages can be sent. */
  readonly canSend: boolean;
}

/** The purpose of the code, which its message names. Without it the code serves every purpose. */
const purpose = Type.Union([Type.Literal('login'), Type.Literal('recover')]);

const sendBody = Type.Object(
  { mobile, for: Type.Optional(purpose), ...optionalCaptchaAnswer },
  { title: 'SmsCodeRequest', additionalProperties: false },
);

const sent = Type.Object(
  { handle: Type.String(), validSeconds: Type.Integer(), resendSeconds: Type.Integer() },
  { title: 'SentSmsCode' },
);

const loginBodyOf = (terminals: readonly string[]) =>
  Type.Object(
    {
      mobile,
      password: Type.Optional(password),
      smsCode: Type.Optional(smsCode),
      handle: Type.Optional(handle),
      terminal: terminalOf(terminals),
      deviceToken: Type.Optional(deviceToken),
      ...optionalCaptchaAnswer,
    },
    {
      title: 'AppCredentials',
      additionalProperties: false,
      anyOf: [{ required: ['password'] }, { required: ['smsCode'] }],
    },
  );

type LoginBody = Static<ReturnType<typeof loginBodyOf>>;

const signedIn = Type.Object(
  {
    token: Type.String(),
    tokenType: Type.Literal('Bearer'),
    expiresAt: Type.Integer(),
    mobile: Type.String(),
    /** Absent for a user without a password, and while a second step is missing. */
    deviceToken: Type.Optional(Type.String()),
    secondFactor: Type.Optional(missingFactor),
  },
  { title: 'SignedInAppUser' },
);

interface SignedInUser {
  readonly user: AppUser;
  /** Null: the sign-in is complete. */
  readonly missing: MissingStep | null;
}

/** The purpose of the captcha, its kind, and the number for which it may be needed. */
const captchaQuery = Type.Object({
  for: Type.Optional(Type.Union([Type.Literal('sms'), Type.Literal('login'), Type.Literal('recover')])),
  kind: Type.Optional(captchaKind),
  mobile: Type.Optional(mobile),
});

const PURPOSES = { sms: 'sms', login: 'app-login', recover: 'recover' } as const;

/** `GET /app/auth/captcha`, `POST /app/auth/sendSmsCode` and `POST /app/auth/login`, all public. */
export async function appSignInRoutes(app: App, options: AppSignInRouteDependencies): Promise<void> {
  const { config, captchas, codes, canSend, changes, secondStep } = options;
  const region = config['app.auth.default-region'];
  const regions = config['app.auth.sms-regions'].length === 0 ? [region] : config['app.auth.sms-regions'];
  const limit = publicWithLimit(config['rate-limit.app-login.max-requests']);
  const loginBody = loginBodyOf(config['app.auth.terminals']);

  /** Whether a client needs a captcha: for any number, or for the one that it names (OTC-4). */
  async function needsCaptcha(request: FastifyRequest<{ Querystring: Static<typeof captchaQuery> }>): Promise<boolean> {
    const { query, clientIp } = request;
    if (query.for === 'recover') return true;
    const recipient = query.mobile === undefined ? undefined : readMobileNumber(query.mobile, region);
    const { send, check } = await codes.needsCaptcha({ clientIp, recipient });
    return query.for === 'login' ? check : send;
  }

  app.get(
    '/app/auth/captcha',
    {
      config: { ...limit, audit: false },
      schema: { querystring: captchaQuery, response: { 200: oneOf(shownCaptcha) } },
    },
    async function readAppCaptcha(request) {
      const { for: purpose, kind } = request.query;
      const enabled = await needsCaptcha(request);
      // A client whose request was refused for a missing captcha asks with `for`.
      const isShown = enabled || purpose !== undefined;
      return { data: isShown ? { ...(await captchas.show(PURPOSES[purpose ?? 'sms'], kind)), enabled } : { enabled } };
    },
  );

  app.post(
    '/app/auth/sendSmsCode',
    {
      config: { ...limit, audit: { action: 'sms-code.send' } },
      schema: { body: sendBody, response: { 202: oneOf(sent) } },
      preValidation: ignoreEmptyMembers(sendBody),
    },
    async function sendSmsCode(request, reply) {
      const { body, clientIp, headers } = request;
      const recipient = readMobile(request, region);
      if (!canSend) throw new SmsUnavailableError();
      if (!regions.includes(regionOf(recipient) ?? '')) throw new MobileRegionRefusedError();
      const data = await codes.send({
        recipient,
        clientIp,
        purpose: body.for ?? null,
        hasCaptcha: () => captchas.isAnswered('sms', body, clientIp),
        context: { language: chooseLanguage(headers['accept-language']) },
      });
      return reply.code(202).send({ data });
    },
  );

  /**
   * Every credential that is given must be right (APP-2). Only a right code without a password adds a user. Codes have
   * limits of their own (OTC-1); the login policy counts passwords. The code is used up last, so that a wrong password
   * does not use it up.
   */
  async function findUser(
    request: FastifyRequest<{ Body: LoginBody }>,
    recipient: string,
  ): Promise<SignedInUser | null> {
    const { body, clientIp } = request;
    const { password, smsCode, handle } = body;
    const hasCaptcha = () => captchas.isAnswered('app-login', body, clientIp);
    const given = { recipient, handle, clientIp, purpose: 'login', hasCaptcha };
    const check = { ...options, runEvent: runEventOf(changes, request) };
    if (password === undefined) {
      const isRight = smsCode !== undefined && (await codes.redeem({ ...given, code: smsCode }));
      return isRight ? withMissingStep(await userOfCode(check, recipient)) : null;
    }
    const code = smsCode === undefined ? null : await codes.check({ ...given, code: smsCode });
    const subject = {
      username: recipient,
      terminal: body.terminal.toLowerCase(),
      clientIp,
      deviceToken: body.deviceToken,
      request,
    };
    const right = await app.appLoginPolicy.attempt(
      subject,
      async () => withMissingStep(await checkAppPassword(check, { mobile: recipient, password }, counterKey(clientIp))),
      // A right password alone clears no counter (MFA-2).
      { isFinal: ({ missing }) => missing === null },
    );
    if (right === null || (smsCode !== undefined && !(await code?.redeem()))) return null;
    return right;
  }

  async function withMissingStep(user: AppUser | null): Promise<SignedInUser | null> {
    if (user === null) return null;
    const owner = { audience: 'app', subject: user.id, username: user.mobile } as const;
    return { user, missing: await secondStep.missingStep(owner) };
  }

  app.post(
    '/app/auth/login',
    {
      config: { ...limit, audit: { action: 'auth.login' }, safeMode: 'served' },
      schema: { body: loginBody, response: { 200: oneOf(signedIn) } },
      preValidation: ignoreEmptyMembers(loginBody),
    },
    async function signInToApp(request) {
      const { body, clientIp, headers, audit } = request;
      const mobile = readMobile(request, region);
      const terminal = body.terminal.toLowerCase();
      const right = await findUser(request, mobile).catch((error: unknown) => {
        app.activity.noteFailedNumber(mobile);
        throw error;
      });
      if (right === null) {
        app.activity.noteFailedNumber(mobile);
        throw new LoginFailedError();
      }
      const { user, missing } = right;
      const owner = { username: mobile, terminal, replaces: body.deviceToken };
      const hasDevice = user.passwordHash !== null && missing === null;
      const issuing = hasDevice ? app.appLoginPolicy.issueDeviceToken(owner) : undefined;
      // The session is confirmed after the token of the device is made. A password that was changed in the meantime is
      // seen then; nobody gets this token.
      issuing?.catch(() => {});
      const { token, expiresAt } = await app.authTokens.issue({
        subject: user.id,
        audience: 'app',
        terminal,
        clientIp,
        userAgent: headers['user-agent'] ?? '',
        purpose: missing?.purpose,
        proof: { method: body.password === undefined ? 'sms-code' : 'password' },
        async confirm() {
          await issuing;
          return isStillEntitled(options, user, body.password);
        },
      });
      const nextDeviceToken = await issuing;
      if (missing === null) await app.signInNotes.note(request, 'app', user.id);
      audit?.set({ actor: `app:${user.id}`, ...pendingDetail(missing) });
      const device = nextDeviceToken === undefined ? {} : { deviceToken: nextDeviceToken };
      const step = missing === null ? {} : { secondFactor: missing.secondFactor };
      return { data: { token, tokenType: 'Bearer' as const, expiresAt, mobile: user.mobile, ...device, ...step } };
    },
  );
}
