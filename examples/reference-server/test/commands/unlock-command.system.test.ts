import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { serverEntry } from '../../../../scripts/build.mjs';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { type ServerProcess, startServer } from '../../faults/server-process.js';
import { credentials } from '../support/test-app.js';

const command = fileURLToPath(new URL('commands/unlock.js', serverEntry));
const WRONG = { ...credentials, password: 'f'.repeat(64) };

// Each test starts a server and a command, which is slow on a busy machine.
describe('the command unlock beside a running server', { timeout: 120_000 }, () => {
  let database: TestDatabase;
  let folder: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-unlock-'));
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const stores = [
    { name: 'the embedded database', need: null, environment: () => ({}) },
    { name: 'PostgreSQL', need: null, environment: () => ({ SERVICE_DATABASE_URL: database.url }) },
    {
      name: 'PostgreSQL and Redis',
      need: 'redis',
      environment: () => ({
        SERVICE_DATABASE_URL: database.url,
        SERVICE_REDIS_URL: inject('redisUrl') as string,
        SERVICE_REDIS_KEY_PREFIX: `t-${randomBytes(6).toString('hex')}:`,
      }),
    },
  ] as const;

  describe.each(stores)('with $name', ({ name, need, environment }) => {
    it.skipIf(lacks(need))('LGN-11 ends a lock, and is recorded', async () => {
      const settings = {
        SERVICE_PROFILE: 'development',
        SERVICE_DATA_DIR: join(folder, randomBytes(4).toString('hex')),
        ...environment(),
      };
      const server: ServerProcess = await startServer(settings);
      try {
        for (let n = 0; n < 5; n += 1) expect((await server.signIn(WRONG)).status).toBe(401);
        expect((await server.signIn()).status, name).toBe(429);
        const { stdout } = await promisify(execFile)(process.execPath, [command, '--username', 'admin'], {
          env: { PATH: process.env.PATH, ...settings },
        });
        expect(stdout).toContain("The failed sign-ins of 'admin' at the terminal 'web' are cleared.");
        const signedIn = await server.signIn();
        expect(signedIn.status).toBe(200);
        const found = await server.call('/admin/audit-records?action=auth.clear-login-limit', {
          token: String(signedIn.body.data?.token),
        });
        const records = (found.body.data ?? []) as unknown as Record<string, unknown>[];
        expect(records[0]).toMatchObject({ actor: 'command:unlock', target: 'admin', outcome: 'success' });
      } finally {
        await server.kill();
      }
    });
  });
});
