import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { type ServerProcess, startServer } from '../../faults/server-process.js';

/** Longer than the timeout of any store. */
const STANDSTILL_MILLIS = 2500;

/** When the pause begins, in milliseconds after the requests: at different steps of a request. */
const HELD_AFTER_MILLIS = [3, 12];

describe('a server whose machine pauses', { timeout: 90_000 }, () => {
  let database: TestDatabase;
  let folder: string;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-standing-still-'));
  });
  afterEach(() => server?.kill());
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const redisUrl = inject('redisUrl');
  it.each([
    { name: 'embedded', environment: () => ({}) },
    {
      name: redisUrl === null ? 'shared, PostgreSQL alone' : 'shared, PostgreSQL and Redis',
      environment: () => ({
        SERVICE_NODES: '2',
        SERVICE_DATABASE_URL: database.url,
        ...(redisUrl !== null && {
          SERVICE_REDIS_URL: redisUrl,
          SERVICE_REDIS_KEY_PREFIX: `t-${randomBytes(6).toString('hex')}:`,
        }),
      }),
    },
  ])('REL-2 refuses nothing for it that its stores were not slow with ($name)', async ({ environment }) => {
    server = await startServer({ SERVICE_DATA_DIR: folder, ...environment() });
    const { status, body } = await server.signIn();
    expect(status).toBe(200);
    const token = String(body.data?.token);
    for (const heldAfter of HELD_AFTER_MILLIS) {
      const answers = [server.signIn(), ...[1, 2, 3].map(() => server!.call('/admin/profile', { token }))];
      await sleep(heldAfter);
      server.signal('SIGSTOP');
      await sleep(STANDSTILL_MILLIS);
      server.signal('SIGCONT');
      const codes = (await Promise.all(answers)).map((answer) => answer.body.code ?? answer.status);
      expect(codes).toEqual([200, 200, 200, 200]);
    }
  });
});
