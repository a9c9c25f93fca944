import { SystemParametersUnavailableError } from '../errors.js';
import type { ParameterRow } from '../sources/index.js';
import type { Evaluation } from './parameter-catalogue.js';

/** All rows at one moment, and the values that they evaluate to. */
export interface Snapshot extends Evaluation {
  readonly rows: ReadonlyMap<string, ParameterRow>;
  /** When the query was sent, by the cache's clock. The values are no older. */
  readonly readAt: number;
  /** How many changes were known when the query was sent. */
  readonly generation: number;
}

export type CacheHealth =
  /** Nothing has been read yet, so there are no values. */
  | { readonly state: 'never-read'; readonly ageMillis: null }
  /** The last query succeeded. */
  | { readonly state: 'current'; readonly ageMillis: number }
  /** The source is away; the last good values are in force. */
  | { readonly state: 'last-good'; readonly ageMillis: number };

export interface ParameterCache {
  /** What `current` would return without I/O; null if it would read. */
  atHand(): Snapshot | null;
  /** Fresh values, without I/O if possible; the last good ones while the source is away. */
  current(): Promise<Snapshot>;
  /** The values of a query that is sent after this call. Rejects while the source is away. */
  readNow(): Promise<Snapshot>;
  /** Marks the snapshot as outdated: there may be a change. */
  invalidate(): void;
  /** Adds a row that this node has just written, based on `basis`. Every later `current` has it, or a newer one. */
  take(row: ParameterRow, basis: Snapshot): Snapshot;
  health(): CacheHealth;
}

export interface CacheOptions {
  readonly load: () => Promise<readonly ParameterRow[]>;
  readonly evaluate: (rows: ReadonlyMap<string, ParameterRow>) => Evaluation;
  readonly maxAgeMillis: number;
  readonly now: () => number;
  readonly onInstall: (snapshot: Snapshot) => void;
  readonly onAvailability: (availability: 'away' | 'back', cause: unknown) => void;
}

/** While the source is away, one read per this interval asks it; the others get the last good values at once. */
const RETRY_MILLIS = 500;

export function createParameterCache(options: CacheOptions): ParameterCache {
  const { load, evaluate, maxAgeMillis, now, onInstall, onAvailability } = options;
  let snapshot: Snapshot | null = null;
  /** Counts the events that make older queries outdated. */
  let generation = 0;
  let query: { readonly generation: number; readonly outcome: Promise<Snapshot> } | null = null;
  let failedAt: number | null = null;

  function isWithin(since: number, millis: number): boolean {
    const age = now() - since;
    // A negative age means that the clock was set back.
    return age >= 0 && age < millis;
  }

  function install(rows: ReadonlyMap<string, ParameterRow>, readAt: number, asOf: number): Snapshot {
    snapshot = { rows, readAt, generation: asOf, ...evaluate(rows) };
    onInstall(snapshot);
    return snapshot;
  }

  async function runQuery(asOf: number): Promise<Snapshot> {
    const readAt = now();
    try {
      const rows = await load();
      if (failedAt !== null) onAvailability('back', null);
      failedAt = null;
      // This node has written since the query was sent, so the rows may be older than that write.
      if (snapshot !== null && snapshot.generation > asOf) return snapshot;
      return install(new Map(rows.map((row) => [row.key, row])), readAt, asOf);
    } catch (cause) {
      if (failedAt === null) onAvailability('away', cause);
      failedAt = now();
      throw new SystemParametersUnavailableError({ cause });
    } finally {
      query = null;
    }
  }

  /** One query at a time. A caller waits for the running one if that is new enough, else for the next. */
  async function refresh(): Promise<Snapshot> {
    const needed = generation;
    while (query !== null && query.generation < needed) await query.outcome.catch(() => {});
    query ??= { generation, outcome: runQuery(generation) };
    return query.outcome;
  }

  function atHand(): Snapshot | null {
    const isFresh = snapshot?.generation === generation && isWithin(snapshot.readAt, maxAgeMillis);
    return isFresh || (failedAt !== null && isWithin(failedAt, RETRY_MILLIS)) ? snapshot : null;
  }

  return {
    atHand,

    async current() {
      const ready = atHand();
      if (ready !== null) return ready;
      try {
        return await refresh();
      } catch (error) {
        if (snapshot !== null) return snapshot;
        throw error;
      }
    },

    readNow() {
      generation += 1;
      return refresh();
    },

    invalidate() {
      generation += 1;
    },

    take(row, basis) {
      const { rows, readAt, generation: before } = snapshot ?? basis;
      const wasOutdated = before !== generation;
      // Newer than every query under way, so that none of them takes the row back. One newer still if the snapshot was
      // outdated already, so that it stays outdated.
      const asOf = generation + 1;
      generation = wasOutdated ? asOf + 1 : asOf;
      return install(new Map(rows).set(row.key, row), readAt, asOf);
    },

    health() {
      if (snapshot === null) return { state: 'never-read', ageMillis: null };
      return { state: failedAt === null ? 'current' : 'last-good', ageMillis: Math.max(0, now() - snapshot.readAt) };
    },
  };
}
