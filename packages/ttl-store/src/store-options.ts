import { callback, type OptionRule, option, SetupError, wholeNumber } from '@sallyport/plugin-kit/options';

/** A store was opened with bad options. Thrown at once by every `create…` of this package; `faults` lists them all. */
export class StoreSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('STORE_SETUP_INVALID', subject, faults);
  }
}

/** The longest `keyPrefix` of a store, in bytes. With a key of full length it still fits a PostgreSQL B-tree index. */
export const MAX_KEY_PREFIX_BYTES = 256;

/** The longest `timeoutMillis`. No client waits longer for an answer. */
const MAX_TIMEOUT_MILLIS = 60_000;

interface KeyPrefixRule {
  /** Default 1. */
  readonly minBytes?: number;
  /** Default {@link MAX_KEY_PREFIX_BYTES}. */
  readonly maxBytes?: number;
  /** Without it the option is required. */
  readonly default?: string;
}

/** A rule for `keyPrefix` options of packages: every store supports such a prefix. */
export function keyPrefixRule(rule: KeyPrefixRule = {}): OptionRule<string> {
  const { minBytes = 1, maxBytes = MAX_KEY_PREFIX_BYTES, ...rest } = rule;
  const example = rule.default || 'sessions:';
  return option<string>({
    ...rest,
    meaning: `a string of ${minBytes} to ${maxBytes} bytes of UTF-8 without U+0000, such as '${example}'`,
    accepts(value) {
      if (typeof value !== 'string' || /[\0\p{Surrogate}]/u.test(value)) return false;
      const bytes = Buffer.byteLength(value);
      return bytes >= minBytes && bytes <= maxBytes;
    },
  });
}

/** With this limit, a request that needs two verbs is refused within two seconds. */
export const DEFAULT_TIMEOUT_MILLIS = 1000;

export const timeoutRule = wholeNumber({
  min: 1,
  max: MAX_TIMEOUT_MILLIS,
  unit: 'milliseconds',
  default: DEFAULT_TIMEOUT_MILLIS,
});

export const clockRule = callback<() => number>({ that: 'returns milliseconds, such as Date.now', default: Date.now });
