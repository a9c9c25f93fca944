import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEmbedded } from '../../../../scripts/test-embedded.js';
import { openInMemory } from '../../src/storage/embedded.js';
import { migrate } from '../../src/storage/migrations.js';
import { expectRelease, fillRelease } from './released-database.js';
import { filledReleases, migrationsOfRelease, releases } from './released-rows.js';

// A new migration needs a file in `release-rows`, with rows of each table that it creates or changes, and an entry in
// `meanings` if it changes rows. Existing files stay as they are: they are what that release wrote.
describe('an upgrade of a database with rows in every table', { timeout: 60_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-releases-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('OPS-11 every migration has its rows: a new one needs a file in release-rows', () => {
    expect(filledReleases).toEqual([...releases].sort());
  });

  it.each(releases)('OPS-11 OPS-5 from %s: all rows are there and mean the same', async (tag) => {
    const client = await openTestEmbedded();
    const orm = drizzle(client);
    await migrate(orm, { schema: 'public', hasQueue: false }, await migrationsOfRelease(tag, folder));
    await fillRelease({ orm }, tag);
    const upgraded = await openInMemory(client);
    await expectRelease(upgraded, tag);
    await upgraded.close();
  });
});
