import { fastify } from 'fastify';
import fp from 'fastify-plugin';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ENVELOPE_CRYPTO_DEFAULTS,
  type EnvelopeCryptoOptions,
  EnvelopeSetupError,
  envelopeCrypto,
  publicKeyRoute,
} from '../../src/index.js';
import { sm2Sm4GcmV1 } from '../../src/suites/index.js';
import { vectors } from '../envelope-vectors.js';
import { seal } from '../sealed-request.js';
import { createService, privateKey, type ReplayStore, type Service, testGuard } from '../service.js';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

async function start(options: object): Promise<void> {
  const app = fastify();
  await app.register(envelopeCrypto, options as EnvelopeCryptoOptions);
  await app.close();
}

async function refusal(options: object): Promise<string> {
  return start(options).then(
    () => 'started',
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );
}

/** n, the order of the group (GB/T 32918.5-2017, A.1). */
const ORDER = 0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123n;
const hex64 = (scalar: bigint) => scalar.toString(16).padStart(64, '0');

describe('EC-43 ENV-3 the private key', () => {
  const good = privateKey();

  it('starts with 32 random bytes, in upper or lower case', async () => {
    expect(await refusal({ mode: 'REQUIRED', keyId: 'k', privateKey: good })).toBe('started');
    expect(await refusal({ mode: 'REQUIRED', keyId: 'k', privateKey: good.toUpperCase() })).toBe('started');
  });

  it('ADP-2 without a mode is refused: the default OFF would leave everything in plaintext', async () => {
    expect(await refusal({ keyId: 'k', privateKey: good })).toContain(
      "mode is required with privateKey: 'OPTIONAL' or 'REQUIRED'",
    );
    expect(await refusal({ mode: 'OFF', keyId: 'k', privateKey: good })).toBe('started');
    expect(await refusal({})).toBe('started');
  });

  it.each<[string, string]>([
    ['63 characters', good.slice(1)],
    ['65 characters', `${good}0`],
    ['no hexadecimal', `${good.slice(0, 63)}g`],
    ['zero', '0'.repeat(64)],
    ['n - 1', hex64(ORDER - 1n)],
    ['n', hex64(ORDER)],
    ['n + 1', hex64(ORDER + 1n)],
    ['one byte over and over', '5a'.repeat(32)],
    ['equal steps', Array.from({ length: 32 }, (_, i) => (i * 3).toString(16).padStart(2, '0')).join('')],
    ['ENV-10 a text', Buffer.from('ThisIsMyVerySecretKeyForTesting!').toString('hex')],
    ['ENV-10 16 zero bytes and 16 random ones', '00'.repeat(16) + good.slice(32)],
    ['ENV-10 16 random bytes twice', good.slice(32).repeat(2)],
    ['with white space', ` ${good.slice(1)}`],
    ['empty', ''],
    ...vectors.keys.map(({ kid, privateKey: published }): [string, string] => [`published as ${kid}`, published]),
  ])('is refused: %s', async (_: string, text: string) => {
    for (const mode of ['OFF', 'OPTIONAL', 'REQUIRED']) {
      const message = await refusal({ mode, keyId: 'k', privateKey: text });
      expect(message).toMatch(/^ENVELOPE_SETUP_INVALID: envelope-crypto:(?:\n-)? privateKey/);
      if (text !== '') expect(message).not.toContain(text.trim());
    }
  });

  it('is refused if it is missing, and the message says how to make one', async () => {
    for (const mode of ['OPTIONAL', 'REQUIRED']) {
      expect(await refusal({ mode })).toMatch(/privateKey and keyId[\s\S]*openssl rand -hex 32/);
    }
  });

  it('is refused among the earlier keys too, by its index', async () => {
    const previousKeys = [
      { keyId: 'a', privateKey: privateKey() },
      { keyId: 'b', privateKey: good.slice(2) },
    ];
    expect(await refusal({ mode: 'REQUIRED', keyId: 'k', privateKey: good, previousKeys })).toMatch(
      /previousKeys\[1\]\.privateKey/,
    );
  });

  it('is never in a log', async () => {
    const service = await createService({ crypto: { keyId: 'k', privateKey: good } });
    opened.push(service);
    await seal(service).send();
    expect(service.log.join()).not.toContain(good);
  });
});

describe('ENV-2 bad options', () => {
  it('are all reported at once, by name, with the fix', async () => {
    const message = await refusal({
      mode: 'ON',
      suite: 'none',
      version: '1',
      keyId: 'a b',
      privateKey: 'secret-and-short',
      previousKeys: [{ keyId: 'k', privateKey: 'also-secret' }],
      bypassRoutes: ['/**'],
      timestampWindowSeconds: 0,
      maxPayloadBytes: 1.5,
      backend: 'wasm',
      querystringParser: 'qs',
      now: 7,
    });
    for (const name of ['mode', 'suite', 'version', 'keyId', 'privateKey', 'previousKeys', 'bypassRoutes']) {
      expect(message).toContain(name);
    }
    for (const name of ['timestampWindowSeconds', 'maxPayloadBytes', 'backend', 'querystringParser', 'now']) {
      expect(message).toContain(name);
    }
    expect(message).not.toContain('secret');
  });

  it.each([
    ['EC-26 suite in capitals', { suite: 'SM2-SM4-GCM-V1' }],
    ['EC-26 suite none', { suite: 'none' }],
    ['EC-26 suite null', { suite: null }],
    ['EC-26 version 2', { version: 2 }],
    ['EC-26 version as a text', { version: '1' }],
    ['mode in small letters', { mode: 'required' }],
    ['a window of nothing', { timestampWindowSeconds: 0 }],
    ['a window of two days', { timestampWindowSeconds: 172_800 }],
    ['a window that is no number', { timestampWindowSeconds: Number.NaN }],
    ['a window as a text', { timestampWindowSeconds: '300' }],
    ['no payload at all', { maxPayloadBytes: 0 }],
    ['a payload without bounds', { maxPayloadBytes: Number.POSITIVE_INFINITY }],
    ['previous keys that are no list', { previousKeys: 'a:b' }],
    ['previous keys without a current one', { previousKeys: [{ keyId: 'k', privateKey: privateKey() }] }],
    ['a key provider that is none', { keyProvider: 'https://kms' }],
    ['a key provider without unwrap', { keyProvider: { keyId: 'k', publicKey: 'x' } }],
  ])('refuse the start: %s', async (_, options) => {
    expect(await refusal(options)).toMatch(/^ENVELOPE_SETUP_INVALID: /);
  });

  it('ADP-1 a key that is missing is named alone where its id is given', async () => {
    expect(await refusal({ mode: 'REQUIRED', keyId: 'k' })).toMatch(/: privateKey is needed in mode REQUIRED \(/);
  });

  it('ADP-1 are refused by name when they are unknown, with the nearest option, in one error with a code', async () => {
    const options = { encryptionMode: 'REQUIRED', windowSeconds: 60, prefix: '/ignored' };
    const error = await start(options).then(
      () => expect.fail('started'),
      (refusal: unknown) => refusal,
    );
    expect(error).toBeInstanceOf(EnvelopeSetupError);
    const { code, subject, faults } = error as EnvelopeSetupError;
    expect({ code, subject }).toEqual({ code: 'ENVELOPE_SETUP_INVALID', subject: 'envelope-crypto' });
    expect(faults).toEqual([
      'encryptionMode is not an option; did you mean mode?',
      'windowSeconds is not an option; did you mean timestampWindowSeconds?',
    ]);
  });

  it('ADP-1 are refused by the public key route, which has none', async () => {
    const app = fastify();
    await app.register(envelopeCrypto);
    await expect(async () => {
      await app.register(publicKeyRoute, { path: '/key' });
    }).rejects.toThrow('publicKeyRoute: path is not an option; the options are none');
    await app.close();
  });

  it('treat an undefined option as not given', async () => {
    const nothing = Object.fromEntries(Object.keys(ENVELOPE_CRYPTO_DEFAULTS).map((name) => [name, undefined]));
    expect(await refusal({ ...nothing, privateKey: undefined, keyId: undefined })).toBe('started');
  });
});

describe('ENV-6 the self-test', () => {
  it('runs at registration, and a faulty portable suite refuses the start', async () => {
    const seal = vi.spyOn(sm2Sm4GcmV1, 'openMessage').mockImplementation((_k, _i, _a, ct) => ct);
    try {
      const starting = start({ mode: 'REQUIRED', keyId: 'k', privateKey: privateKey(), backend: 'portable' });
      await expect(starting).rejects.toThrow(/self-test/);
    } finally {
      seal.mockRestore();
    }
  });
});

describe('ORD-4 the order of registration', () => {
  const crypto = { mode: 'REQUIRED', keyId: 'k', privateKey: privateKey() } as const;
  const store: ReplayStore = { claimed: new Set(), asked: [], unreachable: false, asleep: false };
  const authentication = fp(async (app) => void app.decorateRequest('principal', null));

  async function ready(...plugins: ('crypto' | 'guard' | 'authentication')[]) {
    const app = fastify();
    for (const plugin of plugins) {
      if (plugin === 'crypto') await app.register(envelopeCrypto, crypto);
      if (plugin === 'guard') await app.register(testGuard, { store });
      if (plugin === 'authentication') await app.register(authentication);
    }
    try {
      await app.ready();
      return 'ready';
    } catch (error) {
      return (error as Error).message;
    } finally {
      await app.close();
    }
  }

  it('accepts authentication before and the replay guard after', async () => {
    expect(await ready('authentication', 'crypto', 'guard')).toBe('ready');
    expect(await ready('crypto', 'guard')).toBe('ready');
  });

  it('refuses the start without a replay guard, or with one before', async () => {
    expect(await ready('crypto')).toMatch(/replay-guard after it/);
    expect(await ready('guard', 'crypto')).toMatch(/replay-guard after it/);
  });

  it('refuses the start with authentication after', async () => {
    expect(await ready('crypto', 'guard', 'authentication')).toMatch(/auth-tokens before it/);
    expect(await ready('crypto', 'authentication')).toMatch(/auth-tokens before it[\s\S]*replay-guard after it/);
  });

  it('requires no other plugin in mode OFF', async () => {
    const app = fastify();
    await app.register(envelopeCrypto, { mode: 'OFF' });
    await app.register(authentication);
    await expect(app.ready()).resolves.toBeDefined();
    await app.close();
  });
});

describe('EC-45 GET /encryption/public-key', () => {
  it('gives a client d·G and all it needs as plaintext, even in mode REQUIRED, and not the private key', async () => {
    const key = privateKey();
    const access: unknown[] = [];
    const service = await createService({
      crypto: { keyId: '2026-01', privateKey: key, timestampWindowSeconds: 120, maxPayloadBytes: 3000 },
      before: (app) =>
        app.addHook('onRoute', ({ url, config }) => {
          if (url === '/encryption/public-key') access.push((config as { access?: unknown } | undefined)?.access);
        }),
    });
    opened.push(service);
    const response = await service.app.inject('/encryption/public-key');
    const publicKey = Buffer.from(sm2Sm4GcmV1.publicKeyOf(Buffer.from(key, 'hex'))).toString('hex');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.json()).toEqual({
      data: {
        mode: 'REQUIRED',
        suite: 'sm2-sm4-gcm-v1',
        version: 1,
        keyId: '2026-01',
        publicKey,
        timestampWindowSeconds: 120,
        maxPayloadBytes: 3000,
        maxQueryBytes: 3000,
        serverTime: service.clock.now,
        exempt: ['/encryption/public-key GET'],
      },
    });
    expect(response.body).not.toContain(key);
    expect(service.app.envelopeCrypto).toMatchObject({ mode: 'REQUIRED', keyId: '2026-01', publicKey });
    expect(new Set(access)).toEqual(new Set(['public']));
  });

  it.each(['REQUIRED', 'OFF'] as const)('ENV-1 lists the exempt routes that exist, in mode %s', async (mode) => {
    const service = await createService({
      crypto: { mode, bypassRoutes: ['/hook', '/status get'] },
      routes(app) {
        const handler = async () => ({ data: 1 });
        const config = { bypassEnvelope: true };
        app.get('/actuator/health', handler);
        app.all('/hook', { config }, handler);
        app.route({ method: ['GET', 'DELETE'], url: '/status', handler });
        app.put('/sealed/:id', handler);
        app.register(async (scope) => void scope.post('/files/:id(^\\d+$)', { config }, handler), { prefix: '/v1' });
        app.get('/pages/*', { config, exposeHeadRoute: false }, handler);
      },
    });
    opened.push(service);
    expect((await service.app.inject('/encryption/public-key')).json().data.exempt).toEqual([
      '/actuator/health',
      '/encryption/public-key GET',
      '/hook',
      '/status GET',
      '/pages/* GET',
      '/v1/files/:id POST',
    ]);
  });

  it('computes the public key of every published vector', () => {
    for (const { privateKey, publicKey } of vectors.keys) {
      expect(Buffer.from(sm2Sm4GcmV1.publicKeyOf(Buffer.from(privateKey, 'hex'))).toString('hex')).toBe(publicKey);
    }
  });

  it('can be left out', async () => {
    const app = fastify();
    await app.register(envelopeCrypto);
    expect((await app.inject('/encryption/public-key')).statusCode).toBe(404);
    await app.close();
  });
});

describe('ENV-1 rotation', () => {
  it('an earlier key is accepted until it is removed from the list', async () => {
    const [old, next] = [privateKey(), privateKey()];
    const routes: Parameters<typeof createService>[0] = {
      routes: (app) => app.post('/echo', async () => ({ data: 1 })),
    };
    const before = await createService({ ...routes, crypto: { keyId: 'old', privateKey: old } });
    const during = await createService({
      ...routes,
      crypto: { keyId: 'next', privateKey: next, previousKeys: [{ keyId: 'old', privateKey: old }] },
    });
    const after = await createService({ ...routes, crypto: { keyId: 'next', privateKey: next } });
    opened.push(before, during, after);
    const sealed = seal(before);
    expect(await during.app.inject(sealed.request())).toMatchObject({ statusCode: 200 });
    expect((await after.app.inject(sealed.request())).json()).toMatchObject({ code: 'ENVELOPE_KEY_UNKNOWN' });
    expect(during.app.envelopeCrypto.bootstrap()).toMatchObject({ keyId: 'next' });
  });
});

describe('EC-46 the log', () => {
  it('contains the reason of a refusal, and never key, plaintext or ciphertext', async () => {
    const key = privateKey();
    const service = await createService({
      crypto: { privateKey: key, keyId: 'test-key' },
      routes: (app) => app.all('/echo', async () => ({ data: 'the-answer-of-EC-46' })),
    });
    opened.push(service);
    const secret = 'the-secret-of-EC-46';
    const baseKey = crypto.getRandomValues(new Uint8Array(16));
    const kept = Buffer.from(baseKey);
    const secrets = { baseKey, nonce: crypto.getRandomValues(new Uint8Array(16)), iv: new Uint8Array(12) };
    const { requestKey, responseKey } = sm2Sm4GcmV1.deriveKeys(kept, secrets.nonce, 'test-key');
    const sealed = seal(service, { body: { secret }, secrets });
    const inQuery = seal(service, { method: 'GET', query: secret });
    const flip = (text: unknown) => String(text).replace(/^../, (two) => (two === 'AA' ? 'BB' : 'AA'));
    const withLast = (text: unknown) => String(text).replace(/...$/, (three) => (three === 'AAA' ? 'BAA' : 'AAA'));
    const changes = [
      { ct: flip(sealed.members.ct) },
      { ek: withLast(sealed.members.ek) },
      { kid: 'unknown' },
      { iv: flip(sealed.members.iv) },
      { ts: 1 },
      { ct: 'AAAA' },
    ];
    for (const members of changes) await sealed.send({ members: { ...sealed.members, ...members } });
    for (const members of [{ ct: flip(inQuery.members.ct) }, { kid: 'unknown' }]) {
      await inQuery.send({ members: { ...inQuery.members, ...members } });
    }
    await sealed.send();
    await sealed.send();
    await inQuery.send();

    const log = service.log.join('');
    expect(log).toContain('the tag does not fit');
    expect(log).toContain('the wrapped key does not open');
    expect(log).toContain('ct: not base64url of at least 16 bytes');
    const forms = (bytes: Uint8Array) => [Buffer.from(bytes).toString('hex'), Buffer.from(bytes).toString('base64url')];
    const forbidden = [
      ...[key, secret, 'the-answer-of-EC-46', String(sealed.members.ct), String(inQuery.members.ct)],
      ...[kept, requestKey, responseKey].flatMap(forms),
    ];
    for (const text of forbidden) expect(log).not.toContain(text);
  });
});
