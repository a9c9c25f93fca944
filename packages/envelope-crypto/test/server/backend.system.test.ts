import { fastify } from 'fastify';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { build } from '../../../../scripts/build.mjs';
import { randomSm2Scalar, sm2PublicKey } from '../../src/gm/index.js';
import {
  type BackendChoice,
  type EnvelopeCryptoOptions,
  envelopeCrypto,
  type KeySource,
  type SuppliedKeys,
} from '../../src/index.js';
import { createKernelSuite } from '../../src/kernel/kernel-suite.js';
import { chooseSuite } from '../../src/server/backend.js';
import { type EnvelopeSuite, sm2Sm4GcmV1 as portable } from '../../src/suites/index.js';
import { seal } from '../sealed-request.js';
import { createService, privateKey, type Service } from '../service.js';

const MAX_BUILD_MILLIS = 300_000;

// The threads of the portable backend run the built package.
beforeAll(() => build(), MAX_BUILD_MILLIS);

const opened: Service[] = [];

afterEach(async () => {
  vi.unstubAllGlobals();
  for (const { app } of opened.splice(0)) await app.close();
});

/** A kernel that is right except for the changes. */
const kernelWith = (changes: Partial<EnvelopeSuite>) => () => ({
  kind: 'ready' as const,
  suite: { ...portable, ...changes },
});

function pairOf(privateKey: Uint8Array) {
  return { privateKey, publicKey: sm2PublicKey(privateKey) };
}
const pairs = [pairOf(randomSm2Scalar()), pairOf(randomSm2Scalar())];
const second = pairs[1]!.privateKey;

describe('ENV-8 the choice of the backend', () => {
  it('auto takes the embedded kernel, which gives every known answer here', () => {
    const choice = chooseSuite('auto', pairs);
    expect(choice).toMatchObject({ kind: 'chosen', backend: { name: 'kernel' }, isFallback: false });
    expect(chooseSuite('kernel', pairs)).toMatchObject({ kind: 'chosen', backend: { name: 'kernel' } });
  });

  it.each<[string, Partial<EnvelopeSuite>]>([
    [
      'unwraps wrongly',
      { unwrapBaseKey: (d, ek) => portable.unwrapBaseKey(d, ek)?.fill(0, d === second ? 0 : 16) ?? null },
    ],
    ['refuses', { unwrapBaseKey: (d, ek) => (d === second ? null : portable.unwrapBaseKey(d, ek)) }],
    ['has another point', { publicKeyOf: (d) => portable.publicKeyOf(d === second ? pairs[0]!.privateKey : d) }],
  ])('auto falls back if the kernel %s for only one key of the service; forced, it refuses the start', (_, lie) => {
    const reason = 'wrong answers for private key 2 of 2';
    expect(chooseSuite('auto', pairs, kernelWith(lie))).toEqual({
      kind: 'chosen',
      backend: { name: 'portable', reason: `no kernel: ${reason}` },
      suite: portable,
      isFallback: true,
    });
    expect(chooseSuite('kernel', pairs, kernelWith(lie))).toEqual({ kind: 'unavailable', reason });
    expect(chooseSuite('auto', pairs.slice(0, 1), kernelWith(lie))).toMatchObject({ backend: { name: 'kernel' } });
  });

  it('auto falls back if the kernel does not load or its creation throws, and gives the reason', () => {
    const truncated = () => createKernelSuite(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0));
    const broken = () => {
      throw new Error('out of memory');
    };
    for (const createKernel of [truncated, broken]) {
      const forced = chooseSuite('kernel', pairs, createKernel);
      expect(forced).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(/./) });
      const { reason } = forced as { reason: string };
      expect(chooseSuite('auto', pairs, createKernel)).toMatchObject({
        backend: { name: 'portable', reason: `no kernel: ${reason}` },
        isFallback: true,
      });
    }
  });

  it('portable never makes a kernel', () => {
    const createKernel = vi.fn(kernelWith({}));
    expect(chooseSuite('portable', pairs, createKernel)).toMatchObject({
      backend: { name: 'portable' },
      isFallback: false,
    });
    expect(createKernel).not.toHaveBeenCalled();
  });
});

describe('ENV-8 a service', () => {
  async function serve(backend: BackendChoice): Promise<Service> {
    const service = await createService({
      crypto: { backend },
      routes: (app) => app.post('/echo', async ({ body, query }) => ({ body, query })),
    });
    opened.push(service);
    return service;
  }

  async function roundTrip(service: Service): Promise<unknown> {
    const sealed = seal(service, { query: 'page=1', body: { amount: '12.50' } });
    return JSON.parse(sealed.open(await sealed.send()));
  }

  const refusalOf = (options: EnvelopeCryptoOptions) =>
    fastify()
      .register(envelopeCrypto, { mode: 'REQUIRED', keyId: 'k', privateKey: privateKey(), ...options })
      .then(
        () => 'started',
        (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
      );

  it.each(['kernel', 'portable'] as const)('serves on the forced backend %s, and names it', async (name) => {
    const service = await serve(name);
    expect(service.app.envelopeCrypto.backend).toMatchObject({ name });
    expect(await roundTrip(service)).toEqual({ body: { amount: '12.50' }, query: { page: '1' } });
    expect(service.log.join()).toContain(`envelopes are opened by the ${name} implementation`);
  });

  it.each(['kernel', 'portable'] as const)(
    'takes large messages in and out whole with the %s backend, one beside the other, and refuses a forged one',
    async (backend) => {
      const service = await createService({
        crypto: { backend, maxPayloadBytes: 100_000 },
        routes: (app) => app.post('/echo', async ({ body }) => ({ data: body })),
      });
      opened.push(service);
      const texts = [12_000, 16_383, 16_384, 40_000, 65_536, 99_000].map((length) => 'xyz'.repeat(length / 3));
      const sealed = texts.map((text) => seal(service, { body: { text } }));
      const answers = await Promise.all(sealed.map((own) => own.send()));
      for (const [i, answer] of answers.entries()) {
        expect(answer.statusCode).toBe(200);
        expect(JSON.parse(sealed[i]!.open(answer))).toEqual({ data: { text: texts[i] } });
      }
      const whole = seal(service, { body: { text: texts[4]! } });
      const ct = String(whole.members.ct);
      const forged = { ...whole.members, ct: `${ct.startsWith('A') ? 'B' : 'A'}${ct.slice(1)}` };
      const refusal = await whole.send({ members: forged });
      expect(refusal.statusCode).toBe(400);
      expect(refusal.json()).toMatchObject({ code: 'ENVELOPE_REJECTED' });
    },
  );

  it.each(['kernel', 'portable'] as const)(
    'ENV-12 goes on with the backend %s after a rotation, and opens what was under way with the earlier keys',
    async (backend) => {
      const [old, next] = ['old', 'next'].map((keyId) => ({ keyId, privateKey: privateKey() }));
      let keys: SuppliedKeys = old!;
      let refresh = () => {};
      const keySource: KeySource = {
        load: () => keys,
        subscribe(notice) {
          refresh = notice;
          return undefined;
        },
      };
      const service = await createService({
        crypto: { backend, keySource },
        routes: (app) => app.post('/echo', async ({ body }) => ({ data: body })),
      });
      opened.push(service);
      const underWay = Array.from({ length: 6 }, (_, i) => seal(service, { body: { i } })).map((one) => one.send());
      keys = { ...next!, previousKeys: [old!] };
      refresh();
      await vi.waitFor(() => expect(service.app.envelopeCrypto.keyId).toBe('next'), { timeout: 10_000 });
      const answers = await Promise.all([...underWay, seal(service, { body: {} }).send()]);
      expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    },
  );

  it('serves on the kernel by default', async () => {
    const service = await serve('auto');
    expect(service.app.envelopeCrypto.backend).toMatchObject({ name: 'kernel' });
    expect(await roundTrip(service)).toEqual({ body: { amount: '12.50' }, query: { page: '1' } });
  });

  it('falls back without WebAssembly, warns, and serves', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    const service = await serve('auto');
    expect(service.app.envelopeCrypto.backend).toMatchObject({ name: 'portable' });
    expect(service.app.envelopeCrypto.backend?.reason).toMatch(/^no kernel: /);
    const warning = service.log.map((line) => JSON.parse(line)).find(({ backend }) => backend === 'portable');
    expect(warning).toMatchObject({ level: 40, reason: service.app.envelopeCrypto.backend?.reason });
    expect(await roundTrip(service)).toEqual({ body: { amount: '12.50' }, query: { page: '1' } });
  });

  it('refuses the start without WebAssembly if the kernel is forced, and gives the reason', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    expect(await refusalOf({ backend: 'kernel' })).toMatch(
      /^ENVELOPE_SETUP_INVALID: [\s\S]*backend 'kernel' can't serve here: /,
    );
  });

  it('names no backend in mode OFF', async () => {
    const app = fastify();
    await app.register(envelopeCrypto, { backend: 'kernel' });
    expect(app.envelopeCrypto.backend).toBeNull();
    await app.close();
  });
});
