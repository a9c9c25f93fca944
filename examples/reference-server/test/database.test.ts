import { readFile } from 'node:fs/promises';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { DrizzleQueryError } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDatabaseUnavailable, withinLimit } from '../src/db/database.js';
import * as schema from '../src/db/schema.js';
import { createAdministrators } from '../src/features/administrators/administrators.js';
import { requestProtectionOptions } from '../src/plugins/request-protection-options.js';
import { openTestBench, type TestBench } from './test-app.js';

describe('database', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(() => bench.close());

  it('OPS-5 the migrations make the schema that the code has: run `pnpm migrations` after a change', async () => {
    const folder = new URL('../drizzle/meta/', import.meta.url);
    const { entries } = JSON.parse(await readFile(new URL('_journal.json', folder), 'utf8'));
    const latest = String(entries.at(-1).idx).padStart(4, '0');
    const migrated = JSON.parse(await readFile(new URL(`${latest}_snapshot.json`, folder), 'utf8'));
    expect(await generateMigration(migrated, generateDrizzleJson(schema, migrated.id))).toEqual([]);
  });

  it('USR-4 of parallel additions of one name exactly one succeeds', async () => {
    const administrators = createAdministrators(bench.database);
    const account = { username: 'racer', displayName: 'Racer', passwordHash: 'x', permissions: [] };
    const added = await Promise.all(Array.from({ length: 10 }, () => administrators.addIfAbsent(account)));
    expect(added.filter(Boolean)).toHaveLength(1);
  });

  it('TOK-6 the grants of an administrator are those in the database at that moment, and none once it is gone or disabled', async () => {
    const config = bench.config();
    const found = {
      current: { permissions: ['a:*'], disabled: false } as { permissions: string[]; disabled: boolean } | null,
    };
    const { authTokens } = await requestProtectionOptions(config, bench.resources(config).stores, {
      findById: async () => found.current as never,
    });
    const grants = () => authTokens.loadPermissions?.({ audience: 'admin', subject: 'x', sessionId: 'y' });
    expect(await grants()).toEqual(['a:*']);
    found.current = { permissions: ['b'], disabled: false };
    expect(await grants()).toEqual(['b']);
    found.current = { permissions: ['b'], disabled: true };
    expect(await grants()).toEqual([]);
    found.current = null;
    expect(await grants()).toEqual([]);
  });

  it('REL-2 a query that takes too long is refused with 503, and a wrong statement is not taken for a database away', async () => {
    await expect(withinLimit(new Promise(() => {}), 10)).rejects.toMatchObject({ statusCode: 503 });
    const failure = (code: string) => new DrizzleQueryError('select', [], Object.assign(new Error('x'), { code }));
    for (const code of ['ECONNREFUSED', 'CONNECT_TIMEOUT', 'CONNECTION_CLOSED', '57P01', '08006', '53300']) {
      expect(isDatabaseUnavailable(failure(code))).toBe(true);
    }
    for (const code of ['23505', '42P01', '22P02']) expect(isDatabaseUnavailable(failure(code))).toBe(false);
    expect(isDatabaseUnavailable(new Error('ECONNREFUSED'))).toBe(false);
  });
});
