import { fastify } from 'fastify';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { build } from '../../../scripts/build.mjs';
import { randomSm2Scalar, sm2PublicKey } from '../src/gm/index.js';
import { type BackendChoice, type EnvelopeCryptoOptions, envelopeCrypto } from '../src/index.js';
import { chooseSuite } from '../src/suites/choose-suite.js';
import type { createKernelSuite } from '../src/suites/kernel-suite.js';
import { type EnvelopeSuite, sm2Sm4GcmV1 as portable } from '../src/suites/sm2-sm4-gcm-v1.js';
import { seal } from './sealed-request.js';
import { createService, privateKey, type Service } from './service.js';

const BUILD_LIMIT_MILLIS = 300_000;

// The threads of the portable backend run what is built.
beforeAll(() => build(), BUILD_LIMIT_MILLIS);

const opened: Service[] = [];

afterEach(async () => {
  vi.unstubAllGlobals();
  for (const { app } of opened.splice(0)) await app.close();
});

/** As a kernel that does all right but what is changed. */
const kernelWith = (changes: Partial<EnvelopeSuite>) => () => ({ ...portable, ...changes });

function pairOf(privateKey: Uint8Array) {
  return { privateKey, publicKey: sm2PublicKey(privateKey) };
}
const pairs = [pairOf(randomSm2Scalar()), pairOf(randomSm2Scalar())];

/** The operations of a suite, each made wrong in a way of its own. */
const lies: [string, Partial<EnvelopeSuite>][] = [
  ['publicKeyOf', { publicKeyOf: () => sm2PublicKey(randomSm2Scalar()) }],
  ['wrapBaseKey', { wrapBaseKey: (publicKey, baseKey) => portable.wrapBaseKey(publicKey, baseKey.slice().reverse()) }],
  ['unwrapBaseKey', { unwrapBaseKey: () => new Uint8Array(16) }],
  ['deriveKeys', { deriveKeys: (baseKey, nonce) => portable.deriveKeys(baseKey, nonce, 'another') }],
  [
    'sealMessage',
    { sealMessage: (_key, _iv, _aad, plaintext) => new Uint8Array([...plaintext, ...new Uint8Array(16)]) },
  ],
  ['openMessage', { openMessage: (_key, _iv, _aad, ct) => ct.subarray(0, -16) }],
  ['hashToken', { hashToken: () => new Uint8Array(32) }],
];

const nameOf = (choice: ReturnType<typeof chooseSuite>) =>
  choice.kind === 'chosen' ? choice.backend.name : choice.kind;
const reasonOf = (choice: ReturnType<typeof chooseSuite>) =>
  choice.kind === 'chosen' ? choice.backend.reason : choice.reason;

describe('ENV-8 the choice of the backend', () => {
  it('auto takes the kernel where it gives every known answer', () => {
    const choice = chooseSuite('auto', pairs, kernelWith({}));
    expect(choice).toMatchObject({ kind: 'chosen', backend: { name: 'kernel' }, isFallback: false });
  });

  it('the kernel of this package gives every known answer here', () => {
    expect(chooseSuite('kernel', pairs)).toMatchObject({ kind: 'chosen', backend: { name: 'kernel' } });
    expect(chooseSuite('auto', pairs)).toMatchObject({ kind: 'chosen', backend: { name: 'kernel' } });
  });

  it.each(lies)('auto falls back when %s of the kernel gives a wrong answer, and kernel is refused', (_, lie) => {
    const fallback = chooseSuite('auto', pairs, kernelWith(lie));
    expect(fallback).toMatchObject({
      kind: 'chosen',
      backend: { name: 'portable' },
      suite: portable,
      isFallback: true,
    });
    expect(reasonOf(fallback)).toMatch(/^no kernel: cryptographic self-test failed: /);
    expect(nameOf(chooseSuite('kernel', pairs, kernelWith(lie)))).toBe('unavailable');
  });

  it('auto falls back when the kernel is wrong for one key of the service alone', () => {
    const [, { privateKey }] = pairs as [unknown, (typeof pairs)[0]];
    const lie = kernelWith({
      unwrapBaseKey: (key, ek) => (key === privateKey ? new Uint8Array(16) : portable.unwrapBaseKey(key, ek)),
    });
    expect(nameOf(chooseSuite('auto', pairs, lie))).toBe('portable');
    expect(reasonOf(chooseSuite('auto', pairs, lie))).toContain('private key 2 of 2');
    expect(nameOf(chooseSuite('auto', pairs.slice(0, 1), lie))).toBe('kernel');
  });

  it('auto falls back when there is no kernel or making it throws, and the reason is told', () => {
    const missing: typeof createKernelSuite = (onUnavailable) => {
      onUnavailable?.('no WebAssembly');
      return null;
    };
    const broken = () => {
      throw new Error('out of memory');
    };
    expect(reasonOf(chooseSuite('auto', pairs, missing))).toBe('no kernel: no WebAssembly');
    expect(reasonOf(chooseSuite('auto', pairs, broken))).toBe('no kernel: out of memory');
    expect(chooseSuite('kernel', pairs, missing)).toEqual({ kind: 'unavailable', reason: 'no WebAssembly' });
  });

  it('portable never makes a kernel', () => {
    const createKernel = vi.fn(kernelWith({}));
    expect(chooseSuite('portable', pairs, createKernel)).toMatchObject({ backend: { name: 'portable' } });
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

  async function exchange(service: Service): Promise<unknown> {
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

  it.each(['kernel', 'portable'] as const)('serves on the backend %s when it is forced, and names it', async (name) => {
    const service = await serve(name);
    expect(service.app.envelopeCrypto.backend).toMatchObject({ name });
    expect(await exchange(service)).toEqual({ body: { amount: '12.50' }, query: { page: '1' } });
    expect(service.log.join()).toContain(`envelopes are opened by the ${name} implementation`);
  });

  it('serves on the kernel by default', async () => {
    const service = await serve('auto');
    expect(service.app.envelopeCrypto.backend).toMatchObject({ name: 'kernel' });
    expect(await exchange(service)).toEqual({ body: { amount: '12.50' }, query: { page: '1' } });
  });

  it('falls back without WebAssembly, warns, and serves all the same', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    const service = await serve('auto');
    expect(service.app.envelopeCrypto.backend).toMatchObject({ name: 'portable' });
    expect(service.app.envelopeCrypto.backend?.reason).toMatch(/^no kernel: /);
    const warning = service.log.map((line) => JSON.parse(line)).find(({ backend }) => backend === 'portable');
    expect(warning).toMatchObject({ level: 40, reason: service.app.envelopeCrypto.backend?.reason });
    expect(await exchange(service)).toEqual({ body: { amount: '12.50' }, query: { page: '1' } });
  });

  it('does not start without WebAssembly when the kernel is forced, and says why', async () => {
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
