import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import { sql } from 'drizzle-orm';
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { buildApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { developmentAccount, passwordToSend } from '../../src/modules/administrators/development-account.js';
import { runPreflightCommand } from '../../src/preflight/preflight-command.js';
import type { PreflightItem } from '../../src/preflight/preflight-item.js';
import { migrate, readMigrationState } from '../../src/storage/migrations.js';
import type { ChangedTables } from '../../src/storage/planned-objects.js';
import { fillRelease } from '../storage/released-database.js';
import { columnsOf, insertRow, migrationsOfRelease, releases } from '../storage/released-rows.js';
import { asSuperuser, ownEnvironment } from './right-production.js';

const PUBLIC = { schema: 'public', hasQueue: true };

/** The migration 0020_last_sign_in changes what the check reads. All other checks can read every release. */
const SKIPPED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  releases.slice(0, releases.indexOf('0020_last_sign_in')).map((tag) => [tag, ['accounts.skipped']]),
);

describe('preflight on the database of an earlier release', { timeout: 60_000 }, () => {
  let database: TestDatabase;
  let orm: PostgresJsDatabase;
  let folder: string;
  let own: Awaited<ReturnType<typeof ownEnvironment>>;
  const role = `p_${randomBytes(6).toString('hex')}`;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-earlier-'));
    database = await createTestDatabase();
    orm = database.connect({ max: 1 });
    const password = randomBytes(32).toString('hex');
    await asSuperuser(`create role ${role} superuser login password '${password}'`);
    own = await ownEnvironment(folder, Object.assign(new URL(database.url), { username: role, password }).href);
  });
  beforeEach(async () => {
    await orm.execute(
      sql.raw('drop schema if exists bullmq cascade; drop schema public cascade; create schema public'),
    );
  });
  afterAll(async () => {
    await database.drop();
    await asSuperuser(`drop role ${role}`);
    await rm(folder, { recursive: true, force: true });
  });

  const migrateTo = async (tag: string) => migrate(orm, PUBLIC, await migrationsOfRelease(tag, folder));

  async function preflight() {
    let output = '';
    const status = await runPreflightCommand({
      argv: ['--json'],
      facts: own.facts(own.environment),
      now: Date.now,
      write: (text) => {
        output += text;
      },
      writeError: (text) => {
        output += text;
      },
    });
    const { passed, items } = JSON.parse(output) as { passed: boolean; items: PreflightItem[] };
    return { status, passed, items };
  }

  it.each(releases)('OPS-13 of %s: nothing fails, and what it skips it names', async (tag) => {
    await migrateTo(tag);
    await fillRelease({ orm }, tag);
    const { status, passed, items } = await preflight();
    expect(items.filter(({ id, severity }) => severity === 'error' || id.endsWith('.broken'))).toEqual([]);
    expect([status, passed]).toEqual([0, true]);
    const skipped = items.filter(({ id }) => id.endsWith('.skipped'));
    expect(skipped.map(({ id }) => id)).toEqual(SKIPPED[tag] ?? []);
    for (const { severity, finding, fix } of skipped) {
      expect(severity).toBe('info');
      expect(finding).toMatch(/because pending migrations change its tables \(administrators\)/);
      expect(fix).toMatch(/the next start migrates .* the preflight can be run after it/);
    }
    const isLast = tag === releases.at(-1);
    expect(items.map(({ id }) => id).includes('database.pending')).toBe(!isLast);
  });

  it('OPS-13 the tables that a pending migration changes are read from its statements, whatever the release', async () => {
    const found: { tag: string; columns: Awaited<ReturnType<typeof columnsOf>>; tables: ChangedTables }[] = [];
    for (const tag of releases) {
      await migrateTo(tag);
      const { tables } = await readMigrationState(orm, PUBLIC);
      found.push({ tag, columns: await columnsOf(orm), tables });
    }
    const latest = await columnsOf(orm);
    for (const { tag, columns, tables } of found) {
      for (const [table, now] of latest) {
        const earlier = columns.get(table);
        expect([tag, table, tables.created.has(table)]).toEqual([tag, table, earlier === undefined]);
        if (earlier === undefined || tables.changed.has(table)) continue;
        expect([tag, table, [...earlier]]).toEqual([tag, table, [...now]]);
      }
    }
  });

  it('OPS-13 the start migrates first and skips nothing: it names the account that the command could not read', async () => {
    const started = () => buildApp(readConfig({ ...own.environment, SERVICE_LOG_LEVEL: 'silent' }));
    await migrateTo('0000_initial');
    const { username, password, displayName } = developmentAccount;
    const hash = await bcrypt.hash(passwordToSend(password), 4);
    const account = { id: randomUUID(), username, display_name: displayName, password_hash: hash, permissions: '{*}' };
    await insertRow(orm, 'administrators', account);
    expect((await preflight()).items.map(({ id }) => id)).toContain('accounts.skipped');
    await expect(started()).rejects.toThrow(/\[accounts\.development\]/);
    const after = await preflight();
    expect([after.status, after.items.map(({ id }) => id)]).toEqual([
      1,
      expect.arrayContaining(['accounts.development']),
    ]);
    await orm.execute(sql.raw('delete from administrators'));
    const app = await started();
    expect((await app.inject('/actuator/health')).json()).toEqual({ status: 'UP' });
    await app.close();
  });

  it('OPS-13 tables of a newer release, or of another application, are not read', async () => {
    await orm.execute(sql.raw('create table administrators (name text)'));
    const foreign = (await preflight()).items;
    expect(foreign.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['database.collision', 'accounts.skipped', 'audit-log.skipped', 'parameters.skipped']),
    );
    await orm.execute(sql.raw('drop table administrators'));
    await migrate(orm, PUBLIC);
    await orm.execute(
      sql.raw(`alter table administrators rename column password_hash to password;
        insert into reference_server_migrations (hash, created_at) values ('later', 9000000000000)`),
    );
    const newer = (await preflight()).items;
    expect(newer.map(({ id }) => id)).toEqual(expect.arrayContaining(['database.newer', 'accounts.skipped']));
    for (const { id } of [...foreign, ...newer]) expect(id).not.toMatch(/\.broken$/);
  });
});
