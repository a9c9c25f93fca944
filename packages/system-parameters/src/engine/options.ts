import type { ParameterTable, ParameterValue } from '../definitions/index.js';
import { SystemParametersSetupError } from '../errors.js';
import type { ParameterNotifier, ParameterSource } from '../sources/index.js';
import { type ParameterCatalogue, readTables } from './parameter-catalogue.js';

/** A change on its way, for the audit log. */
export interface ParameterChange<Request = unknown> {
  readonly key: string;
  /** What was in force before. */
  readonly oldValue: ParameterValue;
  readonly newValue: ParameterValue;
  /** The version that the parameter gets. */
  readonly version: number;
  readonly changedBy: string;
  /** The request that asked for it, if one did. */
  readonly request?: Request | undefined;
  /** The source's own; on PostgreSQL see `transactionOf` of `./postgres`. */
  readonly transaction: unknown;
}

/** What an operator ought to know. */
export type ParameterWarning =
  /** A stored value is not in force, its fallback is. Requirement LP-24. */
  | { readonly kind: 'stored-value-refused'; readonly key: string; readonly reason: string }
  /** The last good values rule. Requirement SYS-3. */
  | { readonly kind: 'source-away'; readonly cause: unknown }
  | { readonly kind: 'source-back' }
  /** Changes of other nodes, or of this one on others, take until `maxAgeMillis`. */
  | { readonly kind: 'notifier-failed'; readonly cause: unknown };

/** Options of the engine and of the plugin. */
export interface SystemParametersOptions<Request = unknown> {
  /** The definitions, in tables whose rules belong together. A key may be defined once. Required. Requirement SYS-1. */
  readonly tables: readonly ParameterTable<ParameterTable['definitions'], Request>[];
  /** Where values are stored: `createMemorySource()`, or `createPostgresSource()` of `./postgres`. Required. */
  readonly source: ParameterSource;
  /** Tells other nodes of changes: one of `./redis` or `./postgres`. Default none: they learn by `maxAgeMillis`. Requirement SYS-3. */
  readonly notifier?: ParameterNotifier;
  /** How old a value may be without asking the source again, in milliseconds, 1 to 60 000. Default 1500: with it a change rules everywhere within 2 s, notified or not. More than that relies on the notifier. Requirement SYS-3. */
  readonly maxAgeMillis?: number;
  /** How long one call of the source may take, in milliseconds, 1 to 60 000. Default 900: a change, which needs two, is answered within 2 s. */
  readonly timeoutMillis?: number;
  /**
   * Called for every change, when it is certain that it can be written and before anybody sees it; awaited before it is
   * acknowledged. If it rejects, or takes longer than `timeoutMillis`, the change is not made: 503. On PostgreSQL it runs
   * between the statement and the commit; what it writes itself is part of the change only if it uses the transaction.
   * Default none. Requirement SYS-2.
   */
  onChange?(change: ParameterChange<Request>): void | Promise<void>;
  /** A clock for ages, in milliseconds. Default `performance.now`, which nobody can set back. */
  readonly now?: () => number;
}

/** Options of the engine alone. */
export interface SystemParametersEngineOptions<Request = unknown> extends SystemParametersOptions<Request> {
  /** Called once for each warning, not for each read. The plugin logs them. Default: none is told. */
  readonly warn?: (warning: ParameterWarning) => void;
}

/** The defaults of {@link SystemParametersEngineOptions}. */
export const SYSTEM_PARAMETERS_DEFAULTS = {
  maxAgeMillis: 1500,
  timeoutMillis: 900,
  now: () => performance.now(),
} as const satisfies Partial<SystemParametersEngineOptions>;

export interface CheckedOptions<Request> {
  readonly catalogue: ParameterCatalogue;
  readonly source: ParameterSource;
  readonly notifier: ParameterNotifier | null;
  readonly maxAgeMillis: number;
  readonly timeoutMillis: number;
  readonly onChange: ((change: ParameterChange<Request>) => void | Promise<void>) | null;
  readonly now: () => number;
  readonly warn: (warning: ParameterWarning) => void;
}

const MAX_MILLIS = 60_000;

/** @throws SystemParametersSetupError naming every fault at once, those of the definitions included. */
export function checkOptions<Request>(given: SystemParametersEngineOptions<Request>): CheckedOptions<Request> {
  const { tables, source, notifier } = given;
  const maxAgeMillis = given.maxAgeMillis ?? SYSTEM_PARAMETERS_DEFAULTS.maxAgeMillis;
  const timeoutMillis = given.timeoutMillis ?? SYSTEM_PARAMETERS_DEFAULTS.timeoutMillis;
  const now = given.now ?? SYSTEM_PARAMETERS_DEFAULTS.now;
  const faults = [
    ...(hasMethods(source, ['declare', 'read', 'write'])
      ? []
      : ['source must be a parameter source, such as createMemorySource()']),
    ...(notifier === undefined || hasMethods(notifier, ['publish', 'subscribe'])
      ? []
      : ['notifier must be a parameter notifier, such as createRedisNotifier(…)']),
    ...millisFault('maxAgeMillis', maxAgeMillis),
    ...millisFault('timeoutMillis', timeoutMillis),
    ...functionFault('onChange', given.onChange),
    ...functionFault('now', now),
    ...functionFault('warn', given.warn),
  ];

  const isTables = Array.isArray(tables) && tables.length > 0 && tables.every(isTable);
  const catalogue = isTables
    ? readTables(tables)
    : { faults: ['tables must be a list of { definitions, rules?, guard? }'] };
  if ('faults' in catalogue) throw new SystemParametersSetupError([...faults, ...catalogue.faults].join('; '));
  if (faults.length > 0) throw new SystemParametersSetupError(faults.join('; '));
  return {
    catalogue,
    source,
    notifier: notifier ?? null,
    maxAgeMillis,
    timeoutMillis,
    onChange: given.onChange?.bind(given) ?? null,
    now,
    warn: given.warn ?? (() => {}),
  };
}

function isTable(table: Partial<ParameterTable> | null | undefined): boolean {
  const { definitions, rules, guard } = table ?? {};
  const isDefinitions =
    typeof definitions === 'object' &&
    definitions !== null &&
    Object.values(definitions).every((definition) => typeof definition === 'object' && definition !== null);
  return isDefinitions && [rules, guard].every((part) => part === undefined || typeof part === 'function');
}

function hasMethods(owner: unknown, methods: readonly string[]): boolean {
  if (typeof owner !== 'object' || owner === null) return false;
  return methods.every((method) => typeof Reflect.get(owner, method) === 'function');
}

function millisFault(name: string, value: unknown): string[] {
  const isRight = typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= MAX_MILLIS;
  return isRight ? [] : [`${name} must be a whole number of milliseconds from 1 to ${MAX_MILLIS}`];
}

function functionFault(name: string, value: unknown): string[] {
  return value === undefined || typeof value === 'function' ? [] : [`${name} must be a function`];
}
