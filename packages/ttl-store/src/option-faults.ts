import { StoreOptionsInvalidError } from './errors.js';

/** The longest `keyPrefix` of a store, in bytes: with a key of full length it still fits a PostgreSQL B-tree index. */
export const MAX_KEY_PREFIX_BYTES = 256;

/** The longest `timeoutMillis`: nobody waits longer for an answer to a request. */
export const MAX_TIMEOUT_MILLIS = 60_000;

/** One line per fault: the option, what is wrong with it, and what to give instead; null where there is none. */
type Fault = string | null;

/** Throws one error that lists every fault, so that a set-up is mended in one go. */
export function refuseFaults(store: string, faults: readonly Fault[]): void {
  const found = faults.filter((fault) => fault !== null);
  if (found.length > 0) throw new StoreOptionsInvalidError(`${store}: ${found.join('; ')}`);
}

export function wholeNumberFault(option: string, value: unknown, min: number, max: number, unit: string): Fault {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return null;
  return `${option} must be a whole number of ${unit} from ${min} to ${max}`;
}

export function keyPrefixFault(prefix: unknown, minBytes: 0 | 1): Fault {
  const fits =
    typeof prefix === 'string' &&
    Buffer.byteLength(prefix) >= minBytes &&
    Buffer.byteLength(prefix) <= MAX_KEY_PREFIX_BYTES &&
    !/[\0\p{Surrogate}]/u.test(prefix);
  if (fits) return null;
  return `keyPrefix must be a string of ${minBytes} to ${MAX_KEY_PREFIX_BYTES} bytes of UTF-8 without U+0000, such as 'sessions:'`;
}

export function methodFault(option: string, owner: unknown, method: string, meant: string): Fault {
  const present = typeof owner === 'object' && owner !== null && typeof Reflect.get(owner, method) === 'function';
  return present ? null : `${option} must be ${meant}`;
}

export function functionFault(option: string, value: unknown, meant: string): Fault {
  return typeof value === 'function' ? null : `${option} must be ${meant}`;
}
