import type { TtlStore } from '@sallyport/ttl-store';
import type { Counters } from './counters.js';
import { LONG_CODES_SHARE, OVERALL_LEDGER, recipientLedger } from './guesses.js';
import type { LiveCodes } from './live-codes.js';
import type { OneTimeCodePolicy } from './policy.js';
import type { Turns } from './sending/index.js';

/** A limit of a recipient. */
export type CodeLimit =
  /** The next send needs a captcha. */
  | 'send-captcha'
  /** The daily budget is used up: one message per `slowResendSeconds`. */
  | 'slow-messages'
  /** The last message was sent so recently that a send returns without another one. */
  | 'message-interval'
  /** Each check needs a captcha. */
  | 'check-captcha'
  /** Codes of ordinary length are no longer accepted. */
  | 'long-codes-only'
  /** Codes of ordinary length are no longer accepted, because of wrong codes over all recipients. */
  | 'long-codes-only-overall'
  /** New codes are long, because of wrong codes over all recipients. */
  | 'long-codes-overall';

/** The result of `explain`. */
export interface CodeExplanation {
  readonly recipient: string;
  /** Whether a code of the recipient was ever used, in the last year. */
  readonly hasSignedIn: boolean;
  readonly liveCodes: number;
  /** The number of messages in the present window of a day. */
  readonly messages: number;
  /** The number of wrong codes in the present window of a day. */
  readonly wrongCodes: number;
  /** The limits in force. `until` in milliseconds since the Unix epoch. */
  readonly limits: readonly { readonly limit: CodeLimit; readonly until: number }[];
}

export interface ExplanationOptions {
  readonly store: Pick<TtlStore, 'get'>;
  readonly counters: Counters;
  readonly codes: Pick<LiveCodes, 'tagOf' | 'list'>;
  readonly turns: Pick<Turns, 'newest'>;
  readonly keyPrefix: string;
  readonly now: () => number;
}

/** Returns the function that reads the limits of a recipient and their ends. It changes nothing. */
export function createExplanation({ store, counters, codes, turns, keyPrefix, now }: ExplanationOptions) {
  return async function explain(recipient: string, rules: OneTimeCodePolicy): Promise<CodeExplanation> {
    const tag = codes.tagOf(recipient);
    const live = await codes.list(recipient);
    const [known, turn, hour, day, wrong, overall] = await Promise.all([
      store.get(`${keyPrefix}known:${tag}`),
      turns.newest(tag, [null, ...live.map(({ entry }) => entry.purpose)]),
      counters.read(`hour:${tag}`),
      counters.read(`day:${tag}`),
      counters.read(recipientLedger(tag)),
      counters.read(OVERALL_LEDGER),
    ]);
    const isSlow = (day?.value ?? 0) >= rules.recipientDailyLimit;
    const messageInterval = isSlow ? Math.max(rules.resendSeconds, rules.slowResendSeconds) : rules.resendSeconds;
    const overallLimit = rules.overallWrongDailyLimit;
    const limits: { readonly limit: CodeLimit; readonly until: number }[] = [];
    const note = (limit: CodeLimit, counter: typeof hour, from: number) => {
      if (counter !== null && counter.value >= from) limits.push({ limit, until: now() + counter.remainingMillis });
    };
    note('send-captcha', hour, rules.recipientCaptchaAfter);
    note('slow-messages', day, rules.recipientDailyLimit);
    if (turn !== null) limits.push({ limit: 'message-interval', until: turn + messageInterval * 1000 });
    note('check-captcha', wrong, rules.wrongCaptchaAfter);
    note('long-codes-only', wrong, rules.wrongDailyLimit);
    note('long-codes-only-overall', overall, overallLimit);
    if ((overall?.value ?? 0) < overallLimit) note('long-codes-overall', overall, overallLimit * LONG_CODES_SHARE);
    return {
      recipient,
      hasSignedIn: known !== null,
      liveCodes: live.length,
      messages: day?.value ?? 0,
      wrongCodes: wrong?.value ?? 0,
      limits,
    };
  };
}
