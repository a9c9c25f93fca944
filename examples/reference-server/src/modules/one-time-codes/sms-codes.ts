import {
  CodeCaptchaRequiredError,
  CodeSendLimitedError,
  createOneTimeCodes,
  type OneTimeCodeEvent,
  type OneTimeCodeStore,
  type OneTimeCodes,
} from '@sallyport/one-time-codes';
import type { FastifyBaseLogger } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import type { Language } from '../../http/language.js';
import { regionOf } from '../../http/mobile-number.js';
import type { NotificationQueue } from '../notifications/index.js';
import { SmsLimitedError, withCaptchaPlace } from './errors.js';
import { policyOf, type SmsPolicy } from './parameters.js';

/** The purposes of codes, which their messages name. */
type CodePurpose = 'login' | 'recover';

/** Codes by text message (OTC-1 to OTC-3). Recipients are numbers in E.164. */
export type SmsCodes = OneTimeCodes<{ readonly language: Language }>;

export interface SmsCodesOptions {
  readonly store: OneTimeCodeStore;
  /** Hashes numbers, codes and handles. At least 32 bytes. */
  readonly key: Uint8Array;
  readonly policy: () => Promise<SmsPolicy>;
  /** The queue of messages. It is read for each send, because it is opened after the codes. */
  readonly queue: () => Pick<NotificationQueue, 'add'>;
  readonly onEvent: (event: OneTimeCodeEvent) => Promise<void>;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** Fraudsters rent numbers in ranges. This leaves ranges of 100 000. */
const DIGITS_IN_RANGE = 5;

export function createSmsCodes(options: SmsCodesOptions): SmsCodes {
  const { store, key, policy, queue, onEvent, log, now = Date.now } = options;
  const codes = createOneTimeCodes<{ readonly language: Language }>({
    store,
    key,
    policy: async () => policyOf(await policy()),
    regionOf,
    prefixOf: (mobile) => mobile.slice(0, -DIGITS_IN_RANGE),
    onEvent,
    log,
    now,
    keyPrefix: KEY_PREFIX,
    send: ({ recipient, code, id, purpose, expiresAt, context }) =>
      queue().add({
        id: uuidv7(),
        kind: 'sms-code',
        mobile: recipient,
        code,
        codeId: id,
        purpose: purpose as CodePurpose | null,
        language: context.language,
        validMinutes: Math.max(1, Math.round((expiresAt - now()) / 60_000)),
        expiresAt,
      }),
  });
  return {
    ...codes,
    async send(request) {
      try {
        return await codes.send(request);
      } catch (error) {
        if (error instanceof CodeSendLimitedError) throw new SmsLimitedError(error.retryAfterSeconds);
        throw error instanceof CodeCaptchaRequiredError ? withCaptchaPlace(error, 'sms') : error;
      }
    },
    check: (given) => codes.check(given).catch(sayWhereOfCheck),
    redeem: (given) => codes.redeem(given).catch(sayWhereOfCheck),
  };
}

function sayWhereOfCheck(error: unknown): never {
  throw error instanceof CodeCaptchaRequiredError ? withCaptchaPlace(error, 'login') : error;
}

const KEY_PREFIX = 'sms-code:';

/** For commands, which neither send nor check codes and have no parameters. */
export function openStoredCodes({
  store,
  key,
}: Pick<SmsCodesOptions, 'store' | 'key'>): Pick<SmsCodes, 'isLive' | 'clear'> {
  return createOneTimeCodes({
    store,
    key,
    keyPrefix: KEY_PREFIX,
    send: () => Promise.reject(new Error('a command makes no codes')),
  });
}
