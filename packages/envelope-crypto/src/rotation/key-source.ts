import {
  hasMethods,
  type OptionRule,
  type OptionRules,
  option,
  unknownNameFaults,
  wholeNumber,
} from '@sallyport/plugin-kit/options';
import type { SuppliedKeys } from '../keys/index.js';

/**
 * Yields the keys of a service at the start and while it runs, such as from a key-management service, or from a file
 * that is replaced.
 *
 * Each key has its own id, which must never be reused; the service notices a reuse since its start. A rotation is two
 * changes. First add the new key to the `previousKeys`, until every node has it. Then make the new key the current one,
 * and add the old key to the `previousKeys`.
 */
export interface KeySource {
  /**
   * Resolves to all current keys. A rejection at the start refuses the start. After a later rejection, or for keys that
   * the start would refuse, the service keeps its keys, logs an error and tries again. Its message is logged, so it
   * must not contain a key. `signal` aborts at the timeout.
   */
  load(options: { readonly signal: AbortSignal }): SuppliedKeys | Promise<SuppliedKeys>;

  /** The interval of the calls of `load`, in seconds, 1 to 86400. Default 60. */
  readonly refreshSeconds?: number;

  /** Timeout of a call of `load`, in milliseconds, 1 to 60000. Default 10000. */
  readonly loadTimeoutMillis?: number;

  /**
   * Called once at the start, for a source that notices changes. `refresh` makes the service call `load` at once, at
   * most twice a second. The returned function, if any, is called to end the subscription when the service closes. A
   * promise is refused. Default: none.
   */
  subscribe?(refresh: () => void): (() => void) | undefined;
}

/** A {@link KeySource} with its defaults. */
export interface CheckedKeySource {
  load(options: { readonly signal: AbortSignal }): unknown;
  readonly refreshSeconds: number;
  readonly loadTimeoutMillis: number;
  subscribe(refresh: () => void): unknown;
}

const numbers: OptionRules<{ readonly refreshSeconds: number; readonly loadTimeoutMillis: number }> = {
  refreshSeconds: wholeNumber({ min: 1, max: 86_400, unit: 'seconds', default: 60 }),
  loadTimeoutMillis: wholeNumber({ min: 1, max: 60_000, unit: 'milliseconds', default: 10_000 }),
};

const NAMES = ['load', 'subscribe', ...Object.keys(numbers)];

/** The option `keySource`. */
export const keySourceRule: OptionRule<CheckedKeySource> = option<CheckedKeySource>({
  meaning: 'an object with load',
  accepts: (value) => hasMethods(value, ['load']),
  faults: (source: KeySource, name) => [
    // An instance of a class may have further members.
    ...(isPlain(source) ? unknownNameFaults(Object.keys(source), NAMES, { path: `${name}.` }) : []),
    ...Object.entries(numbers).flatMap(([member, rule]) => {
      const value: unknown = Reflect.get(source, member);
      return value === undefined ? [] : rule.faults(value, `${name}.${member}`);
    }),
    ...(source.subscribe === undefined || hasMethods(source, ['subscribe'])
      ? []
      : [`${name}.subscribe must be a function`]),
  ],
  read: (source: KeySource) => ({
    load: (options) => source.load(options),
    refreshSeconds: source.refreshSeconds ?? numbers.refreshSeconds.defaultValue!,
    loadTimeoutMillis: source.loadTimeoutMillis ?? numbers.loadTimeoutMillis.defaultValue!,
    subscribe: (refresh) => source.subscribe?.(refresh),
  }),
});

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
