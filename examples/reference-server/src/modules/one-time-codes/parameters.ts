import type { OneTimeCodePolicy } from '@sallyport/one-time-codes';
import { defineParameterTable, type ParameterValues } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

/** One day, in seconds: far longer than a user waits for a text message. */
const MAX_WAIT_SECONDS = 86_400;

/** APP-5, OTC-1 to OTC-3. The defaults are those of the package, whose README derives them. */
export const smsParameters = {
  codeLength: {
    key: 'app.auth.sms.code-length',
    type: 'INTEGER',
    default: 6,
    minimum: 4,
    maximum: 10,
    isPublic: false,
    description: 'Digits of a code',
  },
  validSeconds: {
    key: 'app.auth.sms.valid-seconds',
    type: 'LONG',
    default: 300,
    minimum: 1,
    maximum: 3600,
    isPublic: false,
    description: 'How long a code is valid, seconds',
  },
  longCodeLength: {
    key: 'app.auth.sms.long-code-length',
    type: 'INTEGER',
    default: 12,
    minimum: 10,
    maximum: 16,
    isPublic: false,
    description: 'Digits of a code while guesses are under way; more than app.auth.sms.code-length',
  },
  resendSeconds: {
    key: 'app.auth.sms.resend-seconds',
    type: 'LONG',
    default: 60,
    minimum: 1,
    maximum: MAX_WAIT_SECONDS,
    isPublic: false,
    description: 'Minimum time between two messages to one number, seconds',
  },
  slowResendSeconds: {
    key: 'app.auth.sms.slow-resend-seconds',
    type: 'LONG',
    default: 1800,
    minimum: 60,
    maximum: MAX_WAIT_SECONDS,
    isPublic: false,
    description: 'The same beyond mobile-daily-limit, seconds; such a code is valid as long',
  },
  maxAttempts: {
    key: 'app.auth.sms.max-attempts',
    type: 'INTEGER',
    default: 5,
    minimum: 1,
    maximum: 20,
    isPublic: false,
    description: 'Maximum attempts per send, and without its handle per number and client network',
  },
  mobileDailyLimit: {
    key: 'app.auth.sms.mobile-daily-limit',
    type: 'LONG',
    default: 10,
    minimum: 1,
    maximum: 1000,
    isPublic: false,
    description: 'Messages per number and day before they become slow; a sign-in gives them back',
  },
  mobileCaptchaAfter: {
    key: 'app.auth.sms.mobile-captcha-after',
    type: 'LONG',
    default: 1,
    minimum: 0,
    maximum: 1000,
    isPublic: false,
    description: 'Sends per number and hour without a captcha',
  },
  ipHourlyLimit: {
    key: 'app.auth.sms.ip-hourly-limit',
    type: 'LONG',
    default: 200,
    minimum: 1,
    maximum: 100_000,
    isPublic: false,
    description: 'Maximum sends per client network and hour that led to no sign-in',
  },
  captchaAfter: {
    key: 'app.auth.sms.captcha-after',
    type: 'LONG',
    default: 20,
    minimum: 0,
    maximum: 100_000,
    isPublic: false,
    description: 'Those without a captcha; 0: a captcha is always required',
  },
  regionHourlyLimit: {
    key: 'app.auth.sms.region-hourly-limit',
    type: 'LONG',
    default: 3000,
    minimum: 1,
    maximum: 10_000_000,
    isPublic: false,
    description: 'Maximum messages per country and hour; beyond a quarter of it every send needs a captcha',
  },
  overallHourlyLimit: {
    key: 'app.auth.sms.overall-hourly-limit',
    type: 'LONG',
    default: 5000,
    minimum: 1,
    maximum: 10_000_000,
    isPublic: false,
    description:
      'Maximum messages per hour for all numbers together; beyond a quarter of it every send needs a captcha',
  },
  wrongCaptchaAfter: {
    key: 'app.auth.sms.wrong-captcha-after',
    type: 'LONG',
    default: 50,
    minimum: 0,
    maximum: 1000,
    isPublic: false,
    description: 'Wrong codes per number and day without a captcha',
  },
  wrongDailyLimit: {
    key: 'app.auth.sms.wrong-daily-limit',
    type: 'LONG',
    default: 100,
    minimum: 1,
    maximum: 1000,
    isPublic: false,
    description: 'Wrong codes per number and day; then only long codes are accepted',
  },
  ipWrongDailyLimit: {
    key: 'app.auth.sms.ip-wrong-daily-limit',
    type: 'LONG',
    default: 50,
    minimum: 0,
    maximum: 100_000,
    isPublic: false,
    description: 'Wrong codes per client network and day without a captcha',
  },
  overallWrongDailyLimit: {
    key: 'app.auth.sms.overall-wrong-daily-limit',
    type: 'LONG',
    default: 5000,
    minimum: 2,
    maximum: 1_000_000,
    isPublic: false,
    description:
      'Wrong codes a day that could have met a code, over all numbers; from half of it new codes are long, beyond it only long codes are accepted',
  },
  lowUsePercent: {
    key: 'app.auth.sms.low-use-percent',
    type: 'LONG',
    default: 30,
    minimum: 0,
    maximum: 50,
    isPublic: false,
    description:
      'Every send to a country or a range of numbers of which fewer codes are used needs a captcha, percent; 0: off',
  },
} as const;

export type SmsPolicy = ParameterValues<typeof smsParameters>;

export const smsParameterTable = defineParameterTable<typeof smsParameters, FastifyRequest>({
  definitions: smsParameters,
  rules: ({ codeLength, longCodeLength }) =>
    longCodeLength > codeLength ? [] : ['long-code-length must be more than code-length'],
});

/** The policy of the package: a number is its recipient. */
export function policyOf({ mobileDailyLimit, mobileCaptchaAfter, ...rest }: SmsPolicy): OneTimeCodePolicy {
  return { ...rest, recipientDailyLimit: mobileDailyLimit, recipientCaptchaAfter: mobileCaptchaAfter };
}
