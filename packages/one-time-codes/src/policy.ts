import { flag, group, type OptionRule, type OptionRules, wholeNumber } from '@sallyport/plugin-kit/options';
import { OneTimeCodesUnavailableError } from './errors.js';

/** The limits. Windows begin with the first count. Each limit has its reason in the reference. */
export interface OneTimeCodePolicy {
  /** Digits of a code, 4 to 10. Default 6. */
  readonly codeLength: number;
  /** Digits of a code while guesses are in progress, 10 to 16 and more than `codeLength`. Default 12. */
  readonly longCodeLength: number;
  /** The validity of a code, in seconds, 1 to 3600. Default 300. */
  readonly validSeconds: number;
  /** Time between two messages to one recipient, in seconds, 1 to 86 400. Default 60. */
  readonly resendSeconds: number;
  /** Time between two messages beyond `recipientDailyLimit`, in seconds, 60 to 86 400. Default 1800. */
  readonly slowResendSeconds: number;
  /**
   * Whether a code is accepted only with the handle of its own send. A send that brings no message, as within
   * `resendSeconds`, then answers a handle that accepts none, also where a stranger asked before. Default false.
   */
  readonly requireHandle: boolean;
  /** Checks per handle, and without a handle per recipient and client network, 1 to 20. Default 5. */
  readonly maxAttempts: number;
  /** Messages per recipient and day before they become slow, 1 to 1000. Default 10. */
  readonly recipientDailyLimit: number;
  /** Sends per recipient and hour without a captcha, 0 to 1000. Default 3. */
  readonly recipientCaptchaAfter: number;
  /** Sends per client network and hour that led to no sign-in, 1 to 100 000. Default 200. */
  readonly ipHourlyLimit: number;
  /** Sends within `ipHourlyLimit` that need no captcha, 0 to 100 000. Default 20. */
  readonly captchaAfter: number;
  /** Messages per region and hour, 1 to 10 000 000. Default 3000. */
  readonly regionHourlyLimit: number;
  /** Messages per hour over all regions, 1 to 10 000 000. Default 5000. */
  readonly overallHourlyLimit: number;
  /** Wrong codes per recipient and day without a captcha, 0 to 1000. Default 50. */
  readonly wrongCaptchaAfter: number;
  /** Wrong codes per recipient and day, after which only long codes are accepted, 1 to 1000. Default 100. */
  readonly wrongDailyLimit: number;
  /** Wrong codes per client network and day without a captcha, 0 to 100 000. Default 50. */
  readonly ipWrongDailyLimit: number;
  /**
   * Wrong codes a day over all recipients, each counted once per code of ordinary length that it could have met, 2 to
   * 1 000 000. From half of it new codes are long; beyond it only long codes are accepted. Default 5000.
   */
  readonly overallWrongDailyLimit: number;
  /** The percentage of used codes below which a prefix needs a captcha per send, 0 (off) to 50. Default 30. */
  readonly lowUsePercent: number;
}

const rules: OptionRules<OneTimeCodePolicy> = {
  codeLength: wholeNumber({ min: 4, max: 10, unit: 'digits', default: 6 }),
  longCodeLength: wholeNumber({ min: 10, max: 16, unit: 'digits', default: 12 }),
  validSeconds: wholeNumber({ min: 1, max: 3600, unit: 'seconds', default: 300 }),
  resendSeconds: wholeNumber({ min: 1, max: 86_400, unit: 'seconds', default: 60 }),
  slowResendSeconds: wholeNumber({ min: 60, max: 86_400, unit: 'seconds', default: 1800 }),
  requireHandle: flag({ default: false }),
  maxAttempts: wholeNumber({ min: 1, max: 20, default: 5 }),
  recipientDailyLimit: wholeNumber({ min: 1, max: 1000, default: 10 }),
  recipientCaptchaAfter: wholeNumber({ min: 0, max: 1000, default: 3 }),
  ipHourlyLimit: wholeNumber({ min: 1, max: 100_000, default: 200 }),
  captchaAfter: wholeNumber({ min: 0, max: 100_000, default: 20 }),
  regionHourlyLimit: wholeNumber({ min: 1, max: 10_000_000, default: 3000 }),
  overallHourlyLimit: wholeNumber({ min: 1, max: 10_000_000, default: 5000 }),
  wrongCaptchaAfter: wholeNumber({ min: 0, max: 1000, default: 50 }),
  wrongDailyLimit: wholeNumber({ min: 1, max: 1000, default: 100 }),
  ipWrongDailyLimit: wholeNumber({ min: 0, max: 100_000, default: 50 }),
  overallWrongDailyLimit: wholeNumber({ min: 2, max: 1_000_000, default: 5000 }),
  lowUsePercent: wholeNumber({ min: 0, max: 50, unit: 'percent', default: 30 }),
};

const names = Object.keys(rules) as (keyof OneTimeCodePolicy)[];

const members = group(rules);

/** The rule of a policy in which values may be missing. */
export const policyRule: OptionRule<OneTimeCodePolicy> = {
  ...members,
  faults(value, name) {
    const faults = members.faults(value, name);
    return faults.length > 0 ? faults : relationFaults(members.read(value), name);
  },
};

/** The defaults of {@link OneTimeCodePolicy}. */
export const ONE_TIME_CODE_DEFAULTS: OneTimeCodePolicy = Object.freeze(members.read({}));

function relationFaults({ codeLength, longCodeLength }: OneTimeCodePolicy, path: string): string[] {
  return longCodeLength > codeLength ? [] : [`${path}.longCodeLength must be more than codeLength`];
}

/**
 * Returns the function that reads the policy of each call. A bad policy refuses the call: it is never replaced by the
 * defaults. A rejection of the given function goes to the caller.
 */
export function createPolicyReader(
  policy: OneTimeCodePolicy | (() => OneTimeCodePolicy | Promise<OneTimeCodePolicy>),
): () => Promise<OneTimeCodePolicy> {
  if (typeof policy !== 'function') return async () => policy;
  return async function readPolicy() {
    const values: OneTimeCodePolicy = await policy();
    const faults = names.flatMap((name) => rules[name].faults(Reflect.get(Object(values), name), `policy.${name}`));
    const all = faults.length > 0 ? faults : relationFaults(values, 'policy');
    if (all.length > 0) throw new OneTimeCodesUnavailableError({ cause: new TypeError(all.join('; ')) });
    return values;
  };
}
