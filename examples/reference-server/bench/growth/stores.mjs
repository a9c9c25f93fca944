// Sessions and nonces by their number, in Redis, as the packages write them.
import { randomBytes, randomUUID } from 'node:crypto';
import { authTokens, generateSigningKey } from '@sallyport/auth-tokens';
import { createReplayGuard } from '@sallyport/replay-guard';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { createRedisProcess } from '../../../../scripts/redis-process.ts';
import { createResults, medianTime } from './times.mjs';

/** Concurrent writes of the filling. */
const IN_FLIGHT = 500;
const RUNS = 201;
/** Calls by which the processor time of Redis is measured, some at once as in a busy server. */
const BATCHES = 40;
const BATCH = 32;

async function nonceCalls(store) {
  const guard = createReplayGuard({ store, isNewStore: true, replayTtlSeconds: 86_400 });
  await guard.watchStore();
  const claim = () => {
    const now = Date.now();
    const clocks = { timestamp: now, receivedAt: now, timestampWindowSeconds: 300 };
    return guard.claim({ keyId: 'key-2026-11', nonce: randomBytes(16), ...clocks });
  };
  return { add: claim, calls: { 'claim of a nonce': claim } };
}

async function sessionCalls(store) {
  const app = Fastify();
  await app.register(authTokens, { store, issuer: 'bench', signingKey: generateSigningKey('HS256') });
  app.get('/bench', { config: { access: 'admin' } }, async () => ({}));
  await app.ready();
  const subject = randomUUID();
  const issue = (to) => app.authTokens.issue({ audience: 'admin', subject: to, terminal: 'web', clientIp: '10.0.0.7' });
  const { token } = await issue(subject);
  const headers = { authorization: `Bearer ${token}` };
  const check = async () => {
    const { statusCode, body } = await app.inject({ url: '/bench', headers });
    if (statusCode !== 200) throw new Error(body);
  };
  return {
    add: () => issue(randomUUID()),
    calls: {
      'check of a session': check,
      'new session': () => issue(randomUUID()),
      'sessions of an account': () => app.authTokens.sessions({ audience: 'admin', subject }),
      'first page of all sessions': () => app.authTokens.findSessions({ audience: 'admin', limit: 20 }),
    },
  };
}

/** @param sizes numbers of sessions, and of nonces, in ascending order */
export async function measureStores({ sizes, say }) {
  const { measured, note } = createResults('calls', 'processor', 'memory');
  for (const [kind, open] of Object.entries({ nonces: nonceCalls, sessions: sessionCalls })) {
    const redis = await createRedisProcess();
    await redis.start();
    const client = new Redis(redis.url, { enableAutoPipelining: true });
    const used = async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
    const cpu = async () => {
      const text = await client.info('cpu');
      const secondsOf = (kind) => Number(new RegExp(`^used_cpu_${kind}:([0-9.]+)`, 'm').exec(text)?.[1]);
      return (secondsOf('user') + secondsOf('sys')) * 1e6;
    };
    try {
      const { add, calls } = await open(createRedisStore({ client, keyPrefix: 'sallyport:' }));
      const empty = await used();
      let entries = 0;
      for (const size of sizes) {
        const began = performance.now();
        for (; entries < size; entries += IN_FLIGHT) await Promise.all(Array.from({ length: IN_FLIGHT }, add));
        say(`${size} ${kind}, filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
        note('memory', kind, size, ((await used()) - empty) / entries);
        for (const [name, call] of Object.entries(calls)) {
          note('calls', name, size, await medianTime(call, RUNS));
          const before = await cpu();
          for (let batch = 0; batch < BATCHES; batch += 1) await Promise.all(Array.from({ length: BATCH }, call));
          note('processor', name, size, ((await cpu()) - before) / (BATCHES * BATCH));
        }
      }
    } finally {
      client.disconnect();
      await redis.kill();
    }
  }
  return measured;
}
