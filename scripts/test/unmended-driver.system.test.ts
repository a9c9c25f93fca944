import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import { drizzle } from 'drizzle-orm/postgres-js';
import { transformSync } from 'esbuild';
import postgres from 'postgres';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createAuditReader } from '../../packages/audit-log/src/postgres.js';
import { createPostgresIdempotencyStore } from '../../packages/idempotency/src/postgres/index.js';
import { guardDatabase, runTransaction, SharedSessionsError } from '../../packages/plugin-kit/src/postgres/index.js';
import { createPostgresStore } from '../../packages/ttl-store/src/postgres/index.js';

const patch = fileURLToPath(new URL('../../packages/idempotency/patches/postgres@3.4.9.patch', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'driver-warning-'));
const URL_OF_NOTHING = 'postgres://127.0.0.1:1/none';

/** A client whose `sql.begin` is as a bundler writes it. */
function minified(connect: typeof postgres): object {
  const begin: unknown = runInNewContext(
    transformSync(`begin = ${connect(URL_OF_NOTHING).begin}`, { minify: true }).code,
  );
  expect(begin).toBeTypeOf('function');
  return Object.assign(() => {}, { begin });
}

describe('a warning of the driver without its patch', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(() => void vi.restoreAllMocks());

  it('REL-16 names the fix, once for each handle, and says nothing where there is nothing to mend', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    createPostgresIdempotencyStore({ database: drizzle(postgres(URL_OF_NOTHING)) });
    guardDatabase(minified(postgres));
    expect(warn).not.toHaveBeenCalled();

    const installed = join(dirname(realpathSync(createRequire(import.meta.url).resolve('postgres'))), '..', '..');
    cpSync(installed, folder, { recursive: true });
    execFileSync('git', ['apply', '--reverse', patch], { cwd: folder });
    const unmended = (await import(pathToFileURL(join(folder, 'src/index.js')).href)).default as typeof postgres;
    guardDatabase(minified(unmended));
    expect(warn).toHaveBeenCalledTimes(1);
    for (const handles of [2, 3]) {
      const database = drizzle(unmended(URL_OF_NOTHING));
      createPostgresIdempotencyStore({ database });
      createPostgresStore({ database });
      createAuditReader({ database });
      expect(warn).toHaveBeenCalledTimes(handles);
    }
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('docs/reference/idempotency/exactly-once.md#drivers'), {
      code: 'SALLYPORT_DRIVER_UNMENDED',
    });

    // What the pooler needs, and the driver without the patch can't do.
    const options = { prepare: false, max_pipeline: 0 };
    const half = drizzle(unmended(URL_OF_NOTHING, options));
    guardDatabase(half);
    expect(warn).toHaveBeenLastCalledWith(expect.stringMatching(/max_pipeline: 0 it then rejects every transaction/), {
      code: 'SALLYPORT_DRIVER_UNMENDED',
    });
    const refused = {
      code: 'DRIVER_UNMENDED',
      message: expect.stringMatching(/UNSAFE_TRANSACTION.*exactly-once\.md#drivers/),
    };
    await expect(runTransaction(half, async () => {})).rejects.toMatchObject(refused);
    await expect(runTransaction(drizzle(postgres(URL_OF_NOTHING, options)), async () => {})).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    expect(new SharedSessionsError(['max_pipeline: 0'], true).message).toMatch(
      /pass max_pipeline: 0 to postgres\(…\) and apply the patch of @sallyport\/idempotency/,
    );
  });

  it.each([
    ['no listener', [], ["pool.on('error', …) and pool.on('connect', (client) => client.on('error', …))"]],
    ['none for its clients', ['error'], ["Add pool.on('connect', (client) => client.on('error', …))"]],
    ['none for itself', ['connect'], ["Add pool.on('error', …)"]],
    ['both', ['error', 'connect'], []],
    ['both, of another event', ['error', 'acquire'], []],
  ])('REL-16 a pool of node-postgres with %s is named at the start, once', async (_name, events, advice) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const database = drizzleNodePostgres(URL_OF_NOTHING);
    createPostgresIdempotencyStore({ database });
    createPostgresStore({ database });
    // In the same turn.
    for (const event of events) database.$client.on(event as 'error', () => {});
    await setImmediate();
    createAuditReader({ database });
    await setImmediate();
    expect(warn.mock.calls).toEqual(
      advice.map((text) => [expect.stringContaining(text), { code: 'SALLYPORT_DRIVER_LISTENERS' }]),
    );
  });
});
