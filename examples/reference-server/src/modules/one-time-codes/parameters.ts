import { defineParameterTable, type ParameterValues } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

/** One day, in seconds: far longer than a user waits for a text message. */
const MAX_WAIT_SECONDS = 86_400;

/** APP-5, and limits against abuse at the operator's expense. */
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
  resendSeconds: {
    key: 'app.auth.sms.resend-seconds',
    type: 'LONG',
    default: 60,
    minimum: 1,
    maximum: MAX_WAIT_SECONDS,
    isPublic: false,
    description: 'Minimum time between two codes for one number, seconds',
  },
  maxAttempts: {
    key: 'app.auth.sms.max-attempts',
    type: 'INTEGER',
    default: 5,
    minimum: 1,
    maximum: 20,
    isPublic: false,
    description: 'Maximum attempts per code, from all addresses; after them the code is invalid',
  },
  mobileDailyLimit: {
    key: 'app.auth.sms.mobile-daily-limit',
    type: 'LONG',
    default: 10,
    minimum: 1,
    maximum: 1000,
    isPublic: false,
    description: 'Maximum codes per number and day',
  },
  ipHourlyLimit: {
    key: 'app.auth.sms.ip-hourly-limit',
    type: 'LONG',
    default: 20,
    minimum: 1,
    maximum: 100_000,
    isPublic: false,
    description: 'Maximum codes per client IP and hour',
  },
  overallHourlyLimit: {
    key: 'app.auth.sms.overall-hourly-limit',
    type: 'LONG',
    default: 5000,
    minimum: 1,
    maximum: 10_000_000,
    isPublic: false,
    description: 'Maximum codes per hour for all numbers together; beyond half of it every code needs a captcha',
  },
  captchaAfter: {
    key: 'app.auth.sms.captcha-after',
    type: 'LONG',
    default: 10,
    minimum: 0,
    maximum: 100_000,
    isPublic: false,
    description: 'Codes per client IP and hour without a captcha; 0: a captcha is always required',
  },
} as const;

export type SmsPolicy = ParameterValues<typeof smsParameters>;

export const smsParameterTable = defineParameterTable<typeof smsParameters, FastifyRequest>({
  definitions: smsParameters,
});
