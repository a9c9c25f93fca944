import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { type ServerProcess, startServer } from '../../faults/server-process.js';

/** Longer than the server waits for any store, and shorter than the limits of PostgreSQL for a statement. */
const STANDSTILL_MILLIS = 2500;

/** Longer than those limits. */
const LONG_STANDSTILL_MILLIS = 6000;

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

  /** The outcomes of a sign-in and three reads, during which the server stands still. */
  async function codesOver(millis: number, heldAfter: number, token: string): Promise<readonly unknown[]> {
    const { signIn, call, signal } = server!;
    const answers = [signIn(), ...[1, 2, 3].map(() => call('/admin/profile', { token }))];
    await sleep(heldAfter);
    signal('SIGSTOP');
    await sleep(millis);
    signal('SIGCONT');
    return (await Promise.all(answers)).map((answer) => answer.body.code ?? answer.status);
  }

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
      expect(await codesOver(STANDSTILL_MILLIS, heldAfter, token)).toEqual([200, 200, 200, 200]);
    }
  });

  it('REL-2 answers 200 or 503 where PostgreSQL has ended statements and sessions meanwhile, and goes on', async () => {
    server = await startServer({ SERVICE_DATA_DIR: folder, SERVICE_DATABASE_URL: database.url });
    const token = String((await server.signIn()).body.data?.token);
    for (const heldAfter of HELD_AFTER_MILLIS) {
      const codes = await codesOver(LONG_STANDSTILL_MILLIS, heldAfter, token);
      expect(codes.filter((code) => code !== 200 && !/^[A-Z_]+_UNAVAILABLE$/.test(String(code)))).toEqual([]);
    }
    expect((await server.signIn()).status).toBe(200);
  });
});
