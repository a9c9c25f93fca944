import { randomBytes } from 'node:crypto';
import envelopeCrypto from '@sallyport/envelope-crypto';
import { createMemoryStore, StoreUnavailableError, type TtlStore } from '@sallyport/ttl-store';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLosingStore } from '../../../scripts/losing-store.js';
import replayGuard, { type ReplayGuardPluginOptions } from '../src/index.js';
import { createProtectedApp, tally } from './protected-app.js';
import { sealPost } from './sealed-request.js';

const copies = (count: number) => Array.from({ length: count });

/** A memory store with the lifetime of a shared one. */
const sharedStore = (now: () => number): TtlStore => ({ ...createMemoryStore({ now }), lifetime: 'shared' });

/** One without marks, which leaves the judgement of timestamps to the servers. */
const unmarkedStore = (now: () => number): Pick<TtlStore, 'setIfAbsent' | 'lifetime'> => ({
  setIfAbsent: createMemoryStore({ now }).setIfAbsent,
  lifetime: 'shared',
});

describe('a replay', () => {
  it('RG-01 is refused as plaintext with the documented message, the code and the clock', async () => {
    const { app, recipient, handled } = await createProtectedApp({ store: createMemoryStore() });
    const request = sealPost(recipient, '/payments', '{"amount":"12.50"}');
    const first = await app.inject(request);
    expect(first.statusCode).toBe(200);
    expect(first.headers['api-encryption']).toBe('v1');

    const second = await app.inject(request);
    expect(second.statusCode).toBe(400);
    expect(second.headers['api-encryption']).toBeUndefined();
    expect(second.json()).toMatchObject({
      code: 'ENVELOPE_EXPIRED_OR_REPLAYED',
      message: 'Encrypted request expired or submitted twice',
    });
    expect(handled).toEqual([{ amount: '12.50' }]);
  });

  it('RG-01 the refusal has the server’s clock, for the error handler', async () => {
    const time = Date.now() + 5000;
    const { app, recipient, refusals } = await createProtectedApp({
      store: sharedStore(() => time),
      isNewStore: true,
      now: () => time,
    });
    const request = sealPost(recipient, '/payments', '{}', { timestamp: time });
    await app.inject(request);
    await app.inject(request);
    expect(refusals).toEqual([expect.objectContaining({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED', serverTime: time })]);
  });

  it('RPL-7 that clock is the one by which envelopes are judged, not that of a process whose clock is off', async () => {
    const time = Date.now();
    const { app, recipient, refusals } = await createProtectedApp(
      { store: sharedStore(() => time), isNewStore: true, now: () => time - 30_000 },
      { now: () => time },
    );
    const request = sealPost(recipient, '/payments', '{}', { timestamp: time });
    await app.inject(request);
    await app.inject(request);
    expect(refusals).toEqual([expect.objectContaining({ serverTime: time })]);
  });

  it('RG-02 of 50 parallel copies on one node exactly one is accepted', async () => {
    const { app, recipient, handled } = await createProtectedApp({ store: createMemoryStore() });
    const request = sealPost(recipient, '/payments', '{}');
    const answers = await Promise.all(copies(50).map(() => app.inject(request)));
    expect(tally(answers)).toEqual({ accepted: 1, ENVELOPE_EXPIRED_OR_REPLAYED: 49 });
    expect(handled).toHaveLength(1);
  });

  it('RG-17 RPL-5 is refused after a 500: the retry needs a new envelope, and may keep its Idempotency-Key', async () => {
    const { app, recipient, handled } = await createProtectedApp({ store: createMemoryStore() });
    const idempotencyKey = '0b6fa2b1-5a3c-4f0e-9a43-3d7d6b0f9c1e';
    const request = sealPost(recipient, '/fails', '{"n":1}', { idempotencyKey });
    const failed = await app.inject(request);
    expect(failed.statusCode).toBe(500);
    expect(failed.headers['api-encryption']).toBe('v1');
    expect(tally([await app.inject(request)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
    const retry = await app.inject(sealPost(recipient, '/fails', '{"n":1}', { idempotencyKey }));
    expect(retry.statusCode).toBe(500);
    expect(handled).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it('RPL-1 ORD-5 an envelope to an unknown path is used up too', async () => {
    const { app, recipient } = await createProtectedApp({ store: createMemoryStore() });
    const request = sealPost(recipient, '/unknown', '{}');
    expect((await app.inject(request)).statusCode).toBe(404);
    expect(tally([await app.inject(request)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
  });
});

describe('an envelope that is not authentic', () => {
  it('RG-10 RPL-1 with a broken tag uses up no nonce: the right envelope still works, once', async () => {
    const { app, recipient, handled } = await createProtectedApp({ store: createMemoryStore() });
    const request = sealPost(recipient, '/payments', '{}');
    const envelope = JSON.parse(String(request.payload));
    const tag = Buffer.from(envelope.ct, 'base64url');
    tag[tag.length - 1]! ^= 1;
    const broken = { ...request, payload: JSON.stringify({ ...envelope, ct: tag.toString('base64url') }) };
    expect(tally([await app.inject(broken)])).toEqual({ ENVELOPE_REJECTED: 1 });
    expect(tally([await app.inject(request)])).toEqual({ accepted: 1 });
    expect(tally([await app.inject(request)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
    expect(tally([await app.inject(broken)])).toEqual({ ENVELOPE_REJECTED: 1 });
    expect(handled).toHaveLength(1);
  });

  it.each([
    ['empty', ''],
    ['one character', 'A'],
    ['10 kB', 'A'.repeat(10_000)],
    ['a colon', 'AAAAAAAAAAAAAAAAAAAA:A'],
    ['a line feed', 'AAAAAAAAAAAAAAAAAAAAA\n'],
    ['an asterisk', '*'],
    ['22 asterisks', '*'.repeat(22)],
    ['NUL', `${'A'.repeat(21)}\0`],
    ['an emoji', `${'A'.repeat(20)}😀`],
    ['a number', 12],
    ['an array', ['A'.repeat(22)]],
    ['null', null],
    ['12 bytes', 'A'.repeat(16)],
    ['17 bytes', 'A'.repeat(23)],
    ['unused bits that are not zero', `${'A'.repeat(21)}B`],
    ['padding', `${'A'.repeat(22)}==`],
  ])('RG-08 with a nonce that is %s is malformed, and the store is not asked', async (_what, nonce) => {
    const asked: string[] = [];
    const store: ReplayGuardPluginOptions['store'] = {
      lifetime: 'shared',
      setIfAbsent: async (key) => asked.push(key) > 0,
    };
    const { app, recipient } = await createProtectedApp({ store, allowUnmarkedStore: true });
    const request = sealPost(recipient, '/payments', '{}', { tamper: (envelope) => ({ ...envelope, nonce }) });
    expect(tally([await app.inject(request)])).toEqual({ ENVELOPE_MALFORMED: 1 });
    expect(asked).toEqual([]);
  });
});

describe('a store that lost nonces', () => {
  /** A shared store whose data can be deleted, and a server on it. */
  async function losingApp(more: Partial<ReplayGuardPluginOptions> = {}) {
    const began = Date.now();
    let time = began;
    const losing = createLosingStore(() => time);
    const pass = (millis: number) => {
      time += millis;
    };
    const { app, recipient, refusedStates } = await createProtectedApp({
      store: losing.store,
      now: () => time,
      monotonic: () => time - began,
      wait: async (millis) => pass(millis),
      ...more,
    });
    const seal = () => sealPost(recipient, '/payments', '{}', { timestamp: time });
    return { app, states: refusedStates, seal, pass, flush: () => losing.become(losing.nothing, false) };
  }

  it('ORD-6 only a copy of an accepted envelope is replayed', async () => {
    const { app, states, seal, flush } = await losingApp({ isNewStore: true });
    const request = seal();
    const other = seal();
    expect(tally([await app.inject(request)])).toEqual({ accepted: 1 });
    await app.inject(request);
    expect(states).toEqual(['replayed']);
    flush();
    expect(tally([await app.inject(other)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
    expect(states).toEqual(['replayed', 'opened']);
  });

  it('ORD-6 RPL-6 once that is known, what a loss refuses is not even opened', async () => {
    const { app, states, seal, flush, pass } = await losingApp({ isNewStore: true });
    const requests = [seal(), seal()];
    flush();
    await app.replayGuard.watchStore();
    for (const request of requests) await app.inject(request);
    expect(states).toEqual(['opened', 'not opened']);
    pass(1500);
    expect(tally([await app.inject(seal())])).toEqual({ accepted: 1 });
  });

  it('RPL-6 the start waits until everything that another process may have accepted is over', async () => {
    const { app, seal } = await losingApp();
    expect(app.replayGuard.state()).toEqual({ isRecovering: false, reason: null, remainingMillis: 0 });
    expect(tally([await app.inject(seal())])).toEqual({ accepted: 1 });
  });
});

describe('the clock', () => {
  it.each([
    [-300_000, 'accepted'],
    [-300_001, 'ENVELOPE_EXPIRED_OR_REPLAYED'],
    [-301_000, 'ENVELOPE_EXPIRED_OR_REPLAYED'],
    [300_000, 'accepted'],
    [300_001, 'ENVELOPE_EXPIRED_OR_REPLAYED'],
    [301_000, 'ENVELOPE_EXPIRED_OR_REPLAYED'],
  ])('RG-06 a timestamp %i ms from the clock is %s: the edge is inside', async (stamped, verdict) => {
    let time = Date.now();
    const options = { store: sharedStore(() => time), isNewStore: true, now: () => time };
    const wait = async (millis: number) => {
      time += millis;
    };
    const { app, recipient } = await createProtectedApp({ ...options, wait });
    const request = sealPost(recipient, '/payments', '{}', { timestamp: time + stamped });
    expect(tally([await app.inject(request)])).toEqual({ [verdict]: 1 });
  });

  it('RG-18 a server 400 s ahead refuses plainly as expired, and says its time', async () => {
    const { app, recipient } = await createProtectedApp({
      store: sharedStore(Date.now),
      now: () => Date.now() + 400_000,
    });
    const answer = await app.inject(sealPost(recipient, '/payments', '{}'));
    expect(answer.json()).toMatchObject({ statusCode: 400, code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
  });

  it('RG-18 REL-5 two servers 200 s apart refuse a replay while either accepts the timestamp', async () => {
    let time = Date.now();
    const guard = { store: unmarkedStore(() => time), allowUnmarkedStore: true, clockSkewSeconds: 201 };
    const right = await createProtectedApp({ ...guard, now: () => time });
    const behind = await createProtectedApp({ ...guard, now: () => time - 200_000 });
    const request = sealPost(right.recipient, '/payments', '{}', { timestamp: time + 295_000 });
    const fresh = (timestamp: number) => sealPost(right.recipient, '/payments', '{}', { timestamp });
    expect(tally([await right.app.inject(request)])).toEqual({ accepted: 1 });
    const end = time + 800_000;
    for (; time <= end; time += 10_000) {
      expect(tally([await behind.app.inject(request), await right.app.inject(request)])).toEqual({
        ENVELOPE_EXPIRED_OR_REPLAYED: 2,
      });
    }
    expect(tally([await behind.app.inject(fresh(time - 200_000))])).toEqual({ accepted: 1 });
  });

  it('RPL-2 a process that was paused until the record had expired refuses the copy that it had in hand', async () => {
    let time = Date.now();
    const store = unmarkedStore(() => time);
    let resume: () => void = () => {};
    let pause: () => void = () => {};
    const paused = new Promise<void>((resolve) => (pause = resolve));
    const setIfAbsent: typeof store.setIfAbsent = async (...call) => {
      // The process has read the clock.
      pause();
      await new Promise<void>((resolve) => (resume = resolve));
      return store.setIfAbsent(...call);
    };
    const quick = await createProtectedApp({ store, allowUnmarkedStore: true, now: () => time });
    const slow = await createProtectedApp({
      store: { ...store, setIfAbsent },
      allowUnmarkedStore: true,
      now: () => time,
    });
    const request = sealPost(quick.recipient, '/payments', '{}', { timestamp: time });
    const answer = slow.app.inject(request);
    await Promise.race([paused, answer]);
    expect(tally([await quick.app.inject(request)])).toEqual({ accepted: 1 });
    time += 361_000;
    resume();
    expect(tally([await answer])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
    expect([quick.handled.length, slow.handled.length]).toEqual([1, 0]);
  });

  it('RPL-3 RG-20 a restarted server with a memory store refuses envelopes stamped before its start', async () => {
    let time = Date.now();
    const start = () => createProtectedApp({ store: createMemoryStore({ now: () => time }), now: () => time });
    const before = await start();
    const request = sealPost(before.recipient, '/payments', '{}', { timestamp: time });
    expect(tally([await before.app.inject(request)])).toEqual({ accepted: 1 });
    time += 1;
    const after = await start();
    expect(tally([await after.app.inject(request)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
    const stampedNow = sealPost(after.recipient, '/payments', '{}', { timestamp: time });
    expect(tally([await after.app.inject(stampedNow)])).toEqual({ accepted: 1 });
  });

  it('RPL-3 RG-20 a restarted server refuses envelopes stamped ahead, which it had not accepted before', async () => {
    let time = Date.now();
    const start = () => createProtectedApp({ store: createMemoryStore({ now: () => time }), now: () => time });
    const before = await start();
    const request = sealPost(before.recipient, '/payments', '{}', { timestamp: time + 60_000 });
    expect(tally([await before.app.inject(request)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
    time += 1000;
    const after = await start();
    expect(tally([await after.app.inject(request)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
    expect([before.handled, after.handled]).toEqual([[], []]);
  });
});

describe('a store without an answer', () => {
  it.each([
    ['is away', () => Promise.reject(new StoreUnavailableError())],
    ['fails in a way of its own', () => Promise.reject(new Error('connect ECONNREFUSED'))],
    [
      'throws',
      () => {
        throw new Error('bug');
      },
    ],
  ])(
    'RG-12 RPL-1 a store that %s gives 503, the handler does not run, and the answer hides the cause',
    async (_how, setIfAbsent) => {
      const { app, recipient, handled } = await createProtectedApp({
        store: { lifetime: 'shared', setIfAbsent },
        allowUnmarkedStore: true,
      });
      const answer = await app.inject(sealPost(recipient, '/payments', '{}'));
      expect(answer.statusCode).toBe(503);
      expect(answer.json().code).toBe('ENVELOPE_REPLAY_STORE_UNAVAILABLE');
      expect(answer.headers['api-encryption']).toBeUndefined();
      expect(answer.body).not.toMatch(/ECONNREFUSED|bug/);
      expect(handled).toEqual([]);
    },
  );

  it('RPL-3 a full memory store gives 503 and forgets no live nonce', async () => {
    const { app, recipient } = await createProtectedApp({ store: createMemoryStore({ maxEntries: 1 }) });
    const first = sealPost(recipient, '/payments', '{}');
    const second = sealPost(recipient, '/payments', '{}');
    expect(tally([await app.inject(first)])).toEqual({ accepted: 1 });
    expect(tally([await app.inject(second)])).toEqual({ ENVELOPE_REPLAY_STORE_UNAVAILABLE: 1 });
    expect(tally([await app.inject(first)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
  });
});

describe('the start', () => {
  it.each([[0], [-1], [Number.NaN], ['abc']])('RG-05 is refused with replayTtlSeconds %o', async (replayTtlSeconds) => {
    const options = { store: createMemoryStore(), replayTtlSeconds } as ReplayGuardPluginOptions;
    await expect(createProtectedApp(options)).rejects.toThrow('replayTtlSeconds must be a whole number of seconds');
  });

  it('ADP-1 is refused with an unknown option, which names the nearest one', async () => {
    const options = { store: createMemoryStore(), replayTtl: 60 } as ReplayGuardPluginOptions;
    await expect(createProtectedApp(options)).rejects.toMatchObject({
      code: 'REPLAY_GUARD_SETUP_INVALID',
      message: 'replay-guard: replayTtl is not an option; did you mean replayTtlSeconds?',
    });
  });

  it('RG-05 warns of a replay-ttl below the window, and still refuses a replay in the window', async () => {
    const lines: string[] = [];
    const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } };
    let time = Date.now();
    const options = { store: sharedStore(() => time), isNewStore: true, replayTtlSeconds: 1, now: () => time };
    const { app, recipient } = await createProtectedApp(options, { logger });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 40, replayTtlSeconds: 1, timestampWindowSeconds: 300 }),
    ]);
    const request = sealPost(recipient, '/payments', '{}', { timestamp: time });
    expect(tally([await app.inject(request)])).toEqual({ accepted: 1 });
    time += 300_000;
    expect(tally([await app.inject(request)])).toEqual({ ENVELOPE_EXPIRED_OR_REPLAYED: 1 });
  });

  it('RG-05 does not warn if the replay-ttl equals the window', async () => {
    const lines: string[] = [];
    const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } };
    await createProtectedApp({ store: createMemoryStore() }, { logger });
    expect(lines).toEqual([]);
  });

  const envelopes = { mode: 'REQUIRED', keyId: '2026-11', privateKey: randomBytes(32).toString('hex') } as const;
  const options = { store: createMemoryStore() };
  const wrong: Record<string, (app: FastifyInstance) => Promise<unknown>> = {
    'without @sallyport/envelope-crypto': async (app) => app.register(replayGuard, options),
    'before @sallyport/envelope-crypto': async (app) => {
      await app.register(replayGuard, options);
      await app.register(envelopeCrypto, envelopes);
    },
    'in a scope inside of that of @sallyport/envelope-crypto': async (app) => {
      await app.register(envelopeCrypto, envelopes);
      await app.register(async (scope) => void (await scope.register(replayGuard, options)));
    },
    'outside of the scope of @sallyport/envelope-crypto': async (app) => {
      await app.register(async (scope) => {
        await scope.register(envelopeCrypto, { ...envelopes, scope: 'encapsulated' });
      });
      await app.register(replayGuard, options);
    },
  };

  it.each(Object.entries(wrong))('ORD-4 ADP-2 is refused %s, with package, order and scope', async (_, register) => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await expect(register(app)).rejects.toMatchObject({
      code: 'REPLAY_GUARD_SETUP_INVALID',
      message: expect.stringMatching(
        /^replay-guard: register @sallyport\/envelope-crypto before it, in the same scope/,
      ),
    });
  });
});
