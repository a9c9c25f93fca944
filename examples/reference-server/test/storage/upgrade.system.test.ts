import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { createTestEmbedded } from '../../../../scripts/test-embedded.js';
import { type ServerProcess, startServer } from '../../faults/server-process.js';
import { createAdministrators } from '../../src/modules/administrators/administrators.js';
import type { Database } from '../../src/storage/database.js';
import { openInMemory } from '../../src/storage/embedded.js';
import { MIGRATION_JOURNAL } from '../../src/storage/migration-journal.js';
import { migrate, migrationsFolder } from '../../src/storage/migrations.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { rowsOf as rowsOfStatement } from '../../src/storage/schema-target.js';
import { expectRelease, fillRelease } from './released-database.js';
import { migrationsOfRelease } from './released-rows.js';

const FIRST_RELEASE = fileURLToPath(new URL('first-release.sql', import.meta.url));

const PUBLIC = { schema: 'public', hasQueue: false };

interface Journal {
  readonly entries: readonly { readonly idx: number; readonly when: number; readonly tag: string }[];
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of the first release, on the schema of any release. */
const NAMES = ['admin', 'clerk', 'former', 'nobody', 'second'];

describe('upgrades of the database', { timeout: 180_000 }, () => {
  let journal: Journal;
  let folder: string;
  /** An empty embedded database of this release. */
  let fresh: Database;
  const databases: TestDatabase[] = [];
  const opened: Database[] = [];
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    journal = JSON.parse(await readFile(join(migrationsFolder, 'meta/_journal.json'), 'utf8'));
    folder = await mkdtemp(join(tmpdir(), 'sallyport-upgrade-'));
    fresh = await openInMemory(await createTestEmbedded());
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.kill()));
    await Promise.all(opened.splice(0).map((database) => database.close()));
    await Promise.all(databases.splice(0).map((database) => database.drop()));
  });
  afterAll(async () => {
    await fresh.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function emptyPostgres(): Promise<TestDatabase> {
    const database = await createTestDatabase();
    databases.push(database);
    return database;
  }

  async function upgraded(opening: Promise<Database>): Promise<Database> {
    const database = await opening;
    opened.push(database);
    return database;
  }

  const rowsOf = ({ orm }: Pick<Database, 'orm'>, query: string) => rowsOfStatement<Row>(orm, sql.raw(query));

  /** Columns, indexes and constraints of the server's own tables. */
  async function schemaOf(database: Pick<Database, 'orm'>): Promise<unknown> {
    const columns = `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
      where table_schema = 'public' order by table_name, column_name`;
    const indexes = `select indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname`;
    const constraints = `select conname, pg_get_constraintdef(oid) as definition from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n' order by conname`;
    return [await rowsOf(database, columns), await rowsOf(database, indexes), await rowsOf(database, constraints)];
  }

  async function expectFirstRelease(database: Database): Promise<void> {
    const accounts = await rowsOf(
      database,
      `select username, display_name, password_hash, disabled, created_at::text as created_at from administrators order by username`,
    );
    expect(accounts.map(({ username }) => username)).toEqual(NAMES);
    expect(accounts.find(({ username }) => username === 'second')).toMatchObject({
      display_name: '第二管理员',
      password_hash: expect.stringMatching(/^\$2b\$04\$bbbb/),
      disabled: false,
    });
    expect(accounts.find(({ username }) => username === 'former')).toMatchObject({ disabled: true });
    const administrators = createAdministrators(database);
    const grants = async (username: string) => {
      const account = await administrators.findByUsername(username);
      return [...(await administrators.grantsOf(account!.id))].sort();
    };
    expect(await Promise.all(NAMES.map(grants))).toEqual([
      ['*'],
      ['api:admin:payments:create', 'api:admin:payments:list'],
      // Disabled: the role exists and grants nothing.
      [],
      [],
      ['*'],
    ]);
    const entries = await rowsOf(database, `select key, value from ttl_entries where key like 'auth:%'`);
    expect(entries).toEqual([{ key: 'auth:session:01a1f000', value: '{"v":1}' }]);
  }

  it('OPS-5 a migration that was released is never changed', async () => {
    const { entries } = journal;
    expect(entries.map(({ idx }) => idx)).toEqual(entries.map((_, index) => index));
    expect(entries.map(({ when }) => when)).toEqual([...entries.map(({ when }) => when)].sort((a, b) => a - b));
    const dump = await readFile(FIRST_RELEASE, 'utf8');
    const [first] = await rowsOf(
      fresh,
      'select hash, created_at::text as at from reference_server_migrations order by id limit 1',
    );
    expect(dump).toContain(`('${first?.hash}', ${first?.at})`);
  });

  it('OPS-5 the embedded database of the first release is upgraded without loss, to the schema of a new one', async () => {
    const client = await createTestEmbedded();
    await client.exec(await readFile(FIRST_RELEASE, 'utf8'));
    const database = await upgraded(openInMemory(client));
    await expectFirstRelease(database);
    expect(await schemaOf(database)).toEqual(await schemaOf(fresh));
  });

  it('OPS-5 PostgreSQL is upgraded in the same way, from every release', async () => {
    const made = await emptyPostgres();
    const expected = await schemaOf(await upgraded(openPostgres(made.url)));
    for (const { tag } of journal.entries) {
      const earlier = await emptyPostgres();
      const orm = earlier.connect({ max: 1 });
      await orm.$client.unsafe(await readFile(FIRST_RELEASE, 'utf8'));
      await migrate(orm, PUBLIC, await migrationsOfRelease(tag, folder));
      const database = await upgraded(openPostgres(earlier.url));
      await expectFirstRelease(database);
      expect(await schemaOf(database)).toEqual(expected);
      const [applied] = await rowsOf(database, 'select count(*)::int as count from reference_server_migrations');
      expect(applied).toEqual({ count: journal.entries.length });
      await Promise.all(opened.splice(0).map((each) => each.close()));
    }
  });

  it('OPS-11 rows of every table from every release are there on PostgreSQL, and mean the same', async () => {
    for (const { tag } of journal.entries) {
      const earlier = await emptyPostgres();
      const orm = earlier.connect({ max: 1 });
      await migrate(orm, PUBLIC, await migrationsOfRelease(tag, folder));
      await fillRelease({ orm }, tag);
      await expectRelease(await upgraded(openPostgres(earlier.url)), tag);
      await Promise.all(opened.splice(0).map((each) => each.close()));
    }
  });

  it('OPS-5 migrations insert no rows', async () => {
    const tables = await rowsOf(
      fresh,
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    expect(tables.length).toBeGreaterThan(8);
    for (const { name } of tables) {
      if (name === MIGRATION_JOURNAL) continue;
      const [counted] = await rowsOf(fresh, `select count(*)::int as count from "${name}"`);
      expect([name, counted?.count]).toEqual([name, 0]);
    }
  });

  it('OPS-5 of nodes that start at once on the database of the first release, one upgrades it and all start', async () => {
    const database = await emptyPostgres();
    await database.connect({ max: 1 }).$client.unsafe(await readFile(FIRST_RELEASE, 'utf8'));
    const environment = { SERVICE_NODES: '3', SERVICE_DATABASE_URL: database.url, SERVICE_DATA_DIR: folder };
    // Separate processes, and some nodes in this one.
    const [processes] = await Promise.all([
      Promise.all(Array.from({ length: 2 }, () => startServer(environment))),
      Promise.all(Array.from({ length: 4 }, () => upgraded(openPostgres(database.url)))),
    ]);
    servers.push(...processes);
    for (const { origin } of processes) expect((await fetch(`${origin}/actuator/health`)).status).toBe(200);
    const [one] = opened;
    const applied = await rowsOf(one!, 'select hash from reference_server_migrations');
    expect(applied).toHaveLength(journal.entries.length);
    expect(new Set(applied.map(({ hash }) => hash)).size).toBe(applied.length);
    await expectFirstRelease(one!);
  });

  it('OPS-5 a database that a newer release has migrated refuses the start with a reason, and is not changed', async () => {
    const newer = `insert into reference_server_migrations (hash, created_at) values ('of a newer release', 9000000000000)`;
    const database = await emptyPostgres();
    await (await openPostgres(database.url)).close();
    const orm = database.connect({ max: 1 });
    await orm.execute(sql.raw(newer));
    const refusal = /migrated by a newer release than this one\. Start that release/;
    await expect(openPostgres(database.url)).rejects.toThrow(refusal);
    const copy = await PGlite.create({ loadDataDir: await fresh.embedded!.dumpDataDir('none') });
    await copy.exec(newer);
    await expect(openInMemory(copy)).rejects.toThrow(refusal);
    expect(copy.closed).toBe(true);
    const [applied] = await orm.execute(sql`select count(*)::int as count from reference_server_migrations`);
    expect(applied).toEqual({ count: journal.entries.length + 1 });
  });
});
