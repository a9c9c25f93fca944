import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { startPgbouncerProcess, USUAL_REMEDY } from '../../../../scripts/pgbouncer-process.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { proveSettings, proveWholeSessions } from '../../src/storage/session-proof.js';

const DIRECTLY =
  /; a connection pooler is between the server and PostgreSQL: set SERVICE_DATABASE_URL to PostgreSQL itself$/;
const MODES = ['session', 'transaction'] as const;

describe.skipIf(lacks('pgbouncer'))('the server behind PgBouncer', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function database(): Promise<TestDatabase> {
    const own = await createTestDatabase();
    ends.push(own.drop);
    return own;
  }

  /** Resolves to the address behind the pooler. */
  async function pooled(...given: Parameters<typeof startPgbouncerProcess>): Promise<string> {
    const { url, stop } = await startPgbouncerProcess(...given);
    ends.push(stop);
    return url;
  }

  function connect(url: string, max: number, connection: postgres.ConnectionParameters | object = {}): postgres.Sql {
    const client = postgres(url, { max, fetch_types: false, connection });
    ends.push(() => client.end({ timeout: 1 }));
    return client;
  }

  const refusalOf = (url: string) =>
    openPostgres(url).then(
      async (opened) => {
        await opened.close();
        return 'it started';
      },
      (error: Error) => error.message,
    );
  const tablesOf = async (own: TestDatabase) => [
    ...(await own.connect().execute(sql`select relname from pg_class where relnamespace = 'public'::regnamespace`)),
  ];

  it.each(MODES)('REL-15 with its defaults, in %s mode, the start is refused, with the setting', async (mode) => {
    const own = await database();
    const refusal = await refusalOf(await pooled(own.url, mode));
    expect(refusal).toMatch(/unsupported startup parameter: \w+; /);
    expect(refusal).toMatch(DIRECTLY);
    expect(await tablesOf(own)).toEqual([]);
  });

  it.each(MODES)('REL-15 if it ignores parameters, in %s mode, so it is, and nothing is migrated', async (mode) => {
    const own = await database();
    const refusal = await refusalOf(await pooled(own.url, mode, USUAL_REMEDY));
    expect(refusal).toMatch(/search_path is "\$user", public, although "public" was asked for; /);
    expect(refusal).toMatch(DIRECTLY);
    expect(await tablesOf(own)).toEqual([]);
  });

  it.each([
    ['default_transaction_read_only', true],
    ['statement_timeout', 5000],
    ['idle_in_transaction_session_timeout', 5000],
  ])('REL-15 a session without its own %s is refused', async (name, value) => {
    const own = await database();
    const url = await pooled(own.url, 'session', USUAL_REMEDY);
    await expect(proveSettings(connect(url, 1, { [name]: value }))).rejects.toThrow(`${name} is `);
    await proveSettings(connect(own.url, 1, { [name]: value }));
  });

  it.each([
    { backends: 1, robin: 0 },
    { backends: 2, robin: 0 },
    { backends: 2, robin: 1 },
    { backends: 3, robin: 1 },
    { backends: 4, robin: 1 },
    { backends: 20, robin: 0 },
  ])('REL-15 sessions that are shared are seen: $backends backends, server_round_robin $robin', async (given) => {
    const own = await database();
    const settings = [`default_pool_size = ${given.backends}`, `server_round_robin = ${given.robin}`];
    const url = await pooled(own.url, 'transaction', ...settings, USUAL_REMEDY);
    const crowd = connect(url, 6);
    // Every backend exists before the proof.
    await Promise.all(Array.from({ length: 6 }, () => crowd.unsafe('select pg_sleep(0.05)')));
    const proof = proveWholeSessions([connect(url, 1), connect(url, 1)]);
    await expect(proof).rejects.toThrow('connections share the sessions of PostgreSQL');
  });

  it.each(MODES)(
    'REL-15 a pooler in %s mode names another backend at the startup, PostgreSQL its own',
    async (mode) => {
      const own = await database();
      for (const url of [own.url, await pooled(own.url, mode)]) {
        const rows = await connect(url, 1).unsafe<{ pid: number }[]>('select pg_backend_pid() as pid');
        expect(rows.state.pid === rows[0]?.pid).toBe(url === own.url);
      }
    },
  );

  it('REL-15 sessions of its own pass: PgBouncer in session mode, and PostgreSQL itself', async () => {
    const own = await database();
    const url = await pooled(own.url, 'session', USUAL_REMEDY);
    for (const each of [url, own.url]) await proveWholeSessions([connect(each, 1), connect(each, 1)]);
    expect(await refusalOf(own.url)).toBe('it started');
  });
});
