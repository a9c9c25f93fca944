import { Piscina } from 'piscina';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { build } from '../../../../scripts/build.mjs';
import { EnvelopeKeyUnavailableError } from '../../src/errors.js';
import { randomSm2Scalar, sm2PublicKey } from '../../src/gm/index.js';
import { loadServerKeys } from '../../src/keys/server-keys.js';
import { sm2Sm4GcmV1 as suite } from '../../src/suites/index.js';
import { createUnwrapPool, type UnwrapPool } from '../../src/unwrapping/unwrap-pool.js';
import { seal } from '../sealed-request.js';
import { createService, type Service, type ServiceOptions } from '../service.js';
import { hex, withBitFlipped } from '../vector-files.js';

const MAX_BUILD_MILLIS = 300_000;

// The threads run the built package.
beforeAll(() => build(), MAX_BUILD_MILLIS);

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const service of opened.splice(0)) await service.close();
});

const baseKey = new Uint8Array(16).fill(7);

function keyPair() {
  const privateKey = randomSm2Scalar();
  return { privateKey, ek: suite.wrapBaseKey(sm2PublicKey(privateKey), baseKey) };
}

async function startPool(
  privateKeys: readonly Uint8Array[],
  bounds: { maxWaitingUnwraps?: number; maxThreads?: number; maxUnwrapMillis?: number } = {},
): Promise<UnwrapPool & { readonly lost: unknown[] }> {
  const lost: unknown[] = [];
  const pool = await createUnwrapPool({
    privateKeys,
    maxWaitingUnwraps: 100,
    maxThreads: 1,
    ...bounds,
    onThreadLost: (cause) => lost.push(cause),
  });
  opened.push(pool);
  return { ...pool, lost };
}

async function serve(options: ServiceOptions = {}): Promise<Service> {
  const service = await createService({
    ...options,
    crypto: { backend: 'portable', ...options.crypto },
    routes: (app) => app.route({ method: ['GET', 'POST'], url: '/echo', handler: async () => ({ data: 1 }) }),
  });
  opened.push(service.app);
  return service;
}

/** Holds every task of the threads until it is released, and records its thread. */
function holdThreads() {
  const { run } = Piscina.prototype;
  const pools = new Set<Piscina>();
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  vi.spyOn(Piscina.prototype, 'run').mockImplementation(async function held(this: Piscina, ...args) {
    pools.add(this);
    await released;
    return run.apply(this, args);
  });
  return { pools, release };
}

describe('the threads that unwrap', () => {
  it('ENV-8 unwrap with each of their keys, and refuse what does not open', async () => {
    const [today, yesterday] = [keyPair(), keyPair()];
    const pool = await startPool([today.privateKey, yesterday.privateKey], { maxThreads: 2 });
    const answers = await Promise.all([
      pool.unwrap(today.privateKey, today.ek),
      pool.unwrap(yesterday.privateKey, yesterday.ek),
      pool.unwrap(today.privateKey, yesterday.ek),
      pool.unwrap(today.privateKey, withBitFlipped(today.ek, 900)),
      pool.unwrap(today.privateKey, new Uint8Array(113)),
    ]);
    expect(answers.map(hex)).toEqual([hex(baseKey), hex(baseKey), null, null, null]);
    expect(pool.lost).toEqual([]);
  });

  it('EC-52 ORD-3 refuse unwraps beyond the bound with a retry time, and accept again when there is room', async () => {
    const { privateKey, ek } = keyPair();
    const pool = await startPool([privateKey], { maxWaitingUnwraps: 2 });
    const { release } = holdThreads();
    const underWay = Array.from({ length: 3 }, () => pool.unwrap(privateKey, ek));
    const refusal = await pool.unwrap(privateKey, ek).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EnvelopeKeyUnavailableError);
    expect(refusal).toMatchObject({ code: 'ENVELOPE_KEY_UNAVAILABLE', statusCode: 503, retryAfterSeconds: 1 });
    release();
    expect((await Promise.all(underWay)).map(hex)).toEqual(Array(3).fill(hex(baseKey)));
    expect(hex(await pool.unwrap(privateKey, ek))).toBe(hex(baseKey));
  });

  it('EC-52 serve in the order of arrival, also while more arrive', async () => {
    const { privateKey, ek } = keyPair();
    const pool = await startPool([privateKey]);
    const served: number[] = [];
    let asked = 0;
    async function keepAsking(): Promise<void> {
      while (asked < 60) {
        const number = asked++;
        await pool.unwrap(privateKey, ek);
        served.push(number);
      }
    }
    await Promise.all(Array.from({ length: 8 }, keepAsking));
    expect(served).toEqual(Array.from({ length: 60 }, (_, number) => number));
  });

  it('REL-2 ORD-3 refuse an unwrap at its limit, also while it waits behind one that hangs', async () => {
    const { privateKey, ek } = keyPair();
    const pool = await startPool([privateKey]);
    const run = vi.spyOn(Piscina.prototype, 'run').mockImplementation(() => new Promise(() => {}));
    vi.useFakeTimers();
    try {
      void pool.unwrap(privateKey, ek);
      const refused: unknown[] = [];
      const ask = () => void pool.unwrap(privateKey, ek).catch((error: unknown) => refused.push(error));
      ask();
      await vi.advanceTimersByTimeAsync(15_000);
      ask();
      await vi.advanceTimersByTimeAsync(14_999);
      expect(refused).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(2);
      expect(refused).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(15_000);
      expect(refused).toHaveLength(2);
      expect(refused[0]).toBeInstanceOf(EnvelopeKeyUnavailableError);
    } finally {
      vi.useRealTimers();
    }
    expect(run).toHaveBeenCalledOnce();
  });

  it('REL-2 ORD-3 do not refuse an answer that arrived while the process was paused, however long', async () => {
    const { privateKey, ek } = keyPair();
    const pool = await startPool([privateKey], { maxUnwrapMillis: 800 });
    await pool.unwrap(privateKey, ek);
    const unwrapping = pool.unwrap(privateKey, ek);
    const end = performance.now() + 1200;
    while (performance.now() < end);
    expect(hex(await unwrapping)).toBe(hex(baseKey));
  });

  it('EC-52 may be lost: what one was at is refused (503), and another takes its place', async () => {
    const { privateKey, ek } = keyPair();
    const pool = await startPool([privateKey]);
    const { pools, release } = holdThreads();
    release();
    await pool.unwrap(privateKey, ek);
    const unwraps = Array.from({ length: 4 }, () => pool.unwrap(privateKey, ek).catch((error: unknown) => error));
    await [...pools][0]!.threads[0]!.terminate();
    const answers = await Promise.all(unwraps);
    for (const answer of answers) {
      if (answer instanceof Uint8Array) expect(answer).toEqual(baseKey);
      else expect(answer).toMatchObject({ code: 'ENVELOPE_KEY_UNAVAILABLE', statusCode: 503 });
    }
    expect(answers.some((answer) => answer instanceof EnvelopeKeyUnavailableError)).toBe(true);
    expect(hex(await pool.unwrap(privateKey, ek))).toBe(hex(baseKey));
  });

  it('ENV-3 get the keys once, in separate memory that is wiped when they end, and no environment', async () => {
    const { privateKey, ek } = keyPair();
    const pool = await startPool([privateKey]);
    const { pools, release } = holdThreads();
    release();
    await pool.unwrap(privateKey, ek);
    const { workerData, env } = [...pools][0]!.options;
    const keys = new Uint8Array((workerData as { privateKeys: SharedArrayBuffer }).privateKeys);
    expect(hex(keys)).toBe(hex(privateKey));
    expect(env).toEqual({});
    await pool.close();
    expect(hex(keys)).toBe('00'.repeat(32));
    expect(privateKey.some((byte) => byte !== 0)).toBe(true);
  });

  it('EC-52 end with the pool: what they are at and what waits is refused, and so is what comes later', async () => {
    const { privateKey, ek } = keyPair();
    const pool = await startPool([privateKey]);
    const underWay = Array.from({ length: 5 }, () => pool.unwrap(privateKey, ek).catch((error: unknown) => error));
    await pool.close();
    for (const answer of await Promise.all(underWay)) expect(answer).toBeInstanceOf(EnvelopeKeyUnavailableError);
    await expect(pool.unwrap(privateKey, ek)).rejects.toBeInstanceOf(EnvelopeKeyUnavailableError);
  });
});

describe('a key provider', () => {
  it('EC-52 does not wait for a thread: it has bounds of its own', async () => {
    const { privateKey, ek } = keyPair();
    const provider = { keyId: 'k', publicKey: hex(sm2PublicKey(privateKey))!, unwrap: async () => baseKey };
    const reading = loadServerKeys({ keyProvider: provider });
    if (reading.kind === 'refused') throw new Error(reading.faults.join());
    const { keys } = reading;
    const unwrapHere = vi.fn(() => null);
    const all = await Promise.all(Array.from({ length: 10 }, () => keys.unwrap('k', ek, unwrapHere)));
    expect(new Set(all.map(hex))).toEqual(new Set([hex(baseKey)]));
    expect(unwrapHere).not.toHaveBeenCalled();
  });
});

describe('a service on the portable backend', () => {
  it.each(['query', 'body'] as const)('EC-52 ORD-3 unwraps nothing in its own thread (%s)', async (carrier) => {
    const service = await serve();
    const here = vi.spyOn(suite, 'unwrapBaseKey');
    const requests = Array.from({ length: 8 }, () => seal(service, { method: carrier === 'query' ? 'GET' : 'POST' }));
    const forged = await Promise.all(
      requests.map((sealed) => sealed.send({ members: { ...sealed.members, ct: 'A'.repeat(22) } })),
    );
    expect(new Set(forged.map((answer) => answer.json().code))).toEqual(new Set(['ENVELOPE_REJECTED']));
    const right = await Promise.all(requests.map((sealed) => sealed.send()));
    expect(new Set(right.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(here).not.toHaveBeenCalled();
  });

  it('EC-52 ORD-3 refuses (503) what comes beyond maxWaitingUnwraps, and claims nothing for it', async () => {
    const service = await serve({ crypto: { maxWaitingUnwraps: 3 } });
    const { pools, release } = holdThreads();
    const requests = Array.from({ length: 12 }, () => seal(service, { method: 'GET' }));
    let refusedSoFar = 0;
    const answering = requests.map(async (sealed) => {
      const answer = await sealed.send();
      if (answer.statusCode === 503) refusedSoFar++;
      return answer;
    });
    await vi.waitFor(() => expect(pools.size).toBe(1));
    const room = [...pools][0]!.options.maxThreads + 3;
    await vi.waitFor(() => expect(refusedSoFar).toBe(12 - room));
    release();
    const answers = await Promise.all(answering);
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(room);
    for (const answer of refused) {
      expect(answer.json()).toMatchObject({ code: 'ENVELOPE_KEY_UNAVAILABLE' });
      expect(answer.headers).not.toHaveProperty('api-encryption');
    }
    expect(service.store.asked).toHaveLength(room);
    const lines = service.log.map((line) => JSON.parse(line)).filter(({ refused }) => refused !== undefined);
    expect(lines).toEqual([
      expect.objectContaining({ level: 40, refused: 1, why: 'too many unwraps are waiting for a thread' }),
    ]);
    expect(service.log.filter((line) => /"level":[5-9]0|unwrap-pool\.[jt]s/.test(line))).toEqual([]);
    // A refused envelope is still usable.
    const again = requests[answers.indexOf(refused[0]!)]!;
    expect(await again.send()).toMatchObject({ statusCode: 200 });
  });

  it('EC-52 RG-02 of 50 copies in parallel exactly one is accepted', async () => {
    const service = await serve();
    const sealed = seal(service, { body: { amount: 1 } });
    const answers = await Promise.all(Array.from({ length: 50 }, () => sealed.send()));
    const codes = answers.map((answer) => (answer.statusCode === 200 ? 'accepted' : answer.json().code));
    expect(codes.filter((code) => code === 'accepted')).toHaveLength(1);
    expect(codes.filter((code) => code === 'ENVELOPE_EXPIRED_OR_REPLAYED')).toHaveLength(49);
  });

  it.each([0, 1.5, 10_001, '256', Number.NaN])('EC-52 maxWaitingUnwraps of %j refuses the start', async (bound) => {
    const starting = createService({ crypto: { maxWaitingUnwraps: bound as number } });
    await expect(starting).rejects.toThrow(/maxWaitingUnwraps must be a whole number of envelopes from 1 to 10000/);
  });
});
