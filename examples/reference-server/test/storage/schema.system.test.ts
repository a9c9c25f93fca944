import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { runPreflightCommand } from '../../src/preflight/preflight-command.js';
import { migrate, migrationsFolder, readMigrations } from '../../src/storage/migrations.js';
import { plannedObjects } from '../../src/storage/planned-objects.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { queueObjects } from '../../src/storage/queue-tables.js';
import { rowsOf } from '../../src/storage/schema-target.js';

type Environment = Readonly<Record<string, string>>;

describe('the schema of the server', { timeout: 60_000 }, () => {
  let database: TestDatabase;
  let owner: postgres.Sql;
  let folder: string;
  const roles: string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-schema-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    database = await createTestDatabase();
    owner = database.connect({ max: 2 }).$client;
  });
  afterEach(async () => {
    await database.drop();
    for (const role of roles.splice(0)) await asSuperuser(`drop role ${role}`);
  });

  /** Everything that a migration could create or leave behind. */
  async function catalog(): Promise<string[]> {
    const rows = await owner<{ text: string }[]>`
      select 'schema ' || nspname as text from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
      union all
      select relkind::text || ' ' || nspname || '.' || relname from pg_class join pg_namespace n on n.oid = relnamespace
      where nspname !~ '^pg_' and nspname <> 'information_schema'
      union all
      select 'type ' || nspname || '.' || typname from pg_type join pg_namespace n on n.oid = typnamespace
      where nspname !~ '^pg_' and nspname <> 'information_schema'
      union all
      select 'function ' || nspname || '.' || proname from pg_proc join pg_namespace n on n.oid = pronamespace
      where nspname !~ '^pg_' and nspname <> 'information_schema'
      order by 1`;
    return rows.map(({ text }) => text);
  }

  /** As a connection sees it whose search path is the schema. Without the queue's tables. */
  async function structureOf(schema: string): Promise<unknown> {
    const { $client } = database.connect({ max: 1, connection: { search_path: `"${schema}"` } });
    const queue = $client(queueObjects.map(({ name }) => name));
    return [
      await $client`
        select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
        where table_schema = current_schema() and table_name not in ${queue} order by table_name, column_name`,
      await $client`
        select pg_get_indexdef(indexrelid) as definition from pg_index join pg_class on pg_class.oid = indrelid
        where relnamespace = quote_ident(current_schema())::regnamespace and relname not in ${queue} order by 1`.then(
        (rows) => rows.map(({ definition }) => String(definition).replace(/ ON \S+\./, ' ON ')),
      ),
      await $client`
        select conname, convalidated, pg_get_constraintdef(pg_constraint.oid) as definition from pg_constraint
        join pg_class on pg_class.oid = conrelid
        where connamespace = quote_ident(current_schema())::regnamespace and contype <> 'n' and relname not in ${queue}
        order by conname`,
    ];
  }

  /** A role without any right beyond those of `public`, and its URL. */
  async function roleUrl(): Promise<{ role: string; url: string }> {
    const role = `r_${randomUUID().replaceAll('-', '')}`;
    await asSuperuser(`create role ${role} login password 'of-the-test-role'`);
    roles.push(role);
    return {
      role,
      url: Object.assign(new URL(database.url), { username: role, password: 'of-the-test-role' }).href,
    };
  }

  async function preflight(environment: Environment) {
    let output = '';
    await runPreflightCommand({
      argv: ['--json'],
      facts: {
        nodeVersion: 'v24.11.0',
        flags: [],
        environment: { SERVICE_DATA_DIR: folder, ...environment },
        isInspected: false,
        userId: 1000,
        consoleFolder: '/none',
      },
      now: Date.now,
      write: (text) => {
        output += text;
      },
      writeError: () => {},
    });
    const { items } = JSON.parse(output) as { items: { id: string; severity: string; finding: string; fix: string }[] };
    return items.filter(({ id }) => /^(?:database|preflight|accounts|parameters)\b/.test(id));
  }

  /** Preflight and start name the same obstacle, and both leave everything as it was. */
  async function expectRefused(id: string, text: RegExp, fix: RegExp, environment: Environment = {}): Promise<string> {
    const { SERVICE_DATABASE_URL: url = database.url, SERVICE_DATABASE_SCHEMA: schema = 'public' } = environment;
    const before = await catalog();
    const items = await preflight({ SERVICE_DATABASE_URL: url, ...environment });
    const found = items.filter((item) => item.id === id);
    expect(found.length, JSON.stringify(items)).toBeGreaterThan(0);
    for (const item of found) expect([item.severity, item.fix]).toEqual(['error', expect.stringMatching(fix)]);
    const named = found.map(({ finding }) => finding).join(' ');
    expect(named).toMatch(text);
    const hasQueue = environment.SERVICE_REDIS_URL === undefined;
    const refusal = await openPostgres(url, { schema, hasQueue }).catch((error: Error) => error);
    expect(refusal).toBeInstanceOf(Error);
    for (const { finding } of found) expect((refusal as Error).message).toContain(finding);
    expect((refusal as Error).message).toMatch(fix);
    expect(await catalog()).toEqual(before);
    return named;
  }

  it('OPS-11 migrations create the same tables in any schema, and nothing outside of it', async () => {
    await (await openPostgres(database.url, { hasQueue: false })).close();
    const expected = await structureOf('public');
    const before = await catalog();
    // The last one has the name of a key word.
    for (const schema of ['orders', 'Mixed_Case', `s${'x'.repeat(62)}`, 'select']) {
      await (await openPostgres(database.url, { schema, isNew: true })).close();
      expect(await structureOf(schema)).toEqual(expected);
      await owner`drop schema ${owner(schema)} cascade`;
      expect(await catalog()).toEqual(before);
    }
  });

  it('OPS-11 of nodes that start at once without the schema, one creates it and all start', async () => {
    const opened = await Promise.all(Array.from({ length: 4 }, () => openPostgres(database.url, { schema: 'fresh' })));
    for (const { orm } of opened)
      expect(await rowsOf(orm, sql`select count(*)::int as count from roles`)).toEqual([{ count: 0 }]);
    await Promise.all(opened.map((each) => each.close()));
    const applied = await owner<{ hash: string }[]>`select hash from fresh.reference_server_migrations order by id`;
    expect(applied.map(({ hash }) => hash)).toEqual(readMigrations().map(({ hash }) => hash));
  });

  it('OPS-11 a second start changes nothing, also for a role that must not create anything', async () => {
    const { role, url } = await roleUrl();
    await owner.unsafe(`create schema own authorization ${role}`);
    await (await openPostgres(url, { schema: 'own' })).close();
    await owner.unsafe(`revoke create on schema own from ${role}`);
    const before = await catalog();
    await (await openPostgres(url, { schema: 'own' })).close();
    expect(await catalog()).toEqual(before);
    const items = await preflight({ SERVICE_DATABASE_URL: url, SERVICE_DATABASE_SCHEMA: 'own' });
    expect(items.filter(({ id }) => id.startsWith('database.')).map(({ severity }) => severity)).not.toContain('error');
  });

  it('OPS-11 the search path of role, database and URL does not lead the server elsewhere', async () => {
    const { role, url } = await roleUrl();
    await owner.unsafe(`create schema own authorization ${role}`);
    await owner.unsafe(`create schema other authorization ${role}`);
    await owner.unsafe(`alter role ${role} set search_path to other`);
    await owner.unsafe(`create schema ${role} authorization ${role}`);
    const withOptions = `${url}?options=${encodeURIComponent('-c search_path=other -c work_mem=4MB')}`;
    for (const each of [url, withOptions]) {
      const opened = await openPostgres(each, { schema: 'own' });
      await opened.orm.execute(
        `insert into roles (id, name, permissions) values ('${randomUUID()}', '${randomUUID()}', '{}')`,
      );
      await opened.close();
    }
    expect(await owner`select count(*)::int as count from own.roles`).toEqual([{ count: 2 }]);
    expect((await catalog()).filter((line) => line.includes('other.') || line.includes(`${role}.`))).toEqual([]);
  });

  it.each([
    ['a table', 'create table roles (nothing int)', 'table "roles"'],
    ['a view', 'create view payments as select 1 as one', 'view "payments"'],
    ['a materialized view', 'create materialized view payments as select 1 as one', 'materialized view "payments"'],
    ['a sequence', 'create sequence app_users', 'sequence "app_users"'],
    ['a type', `create type stored_files as enum ('a')`, 'type "stored_files"'],
    ['a composite type', 'create type stored_files as (a int)', 'type "stored_files"'],
    ['a domain', 'create domain audit_records as int', 'type "audit_records"'],
    [
      'an index',
      'create table elsewhere (a int); create index audit_records_actor_index on elsewhere (a)',
      'index "audit_records_actor_index"',
    ],
    [
      'the index of a constraint',
      'create table elsewhere (a int, constraint roles_name_unique unique (a))',
      'index "roles_name_unique"',
    ],
  ])('OPS-11 %s with the name of an own one is named before anything is created', async (_what, statement, named) => {
    await owner.unsafe(statement);
    const text = await expectRefused('database.collision', /^the schema "public" already has/, /another schema/);
    expect(text).toContain(`from another application: ${named}`);
    expect(text.split('"')).toHaveLength(5);
    await owner.unsafe('create schema fenced');
    const opened = await openPostgres(database.url, { schema: 'fenced' });
    await opened.close();
  });

  it('OPS-11 every collision is named, however many there are, also those of the queue', async () => {
    const names = [...plannedObjects(readMigrations().flatMap(({ statements }) => statements)), ...queueObjects].filter(
      ({ kind }) => kind === 'table',
    );
    expect(names.length).toBeGreaterThan(25);
    await owner.unsafe('create schema full_of_tables');
    for (const { name } of names) await owner.unsafe(`create table full_of_tables.${name} (a int)`);
    const text = await expectRefused('database.collision', /./, /another schema/, {
      SERVICE_DATABASE_SCHEMA: 'full_of_tables',
    });
    for (const { name } of names) expect(text).toContain(`table "${name}"`);
  });

  it("OPS-11 the tables of another application's queue are not migrated: its schema is named", async () => {
    // Another application that uses BullMQ in the same database, as it comes.
    await (await openPostgres(database.url)).close();
    await owner`drop schema public cascade`;
    await owner`create schema public`;
    await expectRefused('database.collision', /"bullmq" already has.*table "job"/, /another schema/);
    // With Redis, no table of a queue is needed.
    await (await openPostgres(database.url, { hasQueue: false })).close();
  });

  it('OPS-11 the journal of another application is named', async () => {
    await owner`create table reference_server_migrations (version text)`;
    await expectRefused('database.journal', /"reference_server_migrations" in the schema "public" is not/, /another/);
    await owner`drop table reference_server_migrations`;
    await owner`create table reference_server_migrations (id serial primary key, hash text not null, created_at bigint)`;
    await owner`insert into reference_server_migrations (hash, created_at) values ('of another application', 1)`;
    await expectRefused('database.journal', /has the migrations of another application/, /another schema/);
  });

  it('OPS-11 the empty journal that a failed start of an earlier release left is continued', async () => {
    await owner`create table reference_server_migrations (id serial primary key, hash text not null, created_at bigint)`;
    await (await openPostgres(database.url)).close();
    const applied = await owner`select hash from reference_server_migrations`;
    expect(applied).toHaveLength(readMigrations().length);
  });

  it('OPS-11 a missing schema is created if the role may, else preflight and start say what to run', async () => {
    const { role, url } = await roleUrl();
    const environment = { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_SCHEMA: 'fresh' };
    const grant = /create schema "fresh" authorization ROLE/;
    await expectRefused('database.no-schema', /"fresh" does not exist, and the role/, grant, environment);
    await owner.unsafe(`grant create on database ${database.name} to ${role}`);
    expect(await preflight(environment)).toContainEqual(
      expect.objectContaining({ id: 'database.pending', fix: 'nothing: the database is new' }),
    );
    await (await openPostgres(url, { schema: 'fresh' })).close();
    expect(await owner`select tableowner from pg_tables where schemaname = 'fresh' and tablename = 'roles'`).toEqual([
      { tableowner: role },
    ]);
  });

  it('OPS-11 a role without the right to create tables is told what to grant', async () => {
    const { role, url } = await roleUrl();
    await owner`create schema kept`;
    const environment = { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_SCHEMA: 'kept' };
    const grant = /grant usage, create on schema "kept" to ROLE/;
    await expectRefused('database.rights', /no right to create tables in the schema "kept"/, grant, environment);
    await owner.unsafe(`grant usage, create on schema kept to ${role}`);
    await (await openPostgres(url, { schema: 'kept' })).close();
  });

  it('OPS-11 the tables of a server that another role started are not readable, which is named', async () => {
    await (await openPostgres(database.url, { schema: 'kept' })).close();
    const { role, url } = await roleUrl();
    await owner.unsafe(`grant usage, create on schema kept to ${role}`);
    await expectRefused('database.rights', /no right to read the table/, /use the role that owns it/, {
      SERVICE_DATABASE_URL: url,
      SERVICE_DATABASE_SCHEMA: 'kept',
    });
  });

  it('OPS-11 a migration that fails leaves nothing, neither the schema nor the journal nor the earlier migrations', async () => {
    const own = join(folder, 'broken');
    await cp(migrationsFolder, own, { recursive: true });
    const journal = JSON.parse(await readFile(join(own, 'meta/_journal.json'), 'utf8'));
    const last = journal.entries.at(-1).tag;
    const text = await readFile(join(own, `${last}.sql`), 'utf8');
    await writeFile(join(own, `${last}.sql`), `${text}\n--> statement-breakpoint\nselect 1 / 0`);
    const before = await catalog();
    const orm = drizzle(postgres(database.url, { max: 1, onnotice: () => {} }));
    const failing = migrate(orm, { schema: 'fresh', hasQueue: true }, own);
    await expect(failing).rejects.toMatchObject({ cause: { message: 'division by zero' } });
    await orm.$client.end();
    expect(await catalog()).toEqual(before);
  });

  it('OPS-11 a server moves out of public when the schema is renamed', async () => {
    const opened = await openPostgres(database.url);
    await opened.orm.execute(`insert into roles (id, name, permissions) values ('${randomUUID()}', 'moved', '{}')`);
    await opened.close();
    await owner`alter schema public rename to orders`;
    await owner`create schema public`;
    expect(
      await preflight({ SERVICE_DATABASE_URL: database.url, SERVICE_DATABASE_SCHEMA: 'orders' }),
    ).not.toContainEqual(
      expect.objectContaining({ severity: 'error', id: expect.stringMatching(/^database\.(?!superuser)/) }),
    );
    const moved = await openPostgres(database.url, { schema: 'orders' });
    expect(await rowsOf(moved.orm, sql`select name from roles`)).toEqual([{ name: 'moved' }]);
    expect(await rowsOf(moved.orm, sql`select count(*)::int as count from job`)).toEqual([{ count: 0 }]);
    await moved.close();
  });

  it('OPS-11 the checked names are those that the migrations take', async () => {
    const statements = readMigrations().flatMap((migration) => migration.statements);
    // A statement that names the schema would work in `public` only.
    expect(statements.filter((text) => /\bpublic\b/i.test(text.replaceAll(/--.*|'[^']*'/g, '')))).toEqual([]);
    await (await openPostgres(database.url, { schema: 'own' })).close();
    const taken = await rowsOf<{ name: string; constraintOf: string | null }>(
      database.connect({ max: 1 }),
      // Primary keys and serial columns without a name get a free one.
      sql`
        select relname as name, (select (select relname from pg_class where oid = conrelid) from pg_constraint where conindid = pg_class.oid
          and contype in ('p', 'u', 'x') limit 1) as "constraintOf"
        from pg_class where relnamespace = 'own'::regnamespace and relkind <> 'c'
          and not exists (select from pg_depend where objid = pg_class.oid and deptype in ('a', 'i')
            and relkind = 'S')
        union all select typname, null from pg_type where typnamespace = 'own'::regnamespace and typrelid = 0
          and typelem = 0`,
    );
    const planned = new Set([...plannedObjects(statements), ...queueObjects].map(({ name }) => name));
    planned.add('reference_server_migrations');
    const unplanned = taken.filter(({ name }) => !planned.has(name));
    expect(unplanned.filter(({ constraintOf }) => constraintOf === null)).toEqual([]);
    // Those that remain belong to constraints without a name.
    for (const { name, constraintOf } of unplanned) expect(`${constraintOf}`).toBe(name.replace(/_pkey$/, ''));
    const names = new Set(taken.map(({ name }) => name));
    expect([...queueObjects].filter(({ name }) => !names.has(name))).toEqual([]);
  });
});

async function asSuperuser(statement: string): Promise<void> {
  const server = postgres(inject('databaseUrl'), { max: 1 });
  try {
    await server.unsafe(statement);
  } finally {
    await server.end();
  }
}
