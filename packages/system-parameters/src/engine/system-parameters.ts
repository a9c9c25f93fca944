import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import {
  DEFAULT_MAX_LENGTH,
  PARAMETER_UNITS,
  type ParameterDefinitions,
  type ParameterGroup,
  type ParameterTexts,
  type ParameterType,
  type ParameterUnit,
  type ParameterValue,
  type ParameterValues,
  rangeOf,
} from '../definitions/index.js';
import { ParameterUnknownError, SystemParametersUnavailableError } from '../errors.js';
import type { ParameterSubscription } from '../sources/index.js';
import {
  type EngineOptions,
  MAX_UNSETTLED_CALLS,
  type ParameterWarning,
  readEngineOptions,
  type SystemParametersEngineOptions,
} from './options.js';
import { type CacheHealth, createParameterCache, type Snapshot } from './parameter-cache.js';
import type { CatalogueEntry } from './parameter-catalogue.js';
import { type ChangeRequest, createParameterChanges } from './parameter-change.js';

/** A parameter as an administrator sees it. */
export interface ParameterView {
  readonly key: string;
  readonly type: ParameterType;
  /** The value in force. */
  readonly value: ParameterValue;
  readonly defaultValue: ParameterValue;
  readonly minimum: number | null;
  readonly maximum: number | null;
  /** The maximum length of a STRING, in characters. */
  readonly maxLength: number | null;
  /** The only values that a STRING may have. Null: any text, or another type. */
  readonly values: readonly string[] | null;
  /** The unit of the number, with its names for people. */
  readonly unit: { readonly name: ParameterUnit; readonly texts: ParameterTexts } | null;
  readonly group: ParameterGroup | null;
  readonly isPublic: boolean;
  readonly description: string;
  /** The description by language. */
  readonly texts: ParameterTexts;
  /** The version, which a change has to repeat. 0: never changed. */
  readonly version: number;
  readonly updatedBy: string | null;
  readonly updatedAt: Date | null;
  /** The reason why the stored value is not in force, if it isn't. */
  readonly fault: string | null;
}

/** The state of the parameters, for health checks. */
export type SystemParametersHealth = CacheHealth & {
  /** Stored values that are not in force. */
  readonly faults: readonly { readonly key: string; readonly reason: string }[];
  /** False while the notifier receives nothing and polls. Absent if that never happened. */
  readonly isNotified?: boolean;
};

/** `fastify.systemParameters`, and the engine for use without Fastify. */
export interface SystemParameters<Request = unknown> {
  /**
   * The values of these definitions, which must belong to the given tables. No I/O while they are fresh. Rejects with
   * 503 only if nothing was ever read.
   */
  read<Definitions extends ParameterDefinitions>(definitions: Definitions): Promise<ParameterValues<Definitions>>;
  /**
   * The result of `read` without I/O. Null if it would read first. For callers that read at every request:
   * `parameters.atHand(definitions) ?? (await parameters.read(definitions))`.
   */
  atHand<Definitions extends ParameterDefinitions>(definitions: Definitions): ParameterValues<Definitions> | null;
  /** All parameters, by key. */
  list(): Promise<readonly ParameterView[]>;
  /** One parameter. Rejects with `ParameterUnknownError` if no definition has this key. */
  find(key: string): Promise<ParameterView>;
  /** Changes one parameter, and resolves to it after the change. */
  change(change: ChangeRequest<Request>): Promise<ParameterView>;
  /** The public values, by key: public by their definition, and not hidden by their row. */
  publicValues(): Promise<Readonly<Record<string, ParameterValue>>>;
  health(): SystemParametersHealth;
}

/** The engine with its life cycle. */
export interface SystemParametersEngine<Request = unknown> extends SystemParameters<Request> {
  /**
   * Creates missing rows, reads all values and subscribes to the notifier. Rejects with 503 if no values can be read.
   */
  start(): Promise<void>;
  /** Ends the subscription. The source and its client stay open, because they belong to the application. */
  close(): Promise<void>;
}

/**
 * The time limit of the first calls, which include connecting. It is shorter than Fastify's time limit for a plugin.
 */
const START_TIMEOUT_MILLIS = 4000;

/**
 * The engine without Fastify.
 *
 * @example
 * ```ts
 * const parameters = createSystemParameters({ tables: [table], source: createMemorySource() });
 * await parameters.start();
 * assert.equal((await parameters.read(definitions)).opens, 8);
 * const late = { key: 'shop.opens', value: 21, version: 0, changedBy: 'ada' };
 * await assert.rejects(parameters.change(late), { code: 'PARAMETER_INVALID' });
 * await parameters.close();
 * ```
 *
 * @throws SystemParametersSetupError with every fault of options and definitions
 */
export function createSystemParameters<Request = unknown>(
  options: SystemParametersEngineOptions<Request>,
): SystemParametersEngine<Request> {
  return createEngine(readEngineOptions(options));
}

export function createEngine<Request>(options: EngineOptions<Request>): SystemParametersEngine<Request> {
  const { tables: catalogue, source, notifier, timeoutMillis, warn } = options;
  const bounded = createBoundedCall({ timeoutMillis, maxUnsettled: MAX_UNSETTLED_CALLS });
  const warnOfFaults = createWarningFilter(warn);
  let hasStarted = false;
  const cache = createParameterCache({
    ...options,
    load: () => bounded(() => source.read(catalogue.keys), hasStarted ? undefined : START_TIMEOUT_MILLIS),
    evaluate: catalogue.evaluate,
    onInstall: warnOfFaults,
    onAvailability: (availability, cause) =>
      warn(availability === 'away' ? { kind: 'source-away', cause } : { kind: 'source-back' }),
  });
  const makeChange = createParameterChanges(options, cache);
  const notifierFailed = (cause: unknown) => warn({ kind: 'notifier-failed', cause });
  let subscription: ParameterSubscription | null = null;
  let isNotified: boolean | null = null;
  let isRefreshing = false;

  function takeNotice(): void {
    cache.invalidate();
    if (isRefreshing) return;
    // Read at once, so that the next reader needn't wait. If it fails, that reader tries again.
    isRefreshing = true;
    setImmediate(() => {
      isRefreshing = false;
      cache.current().catch(() => {});
    });
  }

  function takeHearing(isHeard: boolean): void {
    isNotified = isHeard;
    warn({ kind: isHeard ? 'notifier-back' : 'notifier-silent' });
  }

  /** Memoizes the values of each reader until the next snapshot, because some readers read at every request. */
  const readings = new WeakMap<ParameterDefinitions, { readonly snapshot: Snapshot; readonly values: object }>();

  function valuesOf<Definitions extends ParameterDefinitions>(
    definitions: Definitions,
    { values }: Snapshot,
  ): ParameterValues<Definitions> {
    const foreign = Object.values(definitions).find(({ key }) => catalogue.find(key) === null);
    if (foreign !== undefined) throw new TypeError(`${foreign.key} is in none of the tables of system-parameters`);
    const named = Object.entries(definitions).map(([name, { key }]) => [name, values.get(key)]);
    return Object.freeze(Object.fromEntries(named)) as ParameterValues<Definitions>;
  }

  function readingOf<Definitions extends ParameterDefinitions>(
    definitions: Definitions,
    snapshot: Snapshot,
  ): ParameterValues<Definitions> {
    const known = readings.get(definitions);
    if (known?.snapshot === snapshot) return known.values as ParameterValues<Definitions>;
    const values = valuesOf(definitions, snapshot);
    readings.set(definitions, { snapshot, values });
    return values;
  }

  async function subscribe(): Promise<void> {
    if (notifier === undefined) return;
    // Without notifications nodes see changes by age, so a failure must not refuse or delay the start.
    await bounded(async () => {
      subscription = notifier.subscribe(takeNotice, takeHearing);
      await subscription.active;
    }).catch(notifierFailed);
  }

  return {
    async start() {
      await bounded(() => source.declare(catalogue.declared()), START_TIMEOUT_MILLIS).catch((cause: unknown) => {
        throw new SystemParametersUnavailableError({ cause });
      });
      await subscribe();
      await cache.readNow();
      hasStarted = true;
    },

    async close() {
      const ending = subscription;
      subscription = null;
      if (ending !== null) await bounded(() => ending.end()).catch(() => {});
    },

    async read<Definitions extends ParameterDefinitions>(definitions: Definitions) {
      return readingOf(definitions, await cache.current());
    },

    atHand<Definitions extends ParameterDefinitions>(definitions: Definitions) {
      const snapshot = cache.atHand();
      return snapshot === null ? null : readingOf(definitions, snapshot);
    },

    async list() {
      const snapshot = await cache.current();
      return catalogue.entries.map((entry) => viewOf(entry, snapshot));
    },

    async find(key) {
      const entry = catalogue.find(key);
      if (entry === null) throw new ParameterUnknownError();
      return viewOf(entry, await cache.current());
    },

    async change(asked) {
      const snapshot = await makeChange(asked);
      // The notification is not awaited. Subscribers that miss it see the change by age.
      if (notifier !== undefined) bounded(() => notifier.publish()).catch(notifierFailed);
      return viewOf(catalogue.find(asked.key)!, snapshot);
    },

    async publicValues() {
      const { rows, values } = await cache.current();
      const published = catalogue.entries.filter(
        ({ definition: { key, isPublic } }) => isPublic && (rows.get(key)?.isPublic ?? true),
      );
      return Object.fromEntries(published.map(({ definition: { key } }) => [key, values.get(key)!]));
    },

    health() {
      return { ...cache.health(), faults: warnOfFaults.reported(), ...(isNotified !== null && { isNotified }) };
    },
  };
}

function viewOf({ definition }: CatalogueEntry, { rows, values, faults }: Snapshot): ParameterView {
  const { key, type, description, group = null, translations = {} } = definition;
  const row = rows.get(key);
  const { minimum = null, maximum = null } =
    definition.type === 'INTEGER' || definition.type === 'LONG' ? rangeOf(definition) : {};
  const unit = 'unit' in definition ? (definition.unit ?? null) : null;
  return {
    key,
    type,
    value: values.get(key)!,
    defaultValue: definition.default,
    minimum,
    maximum,
    maxLength: definition.type === 'STRING' ? (definition.maxLength ?? DEFAULT_MAX_LENGTH) : null,
    values: definition.type === 'STRING' ? (definition.values ?? null) : null,
    unit: unit === null ? null : { name: unit, texts: PARAMETER_UNITS[unit] },
    group,
    isPublic: definition.isPublic && (row?.isPublic ?? true),
    description,
    texts: { ...translations, en: description },
    version: row?.version ?? 0,
    updatedBy: row?.updatedBy ?? null,
    updatedAt: row?.updatedAt ?? null,
    fault: faults.get(key) ?? null,
  };
}

/** Warns of each stored value that is not in force, once per reason. `reported` lists the present ones. */
function createWarningFilter(warn: (warning: ParameterWarning) => void) {
  let known: ReadonlyMap<string, string> = new Map();

  function warnOfFaults({ faults }: Snapshot): void {
    const before = known;
    known = faults;
    for (const [key, reason] of faults) {
      if (before.get(key) !== reason) warn({ kind: 'stored-value-refused', key, reason });
    }
  }

  return Object.assign(warnOfFaults, {
    reported: () => [...known].map(([key, reason]) => ({ key, reason })),
  });
}
