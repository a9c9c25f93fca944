import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, describe, inject, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { describeTtlStore } from '../src/conformance/index.js';
import { createRedisStore } from '../src/redis/index.js';

const redisUrl = inject('redisUrl');
const clients: Redis[] = [];

afterAll(() => {
  for (const client of clients) client.disconnect();
});

describe.skipIf(lacks('redis')).each([
  { title: 'OPS-9 the Redis store keeps the contract', enableAutoPipelining: false },
  { title: 'OPS-9 the Redis store keeps the contract with automatic pipelining', enableAutoPipelining: true },
])('$title', ({ enableAutoPipelining }) => {
  // Two clients, so that the two openings have separate connections like two processes.
  const connect = () => {
    const client = new Redis(redisUrl as string, { enableAutoPipelining, lazyConnect: true });
    clients.push(client);
    return client;
  };
  const one = connect();
  const other = connect();
  const keyPrefix = `ttl-store-test:${randomUUID()}:`;

  describeTtlStore(
    'contract',
    () => ({
      store: createRedisStore({ client: one, keyPrefix, timeoutMillis: 10_000 }),
      openAgain: () => createRedisStore({ client: other, keyPrefix, timeoutMillis: 10_000 }),
      advance: (millis) => sleep(millis),
    }),
    { describe, it: it.concurrent },
  );
});
