import { createHmac, randomBytes } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import { CaptchaRequiredError, SmsLimitedError } from './errors.js';
import type { SmsPolicy } from './parameters.js';

type LimitPolicy = Pick<
  SmsPolicy,
  'resendSeconds' | 'mobileDailyLimit' | 'ipHourlyLimit' | 'overallHourlyLimit' | 'captchaAfter'
>;

export interface SendLimitsOptions {
  /** Where sends are counted. Several processes need a shared store. */
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'get' | 'increment' | 'compareAndDelete'>;
  /** Hashes numbers, as for the codes. */
  readonly key: Uint8Array;
  readonly policy: () => LimitPolicy | Promise<LimitPolicy>;
  /** Prefix of all keys in the store. Default `sms-limit:`. */
  readonly keyPrefix?: string;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

export interface SendRequest {
  /** In E.164. */
  readonly mobile: string;
  /** The counter key of the client: `counterKey(request.clientIp)`. */
  readonly client: string;
  /** Whether a captcha was answered right. Called only if one is required. Uses the captcha up. */
  readonly hasCaptcha: () => Promise<boolean>;
}

export interface SendLimits {
  /**
   * Counts one send, or refuses it. A refused send is not counted.
   *
   * @returns a function that reverts the count, for a message that could not be queued
   * @throws {SmsLimitedError} {@link CaptchaRequiredError}
   */
  admit(request: SendRequest): Promise<() => Promise<void>>;
  /** Whether the client's next code needs a captcha. Changes nothing. */
  needsCaptcha(client: string): Promise<boolean>;
}

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;

interface Limit {
  readonly name: string;
  readonly millis: number;
  readonly most: number;
}

/** Counters are incremented before they are compared, so that parallel requests can't exceed the limit. */
export function createSendLimits(options: SendLimitsOptions): SendLimits {
  const { store, key, policy, keyPrefix = 'sms-limit:', now = Date.now } = options;
  const tagOf = (mobile: string) => createHmac('sha256', key).update(`mobile\0${mobile}`).digest('base64url');
  const ofClient = (client: string) => `client:${client}`;
  const OVERALL = 'overall';

  function asksCaptcha(clientCount: number, overallCount: number, rules: LimitPolicy): boolean {
    return clientCount > rules.captchaAfter || overallCount > rules.overallHourlyLimit / 2;
  }

  /** Reserves the interval during which the number gets no other code. */
  async function takeTurn(tag: string, seconds: number): Promise<() => Promise<void>> {
    const turn = `${keyPrefix}turn:${tag}`;
    const until = now() + seconds * 1000;
    const value = `${until}:${randomBytes(8).toString('base64url')}`;
    if (!(await store.setIfAbsent(turn, value, seconds * 1000))) {
      const present = Number((await store.get(turn))?.split(':')[0] ?? 0);
      throw new SmsLimitedError((present - now()) / 1000);
    }
    return async () => void (await store.compareAndDelete(turn, value));
  }

  async function count({ name, millis, most }: Limit, undo: (() => Promise<void>)[]): Promise<number> {
    const counter = `${keyPrefix}${name}`;
    const { value, remainingMillis } = await store.increment(counter, millis);
    const endsAt = now() + remainingMillis;
    // If the window has ended, its count is gone. Decrementing the next window would raise its limit.
    undo.push(async () => void (now() < endsAt && (await store.increment(counter, millis, -1))));
    if (value > most) throw new SmsLimitedError(remainingMillis / 1000);
    return value;
  }

  return {
    async admit({ mobile, client, hasCaptcha }) {
      const rules = await policy();
      const tag = tagOf(mobile);
      const undo: (() => Promise<void>)[] = [];
      const giveBack = async () => void (await Promise.allSettled(undo.splice(0).map((one) => one())));
      try {
        const limit = { millis: HOUR_MILLIS };
        // One round trip for both. Both complete before either refuses, so that both can be reverted.
        const counts = [
          count({ ...limit, name: ofClient(client), most: rules.ipHourlyLimit }, undo),
          count({ ...limit, name: OVERALL, most: rules.overallHourlyLimit }, undo),
        ] as const;
        await Promise.allSettled(counts);
        const [clientCount, overallCount] = await Promise.all(counts);
        if (asksCaptcha(clientCount, overallCount, rules) && !(await hasCaptcha())) throw new CaptchaRequiredError();
        // The number's own limits come last. Otherwise clients without a captcha could probe whether a number just got
        // a code, or block it. The turn comes before the count: counts of requests that get no turn would take it from
        // the one that does.
        undo.push(await takeTurn(tag, rules.resendSeconds));
        await count({ name: `mobile:${tag}`, millis: DAY_MILLIS, most: rules.mobileDailyLimit }, undo);
      } catch (error) {
        await giveBack();
        throw error;
      }
      return giveBack;
    },

    async needsCaptcha(client) {
      const rules = await policy();
      const [clientCount, overallCount] = await Promise.all(
        [ofClient(client), OVERALL].map(async (name) => Number((await store.get(keyPrefix + name)) ?? 0)),
      );
      return asksCaptcha((clientCount ?? 0) + 1, (overallCount ?? 0) + 1, rules);
    },
  };
}
