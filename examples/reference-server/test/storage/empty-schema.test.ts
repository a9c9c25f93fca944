import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { readConfig } from '../../src/config/config.js';
import { runPreflightCommand } from '../../src/preflight/preflight-command.js';
import type { PreflightItem } from '../../src/preflight/preflight-item.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { openDatabase } from '../../src/storage/resources.js';
import { asSuperuser } from '../preflight/right-production.js';

describe('a start in an empty schema', { timeout: 60_000 }, () => {
  let database: TestDatabase;
  let owner: postgres.Sql;
  let folder: string;
  const roles: string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-empty-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    database = await createTestDatabase();
    owner = database.connect({ max: 1 }).$client;
  });
  afterEach(async () => {
    await database.drop();
    for (const role of roles.splice(0)) await asSuperuser(`drop role ${role}`);
  });

  const start = async (schema: string, url = database.url) =>
    (await openPostgres(url, { schema, hasQueue: false })).close();

  const settingsOf = (schema: string, more: Readonly<Record<string, string>> = {}) => ({
    SERVICE_DATABASE_URL: database.url,
    SERVICE_DATABASE_SCHEMA: schema,
    SERVICE_DATA_DIR: folder,
    ...more,
  });

  async function preflight(environment: Readonly<Record<string, string>>): Promise<PreflightItem[]> {
    let output = '';
    await runPreflightCommand({
      argv: ['--json'],
      facts: {
        nodeVersion: 'v24.11.0',
        flags: [],
        environment,
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
    return (JSON.parse(output) as { items: PreflightItem[] }).items.filter(({ id }) => id.startsWith('database.'));
  }

  const schemas = async () =>
    (
      await owner<{ name: string }[]>`select nspname as name from pg_namespace
        where nspname !~ '^pg_' and nspname not in ('information_schema', 'public') order by 1`
    ).map(({ name }) => name);

  it('OPS-13 is refused while another schema holds the server, which preflight and start name', async () => {
    await start('billing');
    for (const schema of ['orders', 'public']) {
      const [item] = (await preflight(settingsOf(schema))).filter(({ id }) => id === 'database.other-schema');
      expect(item).toMatchObject({
        severity: 'error',
        finding: expect.stringMatching(/ has no tables of this server, but .* in the schema "billing": .* accounts$/),
        fix: `set SERVICE_DATABASE_SCHEMA=billing; or move them: node dist/commands/move-schema.js --from billing --to ${schema}; or, for another service in the same database, set SERVICE_DATABASE_SCHEMA_IS_NEW=true`,
      });
      await expect(start(schema)).rejects.toThrow(`${item!.finding}; ${item!.fix}`);
    }
    expect(await schemas()).toEqual(['billing']);
  });

  it('OPS-13 is what SERVICE_DATABASE_SCHEMA_IS_NEW means, once', async () => {
    await start('billing');
    const isNew = settingsOf('orders', { SERVICE_DATABASE_SCHEMA_IS_NEW: 'true' });
    expect((await preflight(isNew)).map(({ id }) => id)).not.toContain('database.other-schema');
    await (await openDatabase(readConfig({ ...isNew, SERVICE_PROFILE: 'development' }))).close();
    // From now on neither is empty.
    await start('orders');
    await start('billing');
  });

  it('OPS-13 is not refused for a table of the same name, of another application or of another role', async () => {
    const [role, other] = [await createRole(), await createRole()];
    await owner.unsafe(`create schema own authorization ${role.name}; create schema theirs authorization ${other.name};
      create schema named authorization ${role.name}; create table named.reference_server_migrations (version text);
      alter table named.reference_server_migrations owner to ${role.name}`);
    await start('theirs', other.url);
    // Readable, but not by right of the owner: its row security would run code of the other role.
    await owner.unsafe(`grant usage on schema theirs to ${role.name};
      grant select on theirs.reference_server_migrations to ${role.name};
      create function theirs.fails() returns boolean language sql as 'select 1 / 0 = 1';
      create policy trap on theirs.reference_server_migrations using (theirs.fails());
      alter table theirs.reference_server_migrations enable row level security`);
    await start('own', role.url);
    expect(await owner`select tableowner from pg_tables where schemaname = 'own' and tablename = 'roles'`).toEqual([
      { tableowner: role.name },
    ]);
  });

  it('OPS-13 of nodes that start at once with two settings, those of one schema start and the others are refused', async () => {
    const settings = ['orders', 'billing', 'orders', 'billing', 'orders', 'billing'];
    const outcomes = await Promise.allSettled(settings.map((schema) => start(schema)));
    const found = await schemas();
    expect(found).toHaveLength(1);
    expect(settings.filter((_, index) => outcomes[index]?.status === 'fulfilled')).toEqual(Array(3).fill(found[0]));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(String(outcome.reason)).toMatch(/in the schema "(?:orders|billing)"/);
    }
  });

  async function createRole(): Promise<{ readonly name: string; readonly url: string }> {
    const name = `r_${randomUUID().replaceAll('-', '')}`;
    await asSuperuser(`create role ${name} login password 'of-the-test-role'`);
    roles.push(name);
    const url = Object.assign(new URL(database.url), { username: name, password: 'of-the-test-role' }).href;
    return { name, url };
  }
});
