import { MAX_KEY_PREFIX_BYTES } from '@sallyport/ttl-store';
import type { CounterStore } from './counters/index.js';
import { LoginPolicySetupError } from './errors.js';
import type { LoginPolicyListener } from './events.js';
import { LOGIN_POLICY_DEFAULTS, type LoginPolicy, loginPolicyFaults } from './policy/index.js';

/** Options of the plugin and of the engine. */
export interface LoginPolicyOptions {
  /** Where failures are counted. A shared store (Redis, PostgreSQL) for more than one process, or to survive a restart. Required. Requirement LGN-5. */
  readonly store: CounterStore;
  /** What all keys in the store begin with. 1 to 256 bytes. Default `login-policy:`. Engines with one prefix share the per-address counter. */
  readonly keyPrefix?: string;
  /**
   * The rules: an object, in which what is missing has its default; or a function that yields all of them and is asked at every attempt, so that
   * dynamic parameters fit. What a function yields is checked, and 503 if it is wrong. Default: the parameters' defaults. Requirement LGN-1.
   */
  readonly policy?: Partial<LoginPolicy> | (() => LoginPolicy | Promise<LoginPolicy>);
  /** The terminals that may sign in, in lower case; the first is the default of `clear` and `explain`. Default `['web']`. Requirement LGN-4. */
  readonly terminals?: readonly string[];
  /** Hears of failures, locks, refusals and clears, and is awaited. Default: nobody. Requirement AUD-1. */
  readonly onEvent?: LoginPolicyListener;
  /** The clock that says until when a lock lasts, in milliseconds. Default `Date.now`. What has expired the store's clock decides. */
  readonly now?: () => number;
}

/** The defaults of {@link LoginPolicyOptions}. */
export const LOGIN_POLICY_OPTION_DEFAULTS = {
  keyPrefix: 'login-policy:',
  policy: LOGIN_POLICY_DEFAULTS,
  terminals: ['web'],
  onEvent: () => {},
  now: () => Date.now(),
} as const satisfies Required<Omit<LoginPolicyOptions, 'store'>>;

/** Options with nothing left to doubt. */
export interface CheckedOptions extends Required<Omit<LoginPolicyOptions, 'policy'>> {
  readonly policy: LoginPolicy | (() => LoginPolicy | Promise<LoginPolicy>);
}

const STORE_VERBS = ['get', 'set', 'increment', 'compareAndSet', 'compareAndDelete'] as const;

/** A text of its own in lower case, so that a submitted terminal finds it. */
const TERMINAL = /^[^\p{Cc}\p{Surrogate}]{1,64}$/u;

/** @throws LoginPolicySetupError naming every fault at once. */
export function checkOptions(given: LoginPolicyOptions): CheckedOptions {
  const options = { ...LOGIN_POLICY_OPTION_DEFAULTS, ...withoutUndefined(given) };
  const policy =
    typeof options.policy === 'function'
      ? options.policy
      : { ...LOGIN_POLICY_DEFAULTS, ...withoutUndefined(options.policy) };
  const checks: (readonly [isRight: boolean, fault: string])[] = [
    [
      STORE_VERBS.every((verb) => typeof options.store?.[verb] === 'function'),
      `store must have ${STORE_VERBS.join(', ')}, such as one of @sallyport/ttl-store`,
    ],
    [
      isKeyPrefix(options.keyPrefix),
      `keyPrefix must be a text of 1 to ${MAX_KEY_PREFIX_BYTES} bytes without U+0000, such as 'login-policy:'`,
    ],
    [isTerminals(options.terminals), "terminals must be a list of one or more names in lower case, such as ['web']"],
    [typeof options.onEvent === 'function', 'onEvent must be a function that takes an event'],
    [typeof options.now === 'function', 'now must be a function that returns milliseconds, such as Date.now'],
  ];
  const faults = [
    ...unknownNames(given, ['store', 'prefix', ...Object.keys(LOGIN_POLICY_OPTION_DEFAULTS)]),
    ...checks.filter(([isRight]) => !isRight).map(([, fault]) => fault),
    ...policyFaults(options.policy, policy),
  ];
  if (faults.length > 0) throw new LoginPolicySetupError(faults.join('; '));
  return { ...options, policy, terminals: [...options.terminals] };
}

function policyFaults(given: unknown, policy: CheckedOptions['policy']): string[] {
  if (typeof policy === 'function') return [];
  if (typeof given !== 'object' || given === null) return ['policy must be an object, or a function that yields one'];
  const unknown = unknownNames(given, Object.keys(LOGIN_POLICY_DEFAULTS)).map((fault) => `policy.${fault}`);
  return [...unknown, ...loginPolicyFaults(policy)];
}

/** A misspelt name would leave its option at the default, unseen. */
function unknownNames(given: object | undefined, known: readonly string[]): string[] {
  return Object.keys(given ?? {})
    .filter((name) => !known.includes(name))
    .map((name) => `${name} is no option; there are ${known.join(', ')}`);
}

function isTerminals(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((name) => typeof name === 'string' && TERMINAL.test(name) && name === name.toLowerCase());
}

function isKeyPrefix(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return Buffer.byteLength(value) <= MAX_KEY_PREFIX_BYTES && !/[\0\p{Surrogate}]/u.test(value);
}

/** An option that is there as undefined is one that wasn't given. */
function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as T;
}
