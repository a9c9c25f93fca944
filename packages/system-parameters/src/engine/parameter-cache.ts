import { SystemParametersUnavailableError } from '../errors.js';
import type { ParameterRow } from '../sources/index.js';
import type { Evaluation } from './parameter-catalogue.js';

/** All rows at one moment, and their values. */
export interface Snapshot extends Evaluation {
  readonly rows: ReadonlyMap<string, ParameterRow>;
  /** The time at which the query was sent, by the cache's clock. The values are not older. */
  readonly readAt: number;
  /** The number of changes that were known when the query was sent. */
  readonly generation: number;
}

export type CacheHealth =
  /** Nothing has been read yet, so there are no values. */
  | { readonly state: 'never-read'; readonly ageMillis: null }
  /** The last query succeeded. */
  | { readonly state: 'current'; readonly ageMillis: number }
  /** The source is unavailable. The last good values are in force. */
  | { readonly state: 'last-good'; readonly ageMillis: number };

export interface ParameterCache {
  /** The result of `current` without I/O. Null if it would read. */
  atHand(): Snapshot | null;
  /** Fresh values, without I/O if possible. The last good values while the source is unavailable. */
  current(): Promise<Snapshot>;
  /** The values of a query that is sent after this call. Rejects while the source is unavailable. */
  readNow(): Promise<Snapshot>;
  /** Marks the snapshot as outdated, because there may be a change. */
  invalidate(): void;
  /**
   * Adds a row that this node has just written, based on `basis`. Every later `current` has this row or a newer one.
   */
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

/** While the source is unavailable, one read per interval tries it. The others get the last good values at once. */
const RETRY_MILLIS = 500;

export function createParameterCache(options: CacheOptions): ParameterCache {
  const { load, evaluate, maxAgeMillis, now, onInstall, onAvailability } = options;
  let snapshot: Snapshot | null = null;
  /** The number of events that have made older queries outdated. */
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
      // This node has written since the query was sent, so the rows may not include that write.
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

  /** One query runs at a time. A caller waits for it if it is new enough, or else for the next one. */
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
      // Newer than every running query, so that none of them reverts the row. Newer by one more if the snapshot was
      // already outdated, so that it stays outdated.
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
