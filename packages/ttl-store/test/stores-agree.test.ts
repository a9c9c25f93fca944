import { randomUUID } from 'node:crypto';
import { drizzle } from 'drizzle-orm/pglite';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { cases } from '../../../scripts/test-properties.js';
import { createMemoryStore, type TtlStore } from '../src/index.js';
import { createPostgresStore, createTtlEntriesTable } from '../src/postgres/index.js';
import { createRedisStore } from '../src/redis/index.js';

const TTL = 600_000;

type Call = (store: TtlStore, prefix: string) => Promise<unknown>;

const text = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    '42',
    '9007199254740991',
    '-9007199254740991',
    'a',
    'A',
    '\ufeff',
    '\ufeffa',
    ' ',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((candidate) => !/[\0\p{Surrogate}]/u.test(candidate)),
);
const key = fc.oneof(fc.constantFrom('a', 'b'), fc.constantFrom('é', 'e\u0301', 'A'));
const amount = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger());

// Every verb on few keys, with values that other verbs are likely to use too.
const call: fc.Arbitrary<readonly [string, Call]> = fc.oneof(
  fc
    .tuple(key, text)
    .map(([k, v]) => [`setIfAbsent ${k} ${v}`, (s: TtlStore, p: string) => s.setIfAbsent(p + k, v, TTL)] as const),
  key.map((k) => [`get ${k}`, (s: TtlStore, p: string) => s.get(p + k)] as const),
  fc.tuple(key, text).map(([k, v]) => [`set ${k} ${v}`, (s: TtlStore, p: string) => s.set(p + k, v, TTL)] as const),
  key.map((k) => [`take ${k}`, (s: TtlStore, p: string) => s.take(p + k)] as const),
  fc
    .tuple(key, amount)
    .map(
      ([k, by]) =>
        [`increment ${k} ${by}`, async (s: TtlStore, p: string) => (await s.increment(p + k, TTL, by)).value] as const,
    ),
  fc
    .tuple(key, fc.option(text), text)
    .map(
      ([k, e, v]) =>
        [`compareAndSet ${k} ${e} ${v}`, (s: TtlStore, p: string) => s.compareAndSet(p + k, e, v, TTL)] as const,
    ),
  fc
    .tuple(key, text)
    .map(([k, e]) => [`compareAndDelete ${k} ${e}`, (s: TtlStore, p: string) => s.compareAndDelete(p + k, e)] as const),
  key.map((k) => [`delete ${k}`, (s: TtlStore, p: string) => s.delete(p + k)] as const),
);

describe('all stores', async () => {
  const redisUrl = inject('redisUrl');
  const client = redisUrl === null ? null : new Redis(redisUrl);
  const database = drizzle(await openTestEmbedded());
  const stores: TtlStore[] = [createMemoryStore(), createPostgresStore({ database, timeoutMillis: 10_000 })];
  if (client !== null)
    stores.push(createRedisStore({ client, keyPrefix: `agree:${randomUUID()}:`, timeoutMillis: 10_000 }));

  beforeAll(() => createTtlEntriesTable(database));

  afterAll(async () => {
    client?.disconnect();
    await database.$client.close();
  });

  async function play(store: TtlStore, prefix: string, calls: readonly (readonly [string, Call])[]): Promise<string[]> {
    const results: string[] = [];
    for (const [name, run] of calls) {
      const result = await run(store, prefix).catch((error: unknown) => (error as Error).constructor.name);
      results.push(`${name} -> ${JSON.stringify(result)}`);
    }
    return results;
  }

  it('OPS-9 the embedded and the shared stores give the same results to any sequence of calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 30 }), async (calls) => {
        const prefix = `${randomUUID()}:`;
        const [memory, ...others] = await Promise.all(stores.map((store) => play(store, prefix, calls)));
        for (const other of others) expect(other).toEqual(memory);
      }),
      { numRuns: cases(100) },
    );
  });
});
