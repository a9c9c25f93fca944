import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import type postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { runMoveSchemaCommand } from '../../src/commands/move-schema-command.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { asSuperuser } from '../preflight/right-production.js';

const FIRST_RELEASE = fileURLToPath(new URL('first-release.sql', import.meta.url));

/** What another application has beside the tables of the server, and some that looks into them. */
const FOREIGN = `
  create table orders (id serial primary key, note text);
  create index orders_note_index on orders (note);
  insert into orders (note) values ('kept');
  create sequence tickets;
  create type colour as enum ('red');
  create view names as select username from administrators;
  create function one() returns int language sql as 'select 1';
`;

describe('move-schema', { timeout: 60_000 }, () => {
  let database: TestDatabase;
  let owner: postgres.Sql;
  const roles: string[] = [];
  beforeEach(async () => {
    database = await createTestDatabase();
    owner = database.connect({ max: 2 }).$client;
  });
  afterEach(async () => {
    await database.drop();
    for (const role of roles.splice(0)) await asSuperuser(`drop role ${role}`);
  });

  async function move(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const printed = { output: '', errors: '' };
    const status = await runMoveSchemaCommand({
      argv,
      env: { SERVICE_DATABASE_URL: database.url, ...env },
      write: (text) => {
        printed.output += text;
      },
      writeError: (text) => {
        printed.errors += text;
      },
    });
    return { status, ...printed };
  }

  /** Relations and types of a schema, with what belongs to them. */
  async function objectsIn(schema: string): Promise<string[]> {
    const rows = await owner<{ text: string }[]>`
      select relkind::text || ' ' || relname as text from pg_class join pg_namespace n on n.oid = relnamespace
      where nspname = ${schema} and relkind <> 't'
      union all select 'type ' || typname from pg_type join pg_namespace n on n.oid = typnamespace
      where nspname = ${schema} and typrelid = 0 and typelem = 0
      union all select 'function ' || proname from pg_proc join pg_namespace n on n.oid = pronamespace
      where nspname = ${schema}
      order by 1`;
    return rows.map(({ text }) => text);
  }

  const started = async (schema: string, hasQueue = false) =>
    (await openPostgres(database.url, { schema, hasQueue })).close();

  it('OPS-13 a first-release database beside a business table is moved, and the start finds its accounts', async () => {
    await owner.unsafe(await readFile(FIRST_RELEASE, 'utf8'));
    await owner`create table payments (invoice text)`;
    await owner`insert into payments values ('of the shop')`;
    const refusal = await started('public').catch((error: Error) => error.message);
    expect(refusal).toMatch(
      /already has, from another application: table "payments"; keep the data: .*\/move-schema\.js/,
    );
    // The advice of earlier releases: an empty service.
    const empty = await started('sallyport').catch((error: Error) => error.message);
    expect(empty).toMatch(/"sallyport" has no tables of this server, but .* in the schema "public"/);

    const { status, output } = await move(['--to', 'sallyport']);
    expect([status, output]).toEqual([
      0,
      'Moved from the schema "public" to "sallyport":\n    table "administrators"\n' +
        '    table "reference_server_migrations"\n    table "ttl_entries"\n' +
        'Start the server with SERVICE_DATABASE_SCHEMA=sallyport.\n',
    ]);
    await started('sallyport');
    expect(await owner`select count(*)::int as count from sallyport.administrators`).toEqual([{ count: 5 }]);
    expect(await owner`select count(*)::int as count from sallyport.administrator_roles`).toEqual([{ count: 4 }]);
    expect(await owner`select * from public.payments`).toEqual([{ invoice: 'of the shop' }]);
    expect(await objectsIn('public')).toEqual(['r payments']);
    // The environment of before is refused, and told where the tables are.
    await expect(started('public')).rejects.toThrow(/set SERVICE_DATABASE_SCHEMA=sallyport/);
  });

  it('OPS-13 everything of the server moves, into a schema that exists or not, and nothing of another application', async () => {
    await started('public');
    const own = await objectsIn('public');
    expect(own.length).toBeGreaterThan(40);
    await owner.unsafe(FOREIGN);
    const foreign = (await objectsIn('public')).filter((object) => !own.includes(object));
    await owner`create schema "Kept"`;
    await owner`create table "Kept".orders (a int)`;
    for (const [from, to, others] of [
      ['public', 'moved', []],
      ['moved', 'Kept', ['r orders']],
      ['Kept', 'public', foreign],
    ] as const) {
      expect(await move(['--from', from, '--to', to])).toMatchObject({ status: 0, errors: '' });
      expect(await objectsIn(to)).toEqual([...own, ...others].sort());
      await started(to);
    }
    expect(await objectsIn('moved')).toEqual([]);
    expect(await objectsIn('Kept')).toEqual(['r orders']);
    expect(await owner`select note from orders`).toEqual([{ note: 'kept' }]);
    expect(await owner`select * from names`).toEqual([]);
  });

  it('OPS-13 a dry run prints the same and changes nothing, a second run neither', async () => {
    await started('public');
    const before = await objectsIn('public');
    const tried = await move(['--to', 'own', '--dry-run']);
    expect(tried).toMatchObject({ status: 0, errors: '' });
    expect(await objectsIn('public')).toEqual(before);
    expect(await owner`select nspname from pg_namespace where nspname = 'own'`).toEqual([]);
    const moved = await move(['--to', 'own']);
    const linesOf = (text: string) => text.split('\n').filter((line) => line.startsWith('    '));
    expect(linesOf(moved.output)).toEqual(linesOf(tried.output));
    expect(linesOf(moved.output).length).toBeGreaterThan(15);
    for (const env of [{}, { SERVICE_DATABASE_SCHEMA: 'own' }]) {
      expect(await move(['--to', 'own'], env as Record<string, string>)).toEqual({
        status: 0,
        output: 'Nothing to move: the tables of the server are in the schema "own". Set SERVICE_DATABASE_SCHEMA=own.\n',
        errors: '',
      });
    }
    expect(await objectsIn('own')).toEqual(before);
  });

  it('OPS-13 it is refused while a server of the schema is connected, and not for one of another schema', async () => {
    const [here, there] = [
      await openPostgres(database.url, { hasQueue: false }),
      await openPostgres(database.url, { schema: 'billing', hasQueue: false, isNew: true }),
    ];
    // The pools connect with their first queries.
    for (const { reading } of [here, there]) await reading.select({ one: sql`1` }).from(sql`(select 1) one`);
    const tried = await move(['--to', 'own', '--dry-run']);
    expect(tried).toMatchObject({
      status: 2,
      output: expect.stringMatching(/It would be refused: servers of the schema "public" are connected \(/),
    });
    expect(await move(['--to', 'own'])).toMatchObject({
      status: 2,
      errors: expect.stringMatching(/^Nothing was moved\. Servers/),
    });
    await here.close();
    expect(await move(['--to', 'own'])).toMatchObject({ status: 0 });
    await there.close();
  });

  it('OPS-13 messages that wait in the queue are sent first, or discarded', async () => {
    await started('public', true);
    await owner`insert into bullmq.job (queue, id, seq, name, state, added_at_ms)
      values ('notifications', '1', 1, 'sms', 'delayed', 0), ('notifications', '2', 2, 'sms', 'completed', 0),
        ('of another application', '3', 3, 'x', 'waiting', 0)`;
    expect(await move(['--to', 'own'])).toMatchObject({
      status: 2,
      errors: expect.stringMatching(/Messages wait in the queue, .*\(1\)/),
    });
    expect(await move(['--to', 'own', '--discard-messages'])).toMatchObject({ status: 0 });
    expect(await owner`select id from bullmq.job order by 1`).toEqual([{ id: '2' }, { id: '3' }]);
    await started('own', true);
    expect(await owner`select count(*)::int as count from own.job`).toEqual([{ count: 0 }]);
    // With Redis, the tables in the database are of another application.
    await owner`insert into own.job (queue, id, seq, name, state, added_at_ms)
      values ('notifications@own', '4', 4, 'x', 'waiting', 0)`;
    const withRedis = { SERVICE_REDIS_URL: 'redis://127.0.0.1:1' };
    const back = ['--from', 'own', '--to', 'again', '--discard-messages'];
    expect(await move(back, withRedis)).toMatchObject({ status: 0 });
    expect(await owner`select id from own.job`).toEqual([{ id: '4' }]);
  });

  it('OPS-13 a mistake is refused with its reason, and nothing is moved', async () => {
    await started('public');
    await (await openPostgres(database.url, { schema: 'second', hasQueue: false, isNew: true })).close();
    await owner.unsafe('create schema taken; create table taken.roles (a int)');
    const before = await objectsIn('public');
    const mistakes: readonly (readonly [argv: readonly string[], reason: RegExp])[] = [
      [['--to', 'own', '--from', 'nowhere'], /"nowhere" has no tables of this server/],
      [['--to', 'taken'], /The schema "taken" already has.*table "roles"; name another schema/],
      [['--to', 'own', '--dry-runn'], /dry-runn/],
      [['--to', 'pg_own'], /SERVICE_DATABASE_SCHEMA has an invalid form/],
      [['--to', 'a"; drop schema public; --'], /SERVICE_DATABASE_SCHEMA has an invalid form/],
      [[], /Expected --to SCHEMA/],
      [['--to', 'own', 'more'], /Argument 3 is not expected/],
      [['--to', 'second'], /Both "public" and "second" have the tables of a server/],
    ];
    for (const [argv, reason] of mistakes) {
      expect(await move(argv)).toMatchObject({ status: 2, output: '', errors: expect.stringMatching(reason) });
    }
    expect(await move(['--to', 'own'], { SERVICE_DATABASE_SHCEMA: 'second' })).toMatchObject({
      status: 2,
      errors: expect.stringMatching(/did you mean SERVICE_DATABASE_SCHEMA\?/),
    });
    expect(await objectsIn('public')).toEqual(before);
  });

  it('OPS-13 the embedded database has one schema, and a newer release knows its own tables alone', async () => {
    const embedded = await runMoveSchemaCommand({
      argv: ['--to', 'own'],
      env: {},
      write: () => {},
      writeError: (text) => expect(text).toMatch(/SERVICE_DATABASE_URL is not set/),
    });
    expect(embedded).toBe(2);
    await started('public');
    await owner`insert into reference_server_migrations (hash, created_at) values ('later', 9000000000000)`;
    expect(await move(['--to', 'own'])).toMatchObject({ status: 2, errors: expect.stringMatching(/newer release/) });
  });

  it('OPS-13 a role moves its own tables without further rights, but neither those of another nor into its schema', async () => {
    const [role, other] = [await createRole(), await createRole()];
    await owner.unsafe(
      `create schema kept authorization ${role.name}; create schema closed authorization ${other.name}`,
    );
    await (await openPostgres(role.url, { schema: 'kept', hasQueue: false })).close();
    const as = ({ url }: { url: string }, to: string) =>
      move(['--from', 'kept', '--to', to], { SERVICE_DATABASE_URL: url });
    expect(await as(role, 'closed')).toMatchObject({ status: 2, errors: expect.stringMatching(/no right to create/) });
    expect(await as(role, 'fresh')).toMatchObject({
      status: 2,
      errors: expect.stringMatching(/create schema "fresh"/),
    });
    expect(await as(other, 'closed')).toMatchObject({ status: 2, errors: expect.stringMatching(/no right to read/) });
    await owner.unsafe(`create schema own authorization ${role.name}`);
    expect(await as(role, 'own')).toMatchObject({ status: 0 });
    await (await openPostgres(role.url, { schema: 'own', hasQueue: false })).close();
  });

  it('OPS-13 a start of either schema beside the move waits for it: the tables are in one schema, with their rows', async () => {
    await started('public');
    await owner`insert into roles (id, name, permissions) values (${randomUUID()}, 'moved', '{}')`;
    await Promise.allSettled([move(['--to', 'own']), started('public'), started('own'), started('public')]);
    const holders = await owner`select nspname as name from pg_class join pg_namespace n on n.oid = relnamespace
      where relname = 'reference_server_migrations'`;
    expect(holders).toHaveLength(1);
    expect(await owner`select name from ${owner(holders[0]?.name)}.roles`).toEqual([{ name: 'moved' }]);
  });

  it('OPS-13 a session that holds a table fails the move, which leaves everything', async () => {
    await started('public');
    const before = await objectsIn('public');
    await owner.begin(async (transaction) => {
      await transaction`select count(*) from roles`;
      expect(await move(['--to', 'own'])).toMatchObject({
        status: 2,
        errors: expect.stringMatching(/Another session/),
      });
    });
    expect(await objectsIn('public')).toEqual(before);
    expect(await objectsIn('own')).toEqual([]);
  });

  async function createRole(): Promise<{ readonly name: string; readonly url: string }> {
    const name = `r_${randomUUID().replaceAll('-', '')}`;
    await asSuperuser(`create role ${name} login password 'of-the-test-role'`);
    roles.push(name);
    const url = Object.assign(new URL(database.url), { username: name, password: 'of-the-test-role' }).href;
    return { name, url };
  }
});
