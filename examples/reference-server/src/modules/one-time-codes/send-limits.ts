import { createHmac, randomBytes } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import { CaptchaRequiredError, SmsLimitedError } from './errors.js';
import type { SmsPolicy } from './parameters.js';

type LimitPolicy = Pick<
  SmsPolicy,
  'resendSeconds' | 'mobileDailyLimit' | 'ipHourlyLimit' | 'overallHourlyLimit' | 'captchaAfter'
>;

export interface SendLimitsOptions {
  /** Where sendings are counted. A shared store for more than one process. */
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'get' | 'increment' | 'compareAndDelete'>;
  /** Hashes numbers, as for the codes. */
  readonly key: Uint8Array;
  readonly policy: () => LimitPolicy | Promise<LimitPolicy>;
  /** What all keys in the store begin with. Default `sms-limit:`. */
  readonly keyPrefix?: string;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

export interface SendRequest {
  /** In E.164. */
  readonly mobile: string;
  /** What the client is counted by: `counterKey(request.clientIp)`. */
  readonly client: string;
  /** Whether a captcha was answered right; asked only where one is needed. Uses the captcha up. */
  readonly hasCaptcha: () => Promise<boolean>;
}

export interface SendLimits {
  /**
   * Counts one sending, or refuses it. A refused one counts nowhere.
   *
   * @returns gives the sending back, when nothing could be sent
   * @throws {SmsLimitedError} {@link CaptchaRequiredError}
   */
  admit(request: SendRequest): Promise<() => Promise<void>>;
  /** Whether the client's next sending needs a captcha. Changes nothing. */
  needsCaptcha(client: string): Promise<boolean>;
}

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;

interface Limit {
  readonly name: string;
  readonly millis: number;
  readonly most: number;
}

/** The counters are raised before they are judged, so that of parallel requests no more than the limit get through. */
export function createSendLimits(options: SendLimitsOptions): SendLimits {
  const { store, key, policy, keyPrefix = 'sms-limit:', now = Date.now } = options;
  const tagOf = (mobile: string) => createHmac('sha256', key).update(`mobile\0${mobile}`).digest('base64url');
  const ofClient = (client: string) => `client:${client}`;
  const OVERALL = 'overall';

  function asksCaptcha(clientCount: number, overallCount: number, rules: LimitPolicy): boolean {
    return clientCount > rules.captchaAfter || overallCount > rules.overallHourlyLimit / 2;
  }

  /** Takes the number's turn until the next code may follow. */
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
    // When the window has ended meanwhile, the count went with it: taken from the next one, it would be room for more.
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
        // One round trip for both; and each is through, and can be given back, before one of them refuses.
        const counts = [
          count({ ...limit, name: ofClient(client), most: rules.ipHourlyLimit }, undo),
          count({ ...limit, name: OVERALL, most: rules.overallHourlyLimit }, undo),
        ] as const;
        await Promise.allSettled(counts);
        const [clientCount, overallCount] = await Promise.all(counts);
        if (asksCaptcha(clientCount, overallCount, rules) && !(await hasCaptcha())) throw new CaptchaRequiredError();
        // Then the number's own: who answers no captcha can't ask again and again whether it just got a code, or hold
        // its turn.
        const ofNumber = [
          takeTurn(tag, rules.resendSeconds).then((release) => void undo.push(release)),
          count({ name: `mobile:${tag}`, millis: DAY_MILLIS, most: rules.mobileDailyLimit }, undo),
        ] as const;
        await Promise.allSettled(ofNumber);
        await Promise.all(ofNumber);
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
