import { afterEach, describe, expect, it, vi } from 'vitest';
import { EnvelopeKeyUnavailableError } from '../src/errors.js';
import { randomSm2Scalar, sm2PublicKey } from '../src/gm/index.js';
import { createServerKeys } from '../src/server-keys.js';
import { sm2Sm4GcmV1 as suite } from '../src/suites/sm2-sm4-gcm-v1.js';
import { createUnwrapQueue } from '../src/unwrap-queue.js';
import { seal } from './sealed-request.js';
import { createService, type Service, type ServiceOptions } from './service.js';
import { hex } from './vector-files.js';

const opened: Service[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const { app } of opened.splice(0)) await app.close();
});

async function serve(options: ServiceOptions = {}): Promise<Service> {
  const service = await createService({
    ...options,
    routes: (app) => app.route({ method: ['GET', 'POST'], url: '/echo', handler: async () => ({ data: 1 }) }),
  });
  opened.push(service);
  return service;
}

/** The number of the event loop's turn, as long as anybody wants to know it. */
function countTurns() {
  let turn = 0;
  let handle = setImmediate(function count() {
    turn++;
    handle = setImmediate(count);
  });
  return { current: () => turn, stop: () => clearImmediate(handle) };
}

/** The turns of the event loop in which base keys are unwrapped. */
function watchUnwraps() {
  const turns = countTurns();
  const seen: number[] = [];
  const { unwrapBaseKey } = suite;
  vi.spyOn(suite, 'unwrapBaseKey').mockImplementation((...args) => {
    seen.push(turns.current());
    return unwrapBaseKey(...args);
  });
  return { seen, stop: turns.stop };
}

describe('unwraps by a key of this process', () => {
  it('EC-52 ORD-3 leave a turn to others between any two of them', async () => {
    const log: string[] = [];
    const queue = createUnwrapQueue();
    const unwraps = ['a', 'b', 'c'].map((name) =>
      queue.take(() => {
        log.push(name);
        return null;
      }),
    );
    log.push('taken');
    let more = true;
    setImmediate(function other() {
      log.push('other');
      if (more) setImmediate(other);
    });
    await Promise.all(unwraps);
    more = false;
    expect(log.slice(0, 6)).toEqual(['taken', 'a', 'other', 'b', 'other', 'c']);
  });

  it('EC-52 one that throws rejects, and the next has its turn', async () => {
    const queue = createUnwrapQueue();
    const broken = queue.take(() => {
      throw new RangeError('no key');
    });
    const next = queue.take(() => Uint8Array.of(1));
    await expect(broken).rejects.toThrow('no key');
    expect(await next).toEqual(Uint8Array.of(1));
    expect(await queue.take(() => null)).toBeNull();
  });

  it('EC-52 ORD-3 are refused beyond the bound, with the time to come back, and taken again once there is room', async () => {
    const secret = randomSm2Scalar();
    const ek = suite.wrapBaseKey(sm2PublicKey(secret), new Uint8Array(16).fill(7));
    const key = { keyId: 'k', privateKey: hex(secret)! };
    const keys = createServerKeys({
      current: key,
      previous: [{ keyId: 'older', privateKey: hex(randomSm2Scalar())! }],
      maxWaitingUnwraps: 2,
    });
    const waiting = [keys.unwrap('k', ek), keys.unwrap('older', ek)];
    const refusal = await Promise.resolve(keys.unwrap('k', ek)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EnvelopeKeyUnavailableError);
    expect(refusal).toMatchObject({ code: 'ENVELOPE_KEY_UNAVAILABLE', statusCode: 503, retryAfterSeconds: 1 });
    expect((await Promise.all(waiting)).map(hex)).toEqual(['07'.repeat(16), null]);
    expect(hex(await keys.unwrap('k', ek))).toBe('07'.repeat(16));
  });

  it('EC-52 of a key provider do not queue: it has bounds of its own', async () => {
    const secret = randomSm2Scalar();
    const publicKey = sm2PublicKey(secret);
    const ek = suite.wrapBaseKey(publicKey, new Uint8Array(16).fill(7));
    const provider = { keyId: 'k', publicKey: hex(publicKey)!, unwrap: async () => new Uint8Array(16).fill(7) };
    const keys = createServerKeys({ provider, maxWaitingUnwraps: 1 });
    const all = await Promise.all(Array.from({ length: 10 }, () => keys.unwrap('k', ek)));
    expect(new Set(all.map(hex))).toEqual(new Set(['07'.repeat(16)]));
  });
});

describe('a service under a flood of envelopes', () => {
  it.each(['query', 'body'] as const)('EC-52 ORD-3 unwraps one per turn of the event loop (%s)', async (carrier) => {
    const service = await serve();
    const forged = Array.from({ length: 8 }, () => {
      const sealed = seal(service, { method: carrier === 'query' ? 'GET' : 'POST' });
      return { sealed, members: { ...sealed.members, ct: 'A'.repeat(22) } };
    });
    const { seen, stop } = watchUnwraps();
    const answers = await Promise.all(forged.map(({ sealed, members }) => sealed.send({ members })));
    stop();
    expect(new Set(answers.map((answer) => answer.json().code))).toEqual(new Set(['ENVELOPE_REJECTED']));
    expect(seen).toHaveLength(8);
    expect(new Set(seen).size).toBe(8);
  });

  it('EC-52 ORD-3 refuses (503) what comes beyond maxWaitingUnwraps, and claims nothing for it', async () => {
    const service = await serve({ crypto: { maxWaitingUnwraps: 3 } });
    const requests = Array.from({ length: 10 }, () => seal(service, { method: 'GET' }));
    const answers = await Promise.all(requests.map((sealed) => sealed.send()));
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3);
    expect(refused).toHaveLength(7);
    for (const answer of refused) {
      expect(answer.json()).toMatchObject({ code: 'ENVELOPE_KEY_UNAVAILABLE' });
      expect(answer.headers).not.toHaveProperty('api-encryption');
    }
    expect(service.store.asked).toHaveLength(3);
    // What was refused is still good.
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
    await expect(starting).rejects.toThrow(/maxWaitingUnwraps must be a whole number from 1 to 10000/);
  });
});
