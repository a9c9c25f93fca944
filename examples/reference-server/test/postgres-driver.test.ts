import type postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../scripts/test-database.js';

/** What `scripts/patches/` mends in the driver. Without it the first test ends the process, and in the second a statement counts by itself. */
describe('a connection to PostgreSQL that breaks within a transaction', () => {
  let database: TestDatabase;
  let onlooker: postgres.Sql;
  beforeAll(async () => {
    database = await createTestDatabase();
    onlooker = database.connect({ max: 1 }).$client;
    await onlooker`create table notes (text text)`;
  });
  afterAll(() => database.drop());

  /** Cuts the session of a transaction, and resolves when it is gone. */
  async function cut(transaction: postgres.TransactionSql): Promise<void> {
    const [session] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const pid = session!.pid;
    await onlooker`select pg_terminate_backend(${pid})`;
    await vi.waitFor(async () => {
      expect(await onlooker`select from pg_stat_activity where pid = ${pid}`).toHaveLength(0);
    }, 10_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }

  it('REL-3 rejects what follows in it, and the process lives', async () => {
    const sql = database.connect({ max: 1, prepare: false }).$client;
    const broken = sql.begin(async (transaction) => {
      await cut(transaction);
      await transaction`insert into notes values ('after the break')`;
    });
    await expect(broken).rejects.toThrow();
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('REL-3 sends nothing of it on the connection that follows, where it would count without its transaction', async () => {
    const sql = database.connect({ max: 1 }).$client;
    let fate: string | null = null;
    const broken = sql.begin(async (transaction) => {
      await cut(transaction);
      // The pool's one connection is opened anew, for somebody else.
      await sql`select 1`;
      fate = await transaction`insert into notes values ('astray')`.then(
        () => 'sent',
        () => 'refused',
      );
    });
    await expect(broken).rejects.toThrow();
    // The transaction is over for its caller, and its function runs on.
    await vi.waitFor(() => expect(fate).not.toBeNull(), 10_000);
    expect(fate).toBe('refused');
    expect(await sql`select text from notes where text = 'astray'`).toEqual([]);
  });
});
