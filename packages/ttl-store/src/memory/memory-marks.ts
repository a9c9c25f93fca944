import { randomUUID } from 'node:crypto';
import {
  assertKey,
  assertMark,
  assertMarkedEntry,
  assertPart,
  assertWrite,
  isHeld,
  type MarkedEntry,
  type MarkedWrite,
  type MarkSight,
  type MarkTerms,
  NO_BOUNDS,
  refusalOf,
  type StoreMarks,
  type TtlStore,
} from '../contract/index.js';

interface MarkEntry {
  readonly value: string;
  readonly expiresAt: number;
}

export interface MemoryMarksDependencies<Entry extends MarkEntry> {
  readonly now: () => number;
  readonly findLive: (key: string, moment: number) => Entry | undefined;
  readonly add: (key: string, value: string, expiresAt: number, moment: number) => void;
  readonly replace: (entry: Entry, value: string, expiresAt: number, moment: number) => void;
  readonly compareAndSet: TtlStore['compareAndSet'];
}

/** The marks of a store in memory: one part. The verbs are atomic because they await nothing. */
export function createMemoryMarks<Entry extends MarkEntry>(dependencies: MemoryMarksDependencies<Entry>): StoreMarks {
  const { now, findLive, add, replace, compareAndSet } = dependencies;

  /** Each start creates another store in memory, so the run changes. */
  const run = randomUUID();

  function sightOf(mark: MarkTerms, moment: number): MarkSight {
    const entry = findLive(mark.key, moment);
    const sight = { time: Math.floor(moment), run, value: entry?.value ?? null, expiresAt: entry?.expiresAt ?? 0 };
    return { ...sight, holds: isHeld(sight, mark) };
  }

  function writeMarked(mark: MarkTerms, entry: MarkedEntry, moment: number): MarkedWrite {
    const sight = sightOf(mark, moment);
    const { key, value, ttlMillis, keepUntil, notBefore, notAfter } = entry;
    const isAbsent = sight.holds && findLive(key, moment) === undefined;
    if (!isAbsent || sight.time < notBefore || sight.time > notAfter) {
      return { ...sight, outcome: refusalOf(sight, entry) };
    }
    add(key, value, Math.max(moment + ttlMillis, keepUntil), moment);
    return { ...sight, outcome: 'written' };
  }

  return {
    parts: 1,

    async keep(part, mark, ttlMillis) {
      assertPart(part, 1);
      assertMark(mark);
      assertWrite(mark.key, mark.value, ttlMillis);
      const moment = now();
      const sight = sightOf(mark, moment);
      const entry = findLive(mark.key, moment);
      if (!sight.holds || entry === undefined || entry.expiresAt >= moment + ttlMillis) return sight;
      replace(entry, mark.value, moment + ttlMillis, moment);
      return { ...sight, expiresAt: moment + ttlMillis };
    },

    async replace(part, key, expected, value, ttlMillis, { minExpiresAt, notAfter } = NO_BOUNDS) {
      assertPart(part, 1);
      const moment = now();
      const present = expected === null ? undefined : findLive(key, moment);
      if (present !== undefined && (present.expiresAt < minExpiresAt || moment > notAfter)) return false;
      return compareAndSet(key, expected, value, ttlMillis);
    },

    async setIfAbsent(part, mark, entry) {
      assertPart(part, 1);
      assertMark(mark);
      assertMarkedEntry(entry);
      return writeMarked(mark, entry, now());
    },

    async get(part, mark, key) {
      assertPart(part, 1);
      assertMark(mark);
      assertKey(key);
      const moment = now();
      const { holds } = sightOf(mark, moment);
      return { holds, value: holds ? (findLive(key, moment)?.value ?? null) : null };
    },

    keyIn(part, key) {
      assertPart(part, 1);
      return key;
    },
  };
}
