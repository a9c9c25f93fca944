import { callback, listOf, nullable, objectWith, option, readOptions, text } from '@sallyport/plugin-kit/options';
import { type PluginScope, scopeRule } from '@sallyport/plugin-kit/routes';
import { keyPrefixRule } from '@sallyport/ttl-store';
import type { CounterStore } from './counters/index.js';
import { LoginPolicySetupError } from './errors.js';
import type { LoginPolicyListener } from './events.js';
import { LOGIN_POLICY_DEFAULTS, type LoginPolicy, policyRule } from './policy/index.js';
import type { IsFailure } from './verification.js';

/** The part of a logger that is needed; `app.log` and any pino logger have it. */
export interface LoginPolicyLog {
  error(details: object, message: string): void;
  warn?(details: object, message: string): void;
}

/** Options of the plugin and of {@link createLoginAttempts}. */
export interface LoginPolicyOptions {
  /**
   * The store that holds the counts. Use a shared store (Redis, PostgreSQL) for more than one process, or to survive a
   * restart. Required.
   */
  readonly store: CounterStore;
  /**
   * Put before every key in the store, 1 to 256 bytes. Default `login-policy:`. Engines with one prefix share the
   * per-address counter.
   */
  readonly keyPrefix?: string;
  /**
   * The policy: an object, in which a missing value has its default; or a function that returns all values. The
   * function is called at every attempt, so that dynamic parameters fit; if it fails or returns a bad value, the
   * attempt is refused with 503. Default: the defaults of the parameters.
   */
  readonly policy?: Partial<LoginPolicy> | (() => LoginPolicy | Promise<LoginPolicy>);
  /**
   * The terminals that may sign in, in lower case. The first one is the default of `clear` and `explain`. Default
   * `['web']`.
   */
  readonly terminals?: readonly string[];
  /**
   * The set of accounts to which the names of these terminals belong. A device token is valid for one name of one
   * audience: give engines with one `keyPrefix` different ones. Default: the first terminal.
   */
  readonly audience?: string | null;
  /** Receives failures, locks, refusals and clears, and is awaited. Default: none. */
  readonly onEvent?: LoginPolicyListener;
  /** Decides whether a verification has failed, in place of the rules: see {@link IsFailure}. Default: the rules. */
  readonly isFailure?: IsFailure;
  /**
   * Receives, at `error`, every rejection of a verification that leaves its outcome open, and once, at `warn`, that a
   * terminal was refused. Default: `fastify.log` in the plugin, no log in {@link createLoginAttempts}.
   */
  readonly log?: LoginPolicyLog | null;
  /**
   * The clock, in milliseconds, from which the end of a lock is reported, and by which a device token expires. Default
   * `Date.now`. The store's clock decides what else has expired.
   */
  readonly now?: () => number;
}

/** Options of the plugin alone. */
export interface LoginPolicyPluginOptions extends LoginPolicyOptions {
  /**
   * The scope of `fastify.loginPolicy`: the whole application (`app`), or the scope in which the plugin is registered
   * (`encapsulated`). Default `app`.
   */
  readonly scope?: PluginScope;
}

/** The defaults of {@link LoginPolicyOptions}. */
export const LOGIN_POLICY_OPTION_DEFAULTS = {
  keyPrefix: 'login-policy:',
  policy: LOGIN_POLICY_DEFAULTS,
  terminals: ['web'],
  audience: null,
  onEvent: () => {},
  isFailure: () => undefined,
  log: null,
  now: () => Date.now(),
} as const satisfies Required<Omit<LoginPolicyOptions, 'store'>>;

/** Validated options. */
export interface ValidOptions extends Required<Omit<LoginPolicyOptions, 'policy'>> {
  readonly policy: LoginPolicy | (() => LoginPolicy | Promise<LoginPolicy>);
}

/** In lower case, because a submitted terminal is compared in lower case. */
const TERMINAL = /^[^\p{Cc}\p{Surrogate}]{1,64}$/u;

/** The same length as a terminal, which is its default. */
const MAX_AUDIENCE_LENGTH = 64;

function isTerminal(value: unknown): boolean {
  return typeof value === 'string' && TERMINAL.test(value) && value === value.toLowerCase();
}

const rules = {
  store: objectWith<CounterStore>({
    methods: ['get', 'set', 'increment', 'compareAndSet', 'compareAndDelete'],
    meaning:
      'a store with get, set, increment, compareAndSet and compareAndDelete, such as one of @sallyport/ttl-store',
  }),
  keyPrefix: keyPrefixRule({ default: LOGIN_POLICY_OPTION_DEFAULTS.keyPrefix }),
  policy: option<ValidOptions['policy']>({
    meaning: 'an object, or a function that returns one',
    accepts: (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
    faults: (value: unknown, name) => (typeof value === 'function' ? [] : policyRule.faults(value, name)),
    read: (value: unknown) => (typeof value === 'function' ? (value as () => LoginPolicy) : policyRule.read(value)),
    default: LOGIN_POLICY_OPTION_DEFAULTS.policy,
    members: policyRule.members ?? [],
  }),
  terminals: listOf<string>(isTerminal, {
    meaning: "a list of one or more names in lower case, such as ['web']",
    minItems: 1,
    default: LOGIN_POLICY_OPTION_DEFAULTS.terminals,
  }),
  audience: nullable(text({ maxLength: MAX_AUDIENCE_LENGTH })),
  onEvent: callback<LoginPolicyListener>({ that: 'takes an event', default: LOGIN_POLICY_OPTION_DEFAULTS.onEvent }),
  isFailure: callback<IsFailure>({
    that: 'takes { result } or { error } and returns true, false or undefined',
    default: LOGIN_POLICY_OPTION_DEFAULTS.isFailure,
  }),
  log: nullable(objectWith<LoginPolicyLog>({ methods: ['error'], meaning: 'a logger with error, such as app.log' })),
  now: callback<() => number>({
    that: 'returns milliseconds, such as Date.now',
    default: LOGIN_POLICY_OPTION_DEFAULTS.now,
  }),
};

/** @throws LoginPolicySetupError naming every fault */
export function readLoginPolicyOptions(given: LoginPolicyOptions): ValidOptions {
  return readOptions<ValidOptions>({ subject: 'createLoginAttempts', SetupError: LoginPolicySetupError }, given, rules);
}

/** @throws LoginPolicySetupError naming every fault */
export function readPluginOptions(given: LoginPolicyPluginOptions): ValidOptions & { readonly scope: PluginScope } {
  const owner = { subject: 'login-policy', SetupError: LoginPolicySetupError, isPlugin: true };
  return readOptions<ValidOptions & { readonly scope: PluginScope }>(owner, given, { ...rules, scope: scopeRule });
}
