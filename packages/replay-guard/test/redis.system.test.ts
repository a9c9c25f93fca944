import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import type { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { createReplayGuard } from '../src/index.js';
import { openedEnvelope } from './envelopes.js';
import { createProtectedApp, tally } from './protected-app.js';
import { connectRedis, startDelayingProxy, startRedis } from './redis-servers.js';
import { sealPost } from './sealed-request.js';

const redisUrl = inject('redisUrl');

/**
 * A refusal takes at most two seconds (REL-2), or this on a busy machine. An answer takes five.
 */
const REFUSED_WITHIN_MILLIS = 4500;

/** One node with its own connection, like another process. */
function openStore(keyPrefix: string, client: Redis = connectRedis(redisUrl!)) {
  return createRedisStore({ client, keyPrefix });
}

async function keysUnder(client: Redis, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1000 })) found.push(...(keys as string[]));
  return found;
}

describe.skipIf(lacks('redis'))('with Redis', () => {
  it('RG-03 REL-4 of 50 parallel copies over two nodes exactly one is accepted, in each of 20 rounds', async () => {
    const keyPrefix = `${randomBytes(6).toString('hex')}:`;
    const nodes = [
      await createProtectedApp({ store: openStore(keyPrefix) }),
      await createProtectedApp({ store: openStore(keyPrefix) }),
    ];
    for (let round = 0; round < 20; round++) {
      const request = sealPost(nodes[0]!.recipient, '/payments', `{"round":${round}}`);
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => nodes[n % 2]!.app.inject(request)));
      expect(tally(answers)).toEqual({ accepted: 1, ENVELOPE_EXPIRED_OR_REPLAYED: 49 });
    }
    const rounds = nodes.flatMap(({ handled }) => handled as { round: number }[]).map(({ round }) => round);
    expect(rounds.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  }, 60_000);

  it('RG-08 writes one readable key per envelope, and none for an invalid nonce', async () => {
    const keyPrefix = `${randomBytes(6).toString('hex')}:`;
    const client = connectRedis(redisUrl!);
    const { app, recipient } = await createProtectedApp({ store: openStore(keyPrefix, client) });
    for (const nonce of ['', 'A', ':', '*', '\n', '\0', '😀', 12, [], 'A'.repeat(10_000), `${'A'.repeat(21)}*`]) {
      await app.inject(sealPost(recipient, '/payments', '{}', { tamper: (envelope) => ({ ...envelope, nonce }) }));
    }
    const mark = `${keyPrefix}replay:mark`;
    expect(await keysUnder(client, keyPrefix)).toEqual([mark]);
    const request = sealPost(recipient, '/payments', '{}');
    await app.inject(request);
    const { nonce } = JSON.parse(String(request.payload));
    expect((await keysUnder(client, keyPrefix)).sort()).toEqual([`${keyPrefix}replay:2026-11:${nonce}`, mark]);
    expect(await client.pttl(`${keyPrefix}replay:2026-11:${nonce}`)).toBeGreaterThan(350_000);
  });

  it('RG-20 a restarted server on the same Redis refuses the replay', async () => {
    const keyPrefix = `${randomBytes(6).toString('hex')}:`;
    const client = connectRedis(redisUrl!);
    const before = await createProtectedApp({ store: openStore(keyPrefix, client) });
    // Ahead by nearly the window: only the record refuses it, not the start of the process.
    const request = sealPost(before.recipient, '/payments', '{}', { timestamp: Date.now() + 290_000 });
    expect(tally([await before.app.inject(request)])).toEqual({ accepted: 1 });
    // Nothing is flushed or sent at the end, as after kill -9.
    client.disconnect();
    const after = await createProtectedApp({ store: openStore(keyPrefix) });
    expect(tally([await after.app.inject(request)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
    expect(after.handled).toEqual([]);
  });
});

describe.skipIf(lacks('redis-server'))('with a Redis of its own', () => {
  it('RPL-4 makes one round trip for a claim', async () => {
    const { url } = await startRedis();
    const client = connectRedis(url);
    const guard = createReplayGuard({ store: openStore('n:', client), isNewStore: true });
    await guard.watchStore();
    expect(await guard.claim(openedEnvelope())).toBe(true);
    await client.config('RESETSTAT');
    await guard.claim(openedEnvelope());
    const asked = await client.info('commandstats');
    // One script, which reads the mark and writes the record.
    expect(asked).toMatch(/cmdstat_evalsha:calls=1,/);
    expect(asked).toMatch(/cmdstat_set:calls=1,/);
    expect(asked).not.toMatch(/cmdstat_eval:/);
  });

  it('RG-12 REL-2 is stopped: 503 and no handler runs; envelopes work again within 5 s of its return', async () => {
    const redis = await startRedis();
    const { app, recipient, handled } = await createProtectedApp({
      store: openStore('n:', connectRedis(redis.url)),
    });
    const request = sealPost(recipient, '/payments', '{}');
    await redis.kill();
    const asked = performance.now();
    expect(tally([await app.inject(request)])).toEqual({ ENVELOPE_REPLAY_STORE_UNAVAILABLE: 1 });
    expect(performance.now() - asked).toBeLessThan(REFUSED_WITHIN_MILLIS);
    expect(handled).toEqual([]);

    await redis.start();
    const back = performance.now();
    // A Redis that keeps nothing has lost its nonces, so an envelope from before stays refused.
    const retry = async () => tally([await app.inject(sealPost(recipient, '/payments', '{}'))]);
    let answer = await retry();
    while (answer.accepted !== 1 && performance.now() - back < 5000) {
      await sleep(50);
      answer = await retry();
    }
    expect(tally([await app.inject(request)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
    expect(answer).toEqual({ accepted: 1 });
    expect(handled).toHaveLength(1);
  });

  it('RG-13 REL-2 answers after 5 s: 503 within 2 s, and never two acceptances when it is fast again', async () => {
    const redis = await startRedis();
    const proxy = await startDelayingProxy(redis.port);
    const client = connectRedis(proxy.url);
    const { app, recipient, handled } = await createProtectedApp({ store: openStore('n:', client) });
    await client.ping();

    proxy.delayAnswers(5000);
    const request = sealPost(recipient, '/payments', '{"n":1}');
    const asked = performance.now();
    const slow = await Promise.all([1, 2, 3].map(() => app.inject(request)));
    expect(tally(slow)).toEqual({ ENVELOPE_REPLAY_STORE_UNAVAILABLE: 3 });
    expect(performance.now() - asked).toBeLessThan(REFUSED_WITHIN_MILLIS);

    proxy.delayAnswers(0);
    // The delayed answers arrive first. Then the store is fast.
    await client.ping();
    // The nonce was recorded although the answer was lost, so the client needs a new envelope.
    const later = await Promise.all([1, 2, 3].map(() => app.inject(request)));
    expect(tally(later)).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 3 });
    expect(handled).toEqual([]);
    expect(tally([await app.inject(sealPost(recipient, '/payments', '{"n":2}'))])).toEqual({ accepted: 1 });
  });

  it('RG-23 needs less than 200 bytes per nonce, and every key has a TTL', async () => {
    const redis = await startRedis();
    const client = connectRedis(redis.url);
    const guard = createReplayGuard({ store: openStore('service:', client), isNewStore: true });
    const usedMemory = async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
    await guard.watchStore();
    expect(await guard.claim(openedEnvelope())).toBe(true);
    const before = await usedMemory();
    // 2^14 entries fill the hash tables of Redis just before they double. More nonces cost the same each.
    const count = 16_384;
    for (let n = 0; n < count; n += 512) {
      await Promise.all(Array.from({ length: 512 }, () => guard.claim(openedEnvelope({ keyId: 'a-key-of-2026-11' }))));
    }
    const bytesPerNonce = ((await usedMemory()) - before) / count;
    expect(bytesPerNonce).toBeGreaterThan(50);
    expect(bytesPerNonce).toBeLessThan(200);
    expect(await client.info('keyspace')).toContain(`keys=${count + 2},expires=${count + 2},`);
  });
});
