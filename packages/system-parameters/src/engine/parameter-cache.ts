import { SystemParametersUnavailableError } from '../errors.js';
import type { ParameterRow } from '../sources/index.js';
import type { Evaluation } from './parameter-catalogue.js';

/** All rows as they were at one moment, and the values that they yield. */
export interface Snapshot extends Evaluation {
  readonly rows: ReadonlyMap<string, ParameterRow>;
  /** When the query was sent, on the cache's clock: the values are no older. */
  readonly readAt: number;
  /** How many changes were known of when the query was sent. */
  readonly generation: number;
}

export type CacheHealth =
  /** Nothing was read yet: there are no values. */
  | { readonly state: 'never-read'; readonly ageMillis: null }
  /** The last query succeeded. */
  | { readonly state: 'current'; readonly ageMillis: number }
  /** The source is away; the last good values rule. */
  | { readonly state: 'last-good'; readonly ageMillis: number };

export interface ParameterCache {
  /** What `current` would yield without I/O; null where it would read. */
  atHand(): Snapshot | null;
  /** Fresh values, without I/O if they are at hand; the last good ones while the source is away. */
  current(): Promise<Snapshot>;
  /** What the source says now: by a query sent after this call. Rejects while the source is away. */
  readNow(): Promise<Snapshot>;
  /** There may be something new. */
  invalidate(): void;
  /** A row that this node has just written, on the ground of `basis`. Every later `current` yields it, or newer. */
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

/** While the source is away, one read in so many milliseconds waits for it; the others get the last good values at once. */
const RETRY_MILLIS = 500;

export function createParameterCache(options: CacheOptions): ParameterCache {
  const { load, evaluate, maxAgeMillis, now, onInstall, onAvailability } = options;
  let snapshot: Snapshot | null = null;
  /** Counts what made older queries outdated. */
  let generation = 0;
  let query: { readonly generation: number; readonly outcome: Promise<Snapshot> } | null = null;
  let failedAt: number | null = null;

  function isWithin(since: number, millis: number): boolean {
    const age = now() - since;
    // A clock that was set back says nothing about age.
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
      // This node has written since the query was sent: what it brings may be older than that.
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

  /** One query at a time; whoever needs what it brings waits for it, and whoever needs newer for the next one. */
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
      // One more than every query on its way, so that none of them takes the row back; and one more again if there is
      // news that the snapshot hasn't got, so that it stays outdated.
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
