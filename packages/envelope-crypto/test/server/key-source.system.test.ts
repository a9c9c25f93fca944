import { fastify } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEnvelopeClient } from '../../src/client/index.js';
import { sm2PublicKey } from '../../src/gm/index.js';
import { type EnvelopeCryptoOptions, envelopeCrypto, type KeySource, type SuppliedKeys } from '../../src/index.js';
import { sm2Sm4GcmV1 as suite } from '../../src/suites/index.js';
import { injectedFetch } from '../injected-fetch.js';
import { seal } from '../sealed-request.js';
import { createService, privateKey, type Service } from '../service.js';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

/** For a busy machine. */
const PATIENCE = { timeout: 10_000 };

const keyNamed = (keyId: string) => ({ keyId, privateKey: privateKey() });

/** A service whose keys the test replaces. */
async function serve(first: SuppliedKeys, crypto: EnvelopeCryptoOptions = {}) {
  let keys = first;
  let refresh = () => {};
  const stop = vi.fn();
  const keySource: KeySource = {
    load: async () => keys,
    subscribe(notice) {
      refresh = notice;
      return stop;
    },
  };
  const service = await createService({
    crypto: { keySource, ...crypto },
    routes: (app) => app.route({ method: ['GET', 'POST'], url: '/echo', handler: async ({ body }) => body ?? {} }),
  });
  opened.push(service);
  async function replace(next: SuppliedKeys, isTaken = true): Promise<void> {
    const { keyId } = service.app.envelopeCrypto;
    keys = next;
    refresh();
    await vi.waitFor(() => {
      const { envelopeCrypto: now } = service.app;
      expect(isTaken ? now.keyId !== keyId : now.keyRefreshFailure() !== null).toBe(true);
    }, PATIENCE);
  }
  return { ...service, stop, replace };
}

describe('a service with a key source', () => {
  it('ENV-12 serves with its keys and announces the current one, before and after a rotation', async () => {
    const [old, next] = [keyNamed('2026-10'), keyNamed('2026-11')];
    const service = await serve(old);
    const sealed = seal(service);
    expect(service.app.envelopeCrypto).toMatchObject({ keyId: '2026-10' });
    await service.replace({ ...next, previousKeys: [old] });
    const publicKey = Buffer.from(sm2PublicKey(Buffer.from(next.privateKey, 'hex'))).toString('hex');
    expect(service.app.envelopeCrypto).toMatchObject({ keyId: '2026-11', publicKey });
    expect((await service.app.inject('/encryption/public-key')).json().data).toMatchObject({
      keyId: '2026-11',
      publicKey,
    });
    const responses = [await sealed.send(), await seal(service).send()];
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(service.log.join()).not.toContain(old.privateKey);
    expect(service.log.join()).not.toContain(next.privateKey);
  });

  it('ENV-12 replaces keys under load: the client’s application sees no error, even if the old key is dropped', async () => {
    const service = await serve(keyNamed('k0'));
    const { fetch } = createEnvelopeClient({
      baseUrl: 'http://localhost',
      fetch: injectedFetch(service.app),
      now: () => service.clock.now,
    });
    const outcomes: unknown[] = [];
    let isDone = false;
    const users = Array.from({ length: 8 }, async (_, user) => {
      for (let i = 0; !isDone; i++) {
        const body = JSON.stringify({ user, i });
        const answer = await fetch('/echo', { method: 'POST', body }).then((response) => response.text(), String);
        outcomes.push(answer === body ? 'right' : answer);
      }
    });
    try {
      for (let i = 1; i <= 3; i++) {
        await vi.waitFor(() => expect(outcomes.length).toBeGreaterThan(i * 10), PATIENCE);
        await service.replace(keyNamed(`k${i}`));
      }
    } finally {
      isDone = true;
      await Promise.all(users);
    }
    expect(new Set(outcomes)).toEqual(new Set(['right']));
    expect(service.log.join()).toContain('ENVELOPE_KEY_UNKNOWN');
  });

  it('ENV-12 takes a source that only unwraps, and one that changes to it', async () => {
    const held = keyNamed('held');
    const service = await serve(held);
    const secret = Buffer.from(privateKey(), 'hex');
    const keyProvider = {
      keyId: 'kms-1',
      publicKey: Buffer.from(sm2PublicKey(secret)).toString('hex'),
      unwrap: vi.fn(async (_: string, ek: Uint8Array) => suite.unwrapBaseKey(secret, ek)),
    };
    const before = seal(service);
    await service.replace({ keyProvider, previousKeys: [held] });
    expect([(await seal(service).send()).statusCode, (await before.send()).statusCode]).toEqual([200, 200]);
    // Once for the test before it is used.
    expect(keyProvider.unwrap).toHaveBeenCalledTimes(2);
  });

  it('ENV-12 goes on with its keys when the source yields a weak one, and says so', async () => {
    const service = await serve(keyNamed('good'));
    expect(service.app.envelopeCrypto.keyRefreshFailure()).toBeNull();
    const weak = Buffer.from('ThisIsMyVerySecretKeyForTesting!').toString('hex');
    await service.replace({ keyId: 'bad', privateKey: weak }, false);
    expect(service.app.envelopeCrypto.keyRefreshFailure()).toEqual({
      since: service.clock.now,
      faults: [expect.stringContaining('privateKey is text: every byte is printable ASCII')],
    });
    expect((await seal(service).send()).statusCode).toBe(200);
    expect(service.log.filter((line) => line.includes('could not be refreshed'))).toHaveLength(1);
    expect(service.log.join()).not.toContain(weak);
  });

  it('ENV-12 ends its subscription when it closes', async () => {
    const service = await serve(keyNamed('k'));
    await service.app.close();
    expect(service.stop).toHaveBeenCalledOnce();
  });
});

describe('the option keySource', () => {
  async function refusal(options: object): Promise<string> {
    const app = fastify();
    try {
      await app.register(envelopeCrypto, options as EnvelopeCryptoOptions);
      return 'started';
    } catch (error) {
      return (error as Error).message;
    } finally {
      await app.close();
    }
  }

  it('ENV-12 EC-43 refuses the start with the reason and without the key', async () => {
    const key = privateKey().slice(0, 62);
    const load = async () => ({ keyId: 'k', privateKey: key });
    const message = await refusal({ mode: 'REQUIRED', keySource: { load } });
    expect(message).toContain('keySource: privateKey has 62 characters instead of 64');
    expect(message).not.toContain(key.slice(0, 8));
    const failing = { load: () => Promise.reject(new Error('access denied')) };
    expect(await refusal({ mode: 'REQUIRED', keySource: failing })).toBe(
      'envelope-crypto: keySource: load failed: access denied',
    );
  });

  it('ENV-12 refuses any other key beside it, and needs a mode', async () => {
    const keySource = { load: async () => keyNamed('k') };
    const keyProvider = { keyId: 'p', publicKey: '04', unwrap: async () => null };
    const beside = { ...keyNamed('x'), previousKeys: [keyNamed('y')], keyProvider };
    const message = await refusal({ keySource, ...beside });
    for (const name of ['keyId', 'privateKey', 'previousKeys', 'keyProvider']) {
      expect(message).toContain(`${name} must be left out: the keySource yields every key`);
    }
    expect(message).toContain('mode is required with privateKey and keyProvider and keySource and previousKeys');
    expect(await refusal({ mode: 'REQUIRED', keySource: { loads: async () => {} } })).toContain(
      'keySource must be an object with load',
    );
  });

  it('ENV-12 is not called in mode OFF', async () => {
    const load = vi.fn(async () => keyNamed('k'));
    expect(await refusal({ mode: 'OFF', keySource: { load } })).toBe('started');
    expect(load).not.toHaveBeenCalled();
  });
});
