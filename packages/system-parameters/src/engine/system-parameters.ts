import { createBoundedCall } from '../bounded-call.js';
import type { ParameterDefinitions, ParameterType, ParameterValue, ParameterValues } from '../definitions/index.js';
import { rangeOf } from '../definitions/index.js';
import { ParameterUnknownError, SystemParametersUnavailableError } from '../errors.js';
import type { ParameterSubscription } from '../sources/index.js';
import { checkOptions, type SystemParametersEngineOptions } from './options.js';
import { type CacheHealth, createParameterCache, type Snapshot } from './parameter-cache.js';
import type { CatalogueEntry } from './parameter-catalogue.js';
import { type ChangeRequest, createParameterChanges } from './parameter-change.js';
import { createWarningFilter } from './warning-filter.js';

/** A parameter as an administrator sees it. */
export interface ParameterView {
  readonly key: string;
  readonly type: ParameterType;
  /** What is in force. */
  readonly value: ParameterValue;
  readonly defaultValue: ParameterValue;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly isPublic: boolean;
  readonly description: string;
  /** To be sent back with a change. 0: never changed. */
  readonly version: number;
  readonly updatedBy: string | null;
  readonly updatedAt: Date | null;
  /** Why the stored value is not in force, if it isn't. */
  readonly fault: string | null;
}

/** How the parameters are, for health checks. */
export type SystemParametersHealth = CacheHealth & {
  /** Stored values that are not in force. */
  readonly faults: readonly { readonly key: string; readonly reason: string }[];
};

/** `fastify.systemParameters`, and the engine for use without Fastify. */
export interface SystemParameters<Request = unknown> {
  /** The values of these definitions, which have to be of the tables given. No I/O while they are fresh. Rejects with 503 only if they were never read. Requirement SYS-3. */
  read<Definitions extends ParameterDefinitions>(definitions: Definitions): Promise<ParameterValues<Definitions>>;
  /**
   * What `read` would yield without I/O, at once; null where it would read first. For what asks at every request:
   * `parameters.atHand(definitions) ?? (await parameters.read(definitions))`. Requirement SYS-3.
   */
  atHand<Definitions extends ParameterDefinitions>(definitions: Definitions): ParameterValues<Definitions> | null;
  /** All parameters, by key. Requirement SYS-5. */
  list(): Promise<readonly ParameterView[]>;
  /** One parameter; rejects with `ParameterUnknownError` if there is none of this key. */
  find(key: string): Promise<ParameterView>;
  /** Changes one parameter, and resolves to it as it is now. Requirement SYS-2. */
  change(change: ChangeRequest<Request>): Promise<ParameterView>;
  /** By key, what anybody may read: flagged public in the table, and declared publishable by the code. Requirement SYS-4. */
  publicValues(): Promise<Readonly<Record<string, ParameterValue>>>;
  health(): SystemParametersHealth;
}

/** The engine, with its beginning and its end. */
export interface SystemParametersEngine<Request = unknown> extends SystemParameters<Request> {
  /** Makes missing rows, reads all values, and listens to the notifier. Rejects with 503 if there are no values to begin with. */
  start(): Promise<void>;
  /** Ends the subscription. The source and its client stay open: they are yours. */
  close(): Promise<void>;
}

/** How long the first calls may take, in milliseconds: a connection has to be made. Less than Fastify gives a plugin. */
const START_TIMEOUT_MILLIS = 4000;

/** @throws SystemParametersSetupError naming every fault of options and definitions. */
export function createSystemParameters<Request = unknown>(
  given: SystemParametersEngineOptions<Request>,
): SystemParametersEngine<Request> {
  const options = checkOptions(given);
  const { catalogue, source, notifier, warn } = options;
  const bounded = createBoundedCall(options.timeoutMillis);
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
  let isRefreshing = false;

  function takeNotice(): void {
    cache.invalidate();
    if (isRefreshing) return;
    // At once, so that the next reader needn't wait. If it fails, that reader tries again.
    isRefreshing = true;
    setImmediate(() => {
      isRefreshing = false;
      cache.current().catch(() => {});
    });
  }

  /** What each reader was given last: it asks for every request, and gets the same until a snapshot replaces another. */
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
    if (notifier === null) return;
    // Without it changes come by age: no reason to refuse the start, nor to wait for long.
    await bounded(async () => {
      subscription = notifier.subscribe(takeNotice);
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
      // Nobody waits for it: a subscriber that isn't reached learns by age.
      if (notifier !== null) bounded(() => notifier.publish()).catch(notifierFailed);
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
      return { ...cache.health(), faults: warnOfFaults.reported() };
    },
  };
}

function viewOf({ definition }: CatalogueEntry, { rows, values, faults }: Snapshot): ParameterView {
  const { key, type, description } = definition;
  const row = rows.get(key);
  const { minimum = null, maximum = null } =
    definition.type === 'INTEGER' || definition.type === 'LONG' ? rangeOf(definition) : {};
  return {
    key,
    type,
    value: values.get(key)!,
    defaultValue: definition.default,
    minimum,
    maximum,
    isPublic: definition.isPublic && (row?.isPublic ?? true),
    description,
    version: row?.version ?? 0,
    updatedBy: row?.updatedBy ?? null,
    updatedAt: row?.updatedAt ?? null,
    fault: faults.get(key) ?? null,
  };
}
