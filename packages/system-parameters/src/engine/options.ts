import {
  callback,
  closestName,
  type OptionRules,
  objectWith,
  option,
  optional,
  readOptions,
  unknownNameFaults,
  wholeNumber,
} from '@sallyport/plugin-kit/options';
import { type PluginScope, scopeRule } from '@sallyport/plugin-kit/routes';
import type { ParameterTable, ParameterValue } from '../definitions/index.js';
import { SystemParametersSetupError } from '../errors.js';
import type { ParameterNotifier, ParameterSource } from '../sources/index.js';
import { type ParameterCatalogue, readTables } from './parameter-catalogue.js';

/** A change that is about to be committed, for the audit log. */
export interface ParameterChange<Request = unknown> {
  readonly key: string;
  /** The value in force before. */
  readonly oldValue: ParameterValue;
  readonly newValue: ParameterValue;
  /** The version of the parameter after the change. */
  readonly version: number;
  readonly changedBy: string;
  /** The request for the change, if there is one. */
  readonly request?: Request | undefined;
  /** The transaction of the source. On PostgreSQL see `transactionOf` of `./postgres`. */
  readonly transaction: unknown;
}

/** An event that an operator should know of. */
export type ParameterWarning =
  /** A stored value is refused, and its fallback is in force. */
  | { readonly kind: 'stored-value-refused'; readonly key: string; readonly reason: string }
  /** The source can't be read. The last good values stay in force. */
  | { readonly kind: 'source-away'; readonly cause: unknown }
  | { readonly kind: 'source-back' }
  /** Changes take up to `maxAgeMillis` to reach this node or the others. */
  | { readonly kind: 'notifier-failed'; readonly cause: unknown }
  /** The notifier receives nothing, as behind a pooler in transaction mode, and polls. */
  | { readonly kind: 'notifier-silent' }
  | { readonly kind: 'notifier-back' };

/** Options of the engine and of the plugin. */
export interface SystemParametersOptions<Request = unknown> {
  /** The definitions, in tables with common rules. A key may be defined once. Required. */
  readonly tables: readonly ParameterTable<ParameterTable['definitions'], Request>[];
  /**
   * The source that stores the values: `createMemorySource()`, or `createPostgresSource()` of `./postgres`. Required.
   */
  readonly source: ParameterSource;
  /**
   * Notifies other nodes of changes: a notifier of `./redis` or `./postgres`. Default: none; the other nodes see a
   * change within `maxAgeMillis`.
   */
  readonly notifier?: ParameterNotifier;
  /**
   * The age up to which a value is used without reading the source again, in milliseconds, 1 to 60 000. Default 1500: a
   * change is in force everywhere within 2 s, even without a notification. Larger values rely on the notifier.
   */
  readonly maxAgeMillis?: number;
  /**
   * The time limit of a call of the source, in milliseconds, 1 to 60 000. Default 900: a change needs two calls and is
   * answered within 2 s.
   */
  readonly timeoutMillis?: number;
  /**
   * Called for every change, when it can certainly be written but is not visible yet. It is awaited before the change
   * is acknowledged. If it rejects, or takes longer than `timeoutMillis`, the change is not made: 503. On PostgreSQL it
   * runs between the statement and the commit; what it writes is part of the change only if it uses the transaction.
   * Default: none.
   */
  onChange?(change: ParameterChange<Request>): void | Promise<void>;
  /** A clock for ages, in milliseconds. Default `performance.now`, which can't be set back. */
  readonly now?: () => number;
}

/** Options of the plugin. */
export interface SystemParametersPluginOptions<Request = unknown> extends SystemParametersOptions<Request> {
  /**
   * The scope of `fastify.systemParameters`: the whole application (`app`), or the scope in which the plugin is
   * registered (`encapsulated`). Default `app`.
   */
  readonly scope?: PluginScope;
}

/** Options of the engine alone. */
export interface SystemParametersEngineOptions<Request = unknown> extends SystemParametersOptions<Request> {
  /** Called once for each warning, not for each read. The plugin logs them. Default: warnings are dropped. */
  readonly warn?: (warning: ParameterWarning) => void;
}

/** The defaults of {@link SystemParametersEngineOptions}. */
export const SYSTEM_PARAMETERS_DEFAULTS = {
  maxAgeMillis: 1500,
  timeoutMillis: 900,
  now: () => performance.now(),
} as const satisfies Partial<SystemParametersEngineOptions>;

/** The maximum number of calls without an outcome. Otherwise, calls would pile up while a source hangs. */
export const MAX_UNSETTLED_CALLS = 100;

const MAX_MILLIS = 60_000;

/** Validated options. */
export interface PluginOptions<Request> {
  /** The definitions of all tables. */
  readonly tables: ParameterCatalogue;
  readonly source: ParameterSource;
  readonly notifier: ParameterNotifier | undefined;
  readonly maxAgeMillis: number;
  readonly timeoutMillis: number;
  readonly onChange: ((change: ParameterChange<Request>) => void | Promise<void>) | undefined;
  readonly now: () => number;
}

export interface EngineOptions<Request> extends PluginOptions<Request> {
  readonly warn: (warning: ParameterWarning) => void;
}

const milliseconds = (byDefault: number) =>
  wholeNumber({ min: 1, max: MAX_MILLIS, unit: 'milliseconds', default: byDefault });

const pluginRules: OptionRules<PluginOptions<unknown>> = {
  tables: option<ParameterCatalogue>({
    meaning: 'a list of { definitions, rules?, guard? }, at least one',
    accepts: (value) => Array.isArray(value) && value.length > 0,
    faults(tables: readonly ParameterTable[], name) {
      const faults = tables.flatMap((table, index) => tableFaults(table, `${name}[${index}]`));
      // A table without definitions is not read.
      return tables.every(hasDefinitions) ? [...faults, ...readTables(tables, name).faults] : faults;
    },
    read: (tables: readonly ParameterTable[]) => readTables(tables, 'tables').catalogue,
  }),
  source: objectWith({
    methods: ['declare', 'read', 'write'],
    meaning: 'a parameter source, such as createMemorySource()',
  }),
  notifier: optional(
    objectWith<ParameterNotifier | undefined>({
      methods: ['publish', 'subscribe'],
      meaning: 'a parameter notifier, such as createRedisNotifier(…)',
    }),
  ),
  maxAgeMillis: milliseconds(SYSTEM_PARAMETERS_DEFAULTS.maxAgeMillis),
  timeoutMillis: milliseconds(SYSTEM_PARAMETERS_DEFAULTS.timeoutMillis),
  onChange: optional(callback<PluginOptions<unknown>['onChange']>({ that: 'takes a change' })),
  now: callback<() => number>({
    that: 'returns milliseconds, such as performance.now',
    default: SYSTEM_PARAMETERS_DEFAULTS.now,
  }),
};

const engineRules: OptionRules<EngineOptions<unknown>> = {
  ...pluginRules,
  warn: callback<(warning: ParameterWarning) => void>({ that: 'takes a warning', default: () => {} }),
};

const TABLE_MEMBERS = ['definitions', 'rules', 'guard'];

/** @throws SystemParametersSetupError with every fault, including those of the definitions */
export function readEngineOptions<Request>(given: SystemParametersEngineOptions<Request>): EngineOptions<Request> {
  const owner = { subject: 'createSystemParameters', SetupError: SystemParametersSetupError };
  return withOwnHook(readOptions<EngineOptions<unknown>>(owner, given, engineRules), given);
}

/** @throws SystemParametersSetupError with every fault, including those of the definitions */
export function readPluginOptions<Request>(
  given: SystemParametersPluginOptions<Request>,
): PluginOptions<Request> & { readonly scope: PluginScope } {
  const owner = { subject: 'system-parameters', SetupError: SystemParametersSetupError, isPlugin: true };
  const rules = { ...pluginRules, scope: scopeRule };
  return withOwnHook(readOptions<PluginOptions<unknown> & { readonly scope: PluginScope }>(owner, given, rules), given);
}

/** `onChange` may be a method of the options that uses `this`. */
function withOwnHook<Options extends PluginOptions<unknown>>(options: Options, given: object): Options {
  return { ...options, onChange: options.onChange?.bind(given) };
}

/** The faults of one table, without those of its definitions. */
function tableFaults(given: unknown, path: string): readonly string[] {
  if (!isObject(given)) return [`${path} must be { definitions, rules?, guard? }`];
  const table: Partial<Record<string, unknown>> = { ...given };
  const misspelt = Object.keys(table).filter((name) => {
    return !TABLE_MEMBERS.includes(name) && closestName(name, TABLE_MEMBERS) !== null;
  });
  const unknown = (names: readonly string[]) => unknownNameFaults(names, TABLE_MEMBERS, { path: `${path}.` });
  if (table.definitions === undefined) {
    // Its members may be definitions. A fault for each of them would hide the missing member.
    return [...unknown(misspelt), `${path} has no definitions: write { definitions: … }`];
  }
  return [
    ...unknown(Object.keys(table)),
    ...(isObject(table.definitions) ? [] : [`${path}.definitions must be an object of definitions`]),
    ...Object.entries(isObject(table.definitions) ? table.definitions : {}).flatMap(([name, definition]) =>
      isObject(definition) ? [] : [`${path}.definitions.${name} must be a definition, an object`],
    ),
    ...['rules', 'guard'].flatMap((name) =>
      table[name] === undefined || typeof table[name] === 'function' ? [] : [`${path}.${name} must be a function`],
    ),
  ];
}

/** Whether the definitions of a table can be read, even if they have faults. */
function hasDefinitions(table: unknown): boolean {
  const definitions: unknown = isObject(table) ? Reflect.get(table, 'definitions') : undefined;
  return isObject(definitions) && Object.values(definitions).every(isObject);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
