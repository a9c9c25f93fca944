import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groupInserts, type NewRecord } from '../src/postgres/grouped-inserts.js';

const record = (name: string): NewRecord => ({ scope: `scope ${name}`, digest: 'digest', owner: name });

/** A database whose statements end when the test says so. */
function createDatabase() {
  const statements: { readonly owners: string[]; end(inserted: string[]): void; fail(error: Error): void }[] = [];
  const insert = groupInserts(
    (records) =>
      new Promise((resolve, reject) => {
        const owners = records.map(({ owner }) => owner);
        statements.push({ owners, end: (inserted) => resolve(new Set(inserted)), fail: reject });
      }),
  );
  return {
    statements,
    insert: (name: string, caller = { gaveUp: false }) => insert(record(name), caller),
    async sent(count: number) {
      await vi.waitFor(() => expect(statements).toHaveLength(count));
      return statements[count - 1] as (typeof statements)[number];
    },
  };
}

describe('PRF-5 idempotency records that begin at the same time', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());

  it('share one statement, and each learns its own outcome', async () => {
    const { insert, sent } = createDatabase();
    const outcomes = Promise.all(['a', 'b', 'c'].map((name) => insert(name)));
    const statement = await sent(1);
    expect(statement.owners).toEqual(['a', 'b', 'c']);
    statement.end(['a', 'c']);
    expect(await outcomes).toEqual([true, false, true]);
  });

  it('share the statement after the one that is under way', async () => {
    const { insert, sent, statements } = createDatabase();
    const first = insert('a');
    const statement = await sent(1);
    const later = Promise.all([insert('b'), insert('c')]);
    expect(statements).toHaveLength(1);
    statement.end(['a']);
    expect(await first).toBe(true);
    const next = await sent(2);
    expect(next.owners).toEqual(['b', 'c']);
    next.end(['b', 'c']);
    expect(await later).toEqual([true, true]);
  });

  it('fail together, and the next statement is sent', async () => {
    const { insert, sent } = createDatabase();
    const failing = Promise.allSettled([insert('a'), insert('b')]);
    (await sent(1)).fail(new Error('connection lost'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = insert('c');
    (await sent(2)).end(['c']);
    expect(await next).toBe(true);
  });

  it('IDM-9 wait 100 ms at most for a statement that hangs', async () => {
    const { insert, sent } = createDatabase();
    void insert('a');
    await sent(1);
    const next = insert('b');
    await vi.advanceTimersByTimeAsync(100);
    (await sent(2)).end(['b']);
    expect(await next).toBe(true);
  });

  it('IDM-9 are not sent after their caller has given up', async () => {
    const { insert, sent } = createDatabase();
    void insert('a');
    const statement = await sent(1);
    const caller = { gaveUp: false };
    const left = insert('b', caller).catch(() => 'rejected');
    const kept = insert('c');
    caller.gaveUp = true;
    statement.end(['a']);
    const next = await sent(2);
    expect(next.owners).toEqual(['c']);
    next.end(['c']);
    expect(await kept).toBe(true);
    // Until it ends, it counts as a call without an answer.
    expect(await left).toBe('rejected');
  });

  it('are at most a hundred in one statement', async () => {
    const { insert, sent } = createDatabase();
    const names = Array.from({ length: 101 }, (_, index) => String(index));
    const all = Promise.all(names.map((name) => insert(name)));
    const first = await sent(1);
    expect(first.owners).toHaveLength(100);
    first.end(first.owners);
    (await sent(2)).end(['100']);
    expect(await all).toEqual(Array(101).fill(true));
  });
});
