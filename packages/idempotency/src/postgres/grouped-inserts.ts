import type { Caller } from '@sallyport/plugin-kit/deadlines';

/** More requests than this are rarely in flight, and a statement with as many rows still takes milliseconds. */
const MAX_GROUP = 100;

/** A statement takes about a millisecond. A statement on a hanging connection must not delay the others. */
const MAX_WAIT_MILLIS = 100;

/** A record to insert. */
export interface NewRecord {
  readonly scope: string;
  readonly digest: string;
  /** A token that no other record has. */
  readonly owner: string;
}

interface Call {
  readonly record: NewRecord;
  readonly caller: Caller;
  resolve(isInserted: boolean): void;
  reject(error: unknown): void;
}

/** Resolves to whether the record was inserted. A record is not sent if its caller has already given up. */
export type GroupedInsert = (record: NewRecord, caller: Caller) => Promise<boolean>;

/**
 * Runs one statement at a time. Records that arrive in the meantime share the next one. Under load, a statement, its
 * commit and its round trip therefore serve many requests. After `MAX_WAIT_MILLIS` the next statement no longer waits.
 *
 * @param insertAll resolves to the owners of the records that were inserted
 */
export function groupInserts(
  insertAll: (records: readonly NewRecord[]) => Promise<ReadonlySet<string>>,
): GroupedInsert {
  const waiting: Call[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    // Requests of the same turn of the event loop share the first statement.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const calls = waiting.splice(0, MAX_GROUP);
      // Each call must end: the callers' bound counts those that have not.
      for (const { reject } of calls.filter(({ caller }) => caller.gaveUp)) reject(new Error('Its caller gave up'));
      const wanted = calls.filter(({ caller }) => !caller.gaveUp);
      if (wanted.length > 0) await endOrLimit(insertGroup(wanted));
    }
    isDraining = false;
  }

  async function insertGroup(calls: readonly Call[]): Promise<void> {
    try {
      const owners = await insertAll(calls.map(({ record }) => record));
      for (const { record, resolve } of calls) resolve(owners.has(record.owner));
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  return (record, caller) =>
    new Promise((resolve, reject) => {
      waiting.push({ record, caller, resolve, reject });
      if (!isDraining) void drain();
    });
}

/** Resolves when the work has ended, or takes longer than the limit. */
function endOrLimit(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_WAIT_MILLIS);
    void work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
