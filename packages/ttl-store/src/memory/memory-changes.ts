import {
  addToCounter,
  assertChanges,
  type Change,
  type Counter,
  isCount,
  isExpected,
  isWithin,
  isWrite,
  type TtlStore,
} from '../contract/index.js';

interface LiveEntry {
  readonly value: string;
  readonly expiresAt: number;
}

interface MemoryChangesDependencies<Entry extends LiveEntry> {
  readonly now: () => number;
  readonly findLive: (key: string, moment: number) => Entry | undefined;
  readonly add: (key: string, value: string, expiresAt: number, moment: number) => void;
  readonly replace: (entry: Entry, value: string, expiresAt: number, moment: number) => void;
  readonly drop: (entry: Entry) => void;
  /** Throws if there is no room. */
  readonly makeRoom: (moreEntries: number, moreBytes: number, moment: number) => void;
}

/** A change whose condition holds, and what is to be written for it. Null: nothing. */
interface Planned<Entry> {
  readonly key: string;
  readonly entry: Entry | undefined;
  readonly write: { readonly value: string; readonly expiresAt: number } | 'delete' | null;
  readonly counter: Counter | null;
}

export function createMemoryChanges<Entry extends LiveEntry>(
  dependencies: MemoryChangesDependencies<Entry>,
): NonNullable<TtlStore['changeAll']> {
  const { now, findLive, add, replace, drop, makeRoom } = dependencies;

  /** Null if the condition of the change does not hold. */
  function plan(change: Change, moment: number): Planned<Entry> | null {
    const { key } = change;
    const entry = findLive(key, moment);
    if (!isCount(change)) {
      if (!isExpected(change, entry?.value ?? null)) return null;
      if (!isWrite(change)) return { key, entry, write: null, counter: null };
      const { value } = change;
      const write = value === null ? 'delete' : { value, expiresAt: moment + change.ttlMillis };
      return { key, entry, write, counter: null };
    }
    const value = addToCounter(entry?.value ?? '0', change.by);
    if (!isWithin(change, value)) return null;
    const expiresAt = entry?.expiresAt ?? moment + change.ttlMillis;
    const counter = { value, remainingMillis: Math.max(1, Math.ceil(expiresAt - moment)) };
    return { key, entry, write: { value: String(value), expiresAt }, counter };
  }

  /** Makes room for all of them, so that none fails after another was carried out. */
  function makeRoomFor(planned: readonly Planned<Entry>[], moment: number): void {
    let entries = 0;
    let bytes = 0;
    for (const { key, entry, write } of planned) {
      if (write === null || write === 'delete') continue;
      if (entry === undefined) {
        entries += 1;
        bytes += Buffer.byteLength(key) + Buffer.byteLength(write.value);
      } else bytes += Math.max(0, Buffer.byteLength(write.value) - Buffer.byteLength(entry.value));
    }
    if (entries + bytes > 0) makeRoom(entries, bytes, moment);
  }

  return async function changeAll(changes) {
    assertChanges(changes);
    const moment = now();
    const planned: Planned<Entry>[] = [];
    for (const change of changes) {
      const next = plan(change, moment);
      if (next === null) {
        return { done: false, values: changes.map(({ key }) => findLive(key, moment)?.value ?? null) };
      }
      planned.push(next);
    }
    makeRoomFor(planned, moment);
    for (const { key, entry, write } of planned) {
      if (write === null) continue;
      if (write === 'delete') {
        if (entry !== undefined) drop(entry);
      } else if (entry === undefined) add(key, write.value, write.expiresAt, moment);
      else replace(entry, write.value, write.expiresAt, moment);
    }
    return { done: true, counters: planned.map(({ counter }) => counter) };
  };
}
