// Writes a large number of entries to one store, as the server writes them, and reports their size.
import { randomBytes, randomUUID } from 'node:crypto';
import { authTokens, generateSigningKey } from '@sallyport/auth-tokens';
import { createReplayGuard } from '@sallyport/replay-guard';
import { createMemoryStore } from '@sallyport/ttl-store';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { answerParent } from './child-process.mjs';

/** Concurrent writes: enough to keep a connection to Redis busy. */
const IN_FLIGHT = 500;

const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** Each call writes one more entry. */
const writers = {
  async nonces(store) {
    const guard = createReplayGuard({ store, isNewStore: true, replayTtlSeconds: 86_400 });
    await guard.watchStore();
    return function writeNonce() {
      const now = Date.now();
      const clocks = { timestamp: now, receivedAt: now, timestampWindowSeconds: 300 };
      return guard.claim({ keyId: 'key-2026-11', nonce: randomBytes(16), ...clocks });
    };
  },
  async sessions(store) {
    const app = Fastify();
    const signingKey = await generateSigningKey('HS256');
    await app.register(authTokens, { store, issuer: 'bench', signingKey });
    await app.ready();
    // Each session has its own administrator, because the sessions of one administrator share a record.
    const client = { terminal: 'web', clientIp: '203.0.113.7', userAgent: USER_AGENT };
    return () => app.authTokens.issue({ audience: 'admin', subject: randomUUID(), ...client });
  },
};

/** Opens the store, and measures its current size in bytes. */
function openStore(url) {
  if (url === null) {
    const store = createMemoryStore({ maxEntries: 4_000_000, maxBytes: 8 * 1024 ** 3 });
    return {
      store,
      weigh() {
        globalThis.gc();
        const { heapUsed, external } = process.memoryUsage();
        return heapUsed + external;
      },
    };
  }
  const client = new Redis(url, { enableAutoPipelining: true });
  return {
    store: createRedisStore({ client, keyPrefix: 'sallyport:' }),
    weigh: async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]),
  };
}

/** Records the size of the first entry written. */
function notingExample(store) {
  let example = 0;
  const note = (key, value) => {
    example ||= Buffer.byteLength(key) + Buffer.byteLength(value);
  };
  const noting = {
    ...store,
    marks: {
      ...store.marks,
      setIfAbsent(part, mark, entry) {
        note(entry.key, entry.value);
        return store.marks.setIfAbsent(part, mark, entry);
      },
    },
    setIfAbsent(key, value, ttlMillis) {
      note(key, value);
      return store.setIfAbsent(key, value, ttlMillis);
    },
    compareAndSet(key, expected, value, ttlMillis) {
      note(key, value);
      return store.compareAndSet(key, expected, value, ttlMillis);
    },
  };
  return { noting, example: () => example };
}

answerParent({
  async write({ what, url, count }) {
    const { store, weigh } = openStore(url);
    const { noting, example } = notingExample(store);
    const writeOne = await writers[what](noting);
    // Warm up first, so that memory allocated for the code is not measured.
    for (let i = 0; i < IN_FLIGHT; i += 1) await writeOne();
    const before = await weigh();
    for (let written = 0; written < count; written += IN_FLIGHT) {
      await Promise.all(Array.from({ length: IN_FLIGHT }, writeOne));
    }
    return { bytes: (await weigh()) - before, example: example() };
  },
});
