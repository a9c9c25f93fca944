import { readFile } from 'node:fs/promises';
import { createMemorySink } from '@sallyport/audit-log';
import { SharedSessionsError, TransactionRolledBackError } from '@sallyport/plugin-kit/postgres';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { DrizzleQueryError, eq } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEmbedded } from '../../../../scripts/test-embedded.js';
import { createAdministrators } from '../../src/modules/administrators/administrators.js';
import { openSessionClock, requestProtectionOptions } from '../../src/protection/request-protection-options.js';
import { isDatabaseUnavailable, saysUnavailable, withinLimit } from '../../src/storage/database.js';
import * as schema from '../../src/storage/schema.js';
import { addAdministrator } from '../support/granted-administrator.js';
import { openTestBench, type TestBench } from '../support/test-app.js';

describe('database', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(() => bench.close());

  it('OPS-5 the migrations create the schema of the code: run `pnpm run migrations` after a change', async () => {
    const folder = new URL('../../drizzle/meta/', import.meta.url);
    const { entries } = JSON.parse(await readFile(new URL('_journal.json', folder), 'utf8'));
    const latest = String(entries.at(-1).idx).padStart(4, '0');
    const migrated = JSON.parse(await readFile(new URL(`${latest}_snapshot.json`, folder), 'utf8'));
    expect(await generateMigration(migrated, generateDrizzleJson(schema, migrated.id))).toEqual([]);
  });

  it('TOK-6 an administrator has the current grants of its roles, and none once disabled or deleted', async () => {
    const config = bench.config();
    const accounts = createAdministrators(bench.database);
    const { orm } = bench.database;
    const { authTokens } = await requestProtectionOptions({
      config,
      stores: bench.resources(config).stores,
      clock: openSessionClock(config, bench.resources(config).stores),
      auditSink: createMemorySink(),
      changes: bench.changes,
      sessionEnds: { write: async () => {} },
      permissions: [],
      ticketPurposes: {},
      grantsOf: accounts.grantsOf,
      mayHaveDuty: () => false,
      permissionChanges: null,
      readLifetimes: async () => ({
        adminIdleSeconds: 1800,
        adminAbsoluteSeconds: 43_200,
        appIdleSeconds: 60,
        appAbsoluteSeconds: 60,
      }),
    });
    await addAdministrator(bench.database, { username: 'granted', passwordHash: 'x' });
    const { id } = (await accounts.findByUsername('granted'))!;
    const grants = () => authTokens.loadPermissions?.({ audience: 'admin', subject: id, sessionId: 'y' });
    expect(await grants()).toEqual([]);
    const [one, other] = [uuidv7(), uuidv7()];
    await orm.insert(schema.roles).values([
      { id: one, name: 'one', permissions: ['a:*'] },
      { id: other, name: 'other', permissions: ['b'] },
    ]);
    await orm.insert(schema.administratorRoles).values([one, other].map((roleId) => ({ administratorId: id, roleId })));
    expect([...(await grants())!].sort()).toEqual(['a:*', 'b']);
    await orm
      .update(schema.roles)
      .set({ permissions: ['c'] })
      .where(eq(schema.roles.id, one));
    expect([...(await grants())!].sort()).toEqual(['b', 'c']);
    await orm.update(schema.administrators).set({ disabled: true }).where(eq(schema.administrators.id, id));
    expect(await grants()).toEqual([]);
    await orm.delete(schema.administrators).where(eq(schema.administrators.id, id));
    expect(await grants()).toEqual([]);
  });

  it("OPS-5 USR-1 the migration from permissions to roles changes no account's permissions", async () => {
    const client = await openTestEmbedded();
    const folder = new URL('../../drizzle/', import.meta.url);
    const apply = async (tag: string) => client.exec(await readFile(new URL(`${tag}.sql`, folder), 'utf8'));
    await apply('0000_initial');
    const before = [
      ['admin', ['*']],
      ['second', ['*']],
      ['clerk', ['a:b', 'c:*']],
      ['other', ['c:*', 'a:b']],
      ['nobody', []],
    ] as const;
    for (const [username, permissions] of before) {
      await client.query('insert into administrators values ($1, $2, $2, $2, $3)', [uuidv7(), username, permissions]);
    }
    await apply('0001_administrator_roles');
    await apply('0002_permissions_of_roles_only');
    const { rows } = await client.query<{ username: string; permissions: string[] }>(
      `select username, coalesce((select array_agg(p) from administrator_roles join roles on roles.id = role_id, unnest(permissions) p
        where administrator_id = administrators.id), '{}') as permissions from administrators`,
    );
    const after = Object.fromEntries(rows.map(({ username, permissions }) => [username, permissions]));
    expect(after).toEqual(Object.fromEntries(before));
    await client.close();
  });

  it('REL-2 a query that takes too long is refused with 503, and an invalid statement does not count as an unavailable database', async () => {
    await expect(withinLimit(new Promise(() => {}), 10)).rejects.toMatchObject({ statusCode: 503 });
    const failure = (code: string) => new DrizzleQueryError('select', [], Object.assign(new Error('x'), { code }));
    const ofDriver = ['ECONNREFUSED', 'CONNECT_TIMEOUT', 'CONNECTION_CLOSED'];
    for (const code of [...ofDriver, '57P01', '57014', '08006', '53300', '40P01', '40001']) {
      expect(isDatabaseUnavailable(failure(code))).toBe(true);
    }
    for (const code of ['23505', '42P01', '22P02']) expect(isDatabaseUnavailable(failure(code))).toBe(false);
    expect(isDatabaseUnavailable(new Error('ECONNREFUSED'))).toBe(false);
  });

  it('REL-2 a change that PostgreSQL refuses to write, as on a replica, counts as an unavailable database, and changes nothing', async () => {
    const { orm } = bench.database;
    const change = (first: string) =>
      bench.changes.change({ event: { action: 'role.create', actor: 'job' } }, async (transaction) => {
        await transaction.execute(first);
        await transaction.insert(schema.roles).values({ id: uuidv7(), name: 'of a replica', permissions: [] });
      });
    await expect(change('set transaction read only')).rejects.toSatisfy(isDatabaseUnavailable);
    await change('select 1');
    const made = await orm.select().from(schema.roles).where(eq(schema.roles.name, 'of a replica'));
    expect(made).toHaveLength(1);
  });

  it('HSE-4 a transaction that plugin-kit refuses counts as an unavailable database', () => {
    const refused = [
      new TransactionRolledBackError(),
      new SharedSessionsError(['prepare: false']),
      { code: 'toString' },
    ];
    expect(refused.map(saysUnavailable)).toEqual([true, true, false]);
  });
});
