import { Type } from '@fastify/type-provider-typebox';
import { counterKey } from '@sallyport/client-ip';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.js';
import { MobileInvalidError } from '../../http/errors.js';
import { chooseLanguage } from '../../http/language.js';
import { oneOf } from '../../http/lists.js';
import { MAX_MOBILE_LENGTH, parseMobile, regionOf } from '../../http/mobile-number.js';
import type { App } from '../../http/module.js';
import { publicWithLimit } from '../../protection/rate-limits.js';
import { type Changes, runEventOf } from '../../storage/changes.js';
import { type Captchas, captchaAnswer, shownCaptcha } from '../captcha/index.js';
import { SmsUnavailableError } from '../notifications/index.js';
import {
  MobileRegionRefusedError,
  type SendCodeDependencies,
  type SendLimits,
  sendCode,
  smsParameters,
} from '../one-time-codes/index.js';
import { password } from '../passwords/index.js';
import { LoginFailedError } from '../sign-in/index.js';
import { type AppSignInDependencies, checkAppSignIn, isStillEntitled } from './sign-in.js';

export interface AppSignInRouteDependencies extends AppSignInDependencies {
  readonly changes: Changes;
  readonly config: Pick<
    Config,
    | 'app.auth.default-region'
    | 'app.auth.sms-regions'
    | 'rate-limit.login.max-requests'
    | 'rate-limit.captcha.max-requests'
  >;
  readonly captchas: Captchas;
  readonly codes: AppSignInDependencies['codes'] & SendCodeDependencies['codes'];
  readonly limits: SendLimits;
  readonly queue: SendCodeDependencies['queue'];
  /** Whether text messages can be sent. */
  readonly canSend: boolean;
}

const mobile = Type.String({ minLength: 1, maxLength: MAX_MOBILE_LENGTH });

/** As typed; may contain full-width digits and blanks. */
export const smsCode = Type.String({ minLength: 1, maxLength: 16 });

const sendBody = Type.Object(
  { mobile, key: Type.Optional(captchaAnswer.key), code: Type.Optional(captchaAnswer.code) },
  { additionalProperties: false },
);

const sent = Type.Object({ validSeconds: Type.Integer(), resendSeconds: Type.Integer() });

const loginBody = Type.Object(
  {
    mobile,
    password: Type.Optional(password),
    smsCode: Type.Optional(smsCode),
    /** The only terminal of app users, in any letter case (LGN-4). */
    terminal: Type.String({ pattern: '^[Aa][Pp][Pp]$' }),
  },
  { additionalProperties: false, anyOf: [{ required: ['password'] }, { required: ['smsCode'] }] },
);

const signedIn = Type.Object({
  token: Type.String(),
  tokenType: Type.Literal('Bearer'),
  expiresAt: Type.Integer(),
  mobile: Type.String(),
});

/** `GET /app/auth/captcha`, `POST /app/auth/sendSmsCode` and `POST /app/auth/login`, all public. */
export async function appSignInRoutes(app: App, options: AppSignInRouteDependencies): Promise<void> {
  const { config, captchas, limits, canSend, changes } = options;
  const loginLimit = publicWithLimit(config['rate-limit.login.max-requests']);

  /** The audit target is the normalised number, which the log can mask (AUD-3), and not the client's text. */
  function readMobile({ body, audit }: Pick<FastifyRequest<{ Body: { mobile: string } }>, 'body' | 'audit'>): string {
    const number = parseMobile(body.mobile, config['app.auth.default-region']);
    if (number === null) throw new MobileInvalidError();
    audit?.set({ target: number });
    return number;
  }

  function getsCodes(mobile: string): boolean {
    const regions = config['app.auth.sms-regions'];
    return regions.length === 0 || regions.includes(regionOf(mobile) ?? '');
  }

  app.get(
    '/app/auth/captcha',
    {
      config: { ...publicWithLimit(config['rate-limit.captcha.max-requests']), audit: false },
      schema: { response: { 200: shownCaptcha } },
    },
    async function readSmsCaptcha({ clientIp }) {
      const enabled = await limits.needsCaptcha(counterKey(clientIp));
      return { data: enabled ? { enabled, ...(await captchas.issue()) } : { enabled } };
    },
  );

  app.post(
    '/app/auth/sendSmsCode',
    {
      config: { ...loginLimit, audit: { action: 'sms-code.send' } },
      schema: { body: sendBody, response: { 202: oneOf(sent) } },
    },
    async function sendSmsCode(request, reply) {
      const { body, clientIp, headers } = request;
      const mobile = readMobile(request);
      if (!canSend) throw new SmsUnavailableError();
      if (!getsCodes(mobile)) throw new MobileRegionRefusedError();
      const { key = '', code = '' } = body;
      const asked = { mobile, client: counterKey(clientIp), hasCaptcha: () => captchas.redeem(key, code) };
      await sendCode(options, asked, chooseLanguage(headers['accept-language']));
      const { validSeconds, resendSeconds } = await app.systemParameters.read(smsParameters);
      return reply.code(202).send({ data: { validSeconds, resendSeconds } });
    },
  );

  app.post(
    '/app/auth/login',
    {
      config: { ...loginLimit, audit: { action: 'auth.login' }, safeMode: 'served' },
      schema: { body: loginBody, response: { 200: oneOf(signedIn) } },
    },
    async function signInToApp(request) {
      const { body, clientIp, headers, audit } = request;
      const { password, smsCode } = body;
      const mobile = readMobile(request);
      const terminal = body.terminal.toLowerCase();
      const subject = { username: mobile, terminal, clientIp, request };
      const runEvent = runEventOf(changes, request);
      const user = await app.appLoginPolicy.attempt(subject, () =>
        checkAppSignIn({ ...options, runEvent }, { mobile, password, smsCode }, counterKey(clientIp)),
      );
      if (user === null) throw new LoginFailedError();
      const { token, expiresAt } = await app.authTokens.issue({
        subject: user.id,
        audience: 'app',
        terminal,
        clientIp,
        userAgent: headers['user-agent'] ?? '',
        confirm: () => isStillEntitled(options, user, password),
      });
      audit?.set({ actor: `app:${user.id}` });
      return { data: { token, tokenType: 'Bearer' as const, expiresAt, mobile: user.mobile } };
    },
  );
}
