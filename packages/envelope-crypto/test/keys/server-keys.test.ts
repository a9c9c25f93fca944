import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EnvelopeKeyUnavailableError } from '../../src/errors.js';
import { randomSm2Scalar, sm2PublicKey } from '../../src/gm/index.js';
import type { KeyProvider } from '../../src/keys/key-provider.js';
import { loadServerKeys, type ServerKeyOptions, type ServerKeys } from '../../src/keys/server-keys.js';
import { sm2Sm4GcmV1 as suite } from '../../src/suites/index.js';
import { hex, withBitFlipped } from '../vector-files.js';

const baseKey = Uint8Array.from({ length: 16 }, (_, i) => i + 1);

function keyPair(keyId: string) {
  const secret = randomSm2Scalar();
  return { keyId, secret, privateKey: hex(secret)!, publicKey: sm2PublicKey(secret) };
}
const today = keyPair('today');
const yesterday = keyPair('yesterday');
const ek = suite.wrapBaseKey(today.publicKey, baseKey);

function serverKeys(options: ServerKeyOptions): ServerKeys {
  const reading = loadServerKeys(options);
  if (reading.kind === 'refused') throw new Error(reading.faults.join('; '));
  return reading.keys;
}

function faultsOf(options: ServerKeyOptions): string {
  const reading = loadServerKeys(options);
  if (reading.kind === 'loaded') throw new Error('the keys were accepted');
  return reading.faults.join('\n');
}

describe('the keys of a service', () => {
  it('ENV-3 announce the current key and unwrap with it and with every earlier one', async () => {
    const older = keyPair('older');
    const keys = serverKeys({ ...today, previousKeys: [yesterday, older] });
    expect(keys.current.keyId).toBe('today');
    expect(hex(keys.current.publicKey)).toBe(hex(today.publicKey));
    for (const { keyId, publicKey } of [today, yesterday, older]) {
      expect(keys.has(keyId)).toBe(true);
      expect(hex(await keys.unwrap(keyId, suite.wrapBaseKey(publicKey, baseKey)))).toBe(hex(baseKey));
    }
    expect(await keys.unwrap('yesterday', ek)).toBeNull();
    expect(await keys.unwrap('today', withBitFlipped(ek, 900))).toBeNull();
  });

  it('EC-25 recognise an id only exactly, not by prototype or in another case', async () => {
    const keys = serverKeys(today);
    for (const keyId of [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '',
      'TODAY',
      'today ',
      't'.repeat(10_000),
    ]) {
      expect(keys.has(keyId), keyId.slice(0, 20)).toBe(false);
      expect(await keys.unwrap(keyId, ek)).toBeNull();
    }
    const odd = serverKeys({ ...today, keyId: '__proto__' });
    expect(odd.has('__proto__')).toBe(true);
    expect(hex(await odd.unwrap('__proto__', ek))).toBe(hex(baseKey));
    expect(odd.has('constructor')).toBe(false);
  });

  it('EC-43 report every fault at once, with the option and the fix, and no value', () => {
    const secret = 'ab'.repeat(31);
    const message = faultsOf({
      keyId: 'bad id',
      privateKey: secret,
      previousKeys: [
        yesterday,
        { keyId: 'yesterday', privateKey: '00'.repeat(32) },
        { keyId: hex(today.secret)!, privateKey: 'kid' },
      ],
    });
    expect(message).toContain('keyId must have 1 to 64 characters of A-Z a-z 0-9 . _ -');
    expect(message).toContain('privateKey has 62 characters instead of 64 (make one with: openssl rand -hex 32)');
    expect(message).toContain('previousKeys[1].keyId is the id of another key too');
    expect(message).toContain('previousKeys[1].privateKey is zero');
    expect(message).toContain('previousKeys[2].privateKey has 3 characters');
    expect(message).not.toContain('abab');
    expect(message).not.toContain(hex(today.secret)!.slice(0, 8));
  });

  it('OPS-10 EC-43 are refused if an id is or may be a private key, and show neither', () => {
    const { privateKey } = today;
    const form = 'has the form of a private key';
    const doubled = faultsOf({ keyId: privateKey, privateKey });
    expect(doubled).toContain(`keyId ${form}`);
    const swapped = faultsOf({ keyId: privateKey, privateKey: 'today' });
    expect(swapped).toContain(`keyId ${form}`);
    const earlier = faultsOf({
      ...today,
      previousKeys: [yesterday, { keyId: privateKey.toUpperCase(), privateKey: hex(randomSm2Scalar())! }],
    });
    expect(earlier).toContain(`previousKeys[1].keyId ${form}`);
    const provider = { keyId: 'p', publicKey: hex(today.publicKey)!, unwrap: async () => null };
    const named = faultsOf({ keyProvider: { ...provider, keyId: privateKey, previousKeyIds: ['a', privateKey] } });
    expect(named).toContain(`keyProvider.keyId ${form}`);
    expect(named).toContain(`keyProvider.previousKeyIds[1] ${form}`);
    for (const message of [doubled, swapped, earlier, named]) {
      expect(message.toLowerCase()).not.toContain(privateKey.slice(0, 8));
    }
    expect(serverKeys({ ...today, keyId: privateKey.slice(0, 16) }).has(privateKey)).toBe(false);
  });

  it('are refused without a current key', () => {
    expect(faultsOf({ previousKeys: [yesterday] })).toContain('privateKey and keyId, or keyProvider, are required');
  });
});

describe('a key provider', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const provider = (unwrap: KeyProvider['unwrap'], rest: Partial<KeyProvider> = {}): KeyProvider => ({
    keyId: 'today',
    publicKey: hex(today.publicKey)!,
    unwrap,
    ...rest,
  });
  const inMemory: KeyProvider['unwrap'] = async (keyId, ciphertext) =>
    suite.unwrapBaseKey((keyId === 'today' ? today : yesterday).secret, ciphertext);

  it('ENV-3 keeps the private key: its public key is announced, and it unwraps base keys', async () => {
    const keys = serverKeys({ keyProvider: provider(inMemory, { previousKeyIds: ['yesterday'] }) });
    expect(keys.current.keyId).toBe('today');
    expect(hex(keys.current.publicKey)).toBe(hex(today.publicKey));
    expect(hex(await keys.unwrap('today', ek))).toBe(hex(baseKey));
    expect(hex(await keys.unwrap('yesterday', suite.wrapBaseKey(yesterday.publicKey, baseKey)))).toBe(hex(baseKey));
    expect(await keys.unwrap('today', withBitFlipped(ek, 900))).toBeNull();
    expect(keys.has('older')).toBe(false);
  });

  it('ENV-3 still opens earlier envelopes after a key of this process takes over, and vice versa', async () => {
    const taken = serverKeys({ ...yesterday, keyProvider: provider(inMemory) });
    expect(taken.current.keyId).toBe('yesterday');
    expect(hex(await taken.unwrap('today', ek))).toBe(hex(baseKey));
    const handed = serverKeys({ previousKeys: [yesterday], keyProvider: provider(inMemory) });
    expect(handed.current.keyId).toBe('today');
    expect(hex(await handed.unwrap('yesterday', suite.wrapBaseKey(yesterday.publicKey, baseKey)))).toBe(hex(baseKey));
  });

  it('is not called for input that can’t be a wrapped key', async () => {
    const unwrap = vi.fn(inMemory);
    const keys = serverKeys({ keyProvider: provider(unwrap) });
    for (const bad of [ek.subarray(1), new Uint8Array(113), withBitFlipped(ek, 6), withBitFlipped(ek, 300)]) {
      expect(await keys.unwrap('today', bad)).toBeNull();
    }
    expect(unwrap).not.toHaveBeenCalled();
  });

  it('EC-24 returns a base key of 16 bytes or none', async () => {
    for (const length of [0, 1, 15, 17, 32]) {
      const keys = serverKeys({ keyProvider: provider(async () => new Uint8Array(length)) });
      expect(await keys.unwrap('today', ek), `${length} bytes`).toBeNull();
    }
  });

  it('is unavailable (503) if it rejects, throws, or returns neither bytes nor null', async () => {
    const failing: KeyProvider['unwrap'][] = [
      () => Promise.reject(new Error('ECONNREFUSED')),
      () => {
        throw new Error('not connected');
      },
      async () => 'text' as unknown as Uint8Array,
      async () => undefined as unknown as null,
    ];
    for (const unwrap of failing) {
      const answer = serverKeys({ keyProvider: provider(unwrap) }).unwrap('today', ek);
      await expect(answer).rejects.toMatchObject({ code: 'ENVELOPE_KEY_UNAVAILABLE', statusCode: 503 });
    }
  });

  it('is unavailable after its timeout, which aborts the signal, and its late answer is dropped', async () => {
    let signal: AbortSignal | undefined;
    let answerLate: (key: Uint8Array) => void = () => {};
    const slow: KeyProvider['unwrap'] = (_keyId, _ciphertext, options) => {
      signal = options.signal;
      return new Promise((resolve) => {
        answerLate = resolve;
      });
    };
    const keys = serverKeys({ keyProvider: provider(slow, { timeoutMillis: 300 }) });
    const answer = Promise.resolve(keys.unwrap('today', ek));
    const settled = vi.fn();
    answer.catch(settled);
    await vi.advanceTimersByTimeAsync(299);
    expect(settled).not.toHaveBeenCalled();
    expect(signal?.aborted).toBe(false);
    // The deadline ends with one more turn of the event loop, which the fake clock counts as a millisecond.
    await vi.advanceTimersByTimeAsync(2);
    expect(signal?.aborted).toBe(true);
    await expect(answer).rejects.toBeInstanceOf(EnvelopeKeyUnavailableError);
    answerLate(baseKey);
  });

  it('REL-2 does not lose an answer that arrived while the process was paused, however long', async () => {
    vi.useRealTimers();
    const inSteps: KeyProvider['unwrap'] = async () => {
      for (let step = 0; step < 4; step++) await new Promise((resolve) => setTimeout(resolve, 1));
      return baseKey;
    };
    const keys = serverKeys({ keyProvider: provider(inSteps, { timeoutMillis: 200 }) });
    const answer = keys.unwrap('today', ek);
    const end = performance.now() + 600;
    while (performance.now() < end);
    expect(hex(await answer)).toBe(hex(baseKey));
  });

  it('never exceeds maxConcurrentCalls calls, including those after their timeout', async () => {
    const pending: (() => void)[] = [];
    const unwrap = vi.fn<KeyProvider['unwrap']>(
      () =>
        new Promise((resolve) => {
          pending.push(() => resolve(baseKey));
        }),
    );
    const keys = serverKeys({ keyProvider: provider(unwrap, { maxConcurrentCalls: 2, timeoutMillis: 100 }) });
    const ask = () => Promise.resolve(keys.unwrap('today', ek)).then(hex, (error: Error) => error);
    const [first, second, third] = [ask(), ask(), ask()];
    expect(await third).toBeInstanceOf(EnvelopeKeyUnavailableError);
    expect(unwrap).toHaveBeenCalledTimes(2);

    pending[0]!();
    expect(await first).toBe(hex(baseKey));
    await vi.advanceTimersByTimeAsync(101);
    expect(await second).toBeInstanceOf(EnvelopeKeyUnavailableError);

    // The second call is still pending after its timeout and counts. The first one is done.
    const fourth = ask();
    expect(await ask()).toBeInstanceOf(EnvelopeKeyUnavailableError);
    expect(unwrap).toHaveBeenCalledTimes(3);
    pending[1]!();
    pending[2]!();
    expect(await fourth).toBe(hex(baseKey));
  });

  it('ENV-12 has one bound for all sets of keys that share it: a rotation does not double it', async () => {
    const unwrap = vi.fn<KeyProvider['unwrap']>(() => new Promise(() => {}));
    const keyProvider = provider(unwrap, { maxConcurrentCalls: 1, timeoutMillis: 100 });
    const [before, after] = [serverKeys({ keyProvider }), serverKeys({ keyProvider, previousKeys: [yesterday] })];
    const answers = Promise.allSettled([before.unwrap('today', ek), after.unwrap('today', ek)]);
    await vi.advanceTimersByTimeAsync(101);
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(unwrap).toHaveBeenCalledOnce();
  });

  it('is refused at the start with a bad public key, a published one, or bad bounds', () => {
    const message = faultsOf({
      keyProvider: {
        keyId: '',
        publicKey: '04ff',
        previousKeyIds: 'yesterday' as never,
        unwrap: null as never,
        timeoutMillis: 0,
        maxConcurrentCalls: 1.5,
      },
    });
    for (const option of ['keyId', 'publicKey', 'previousKeyIds', 'unwrap', 'timeoutMillis', 'maxConcurrentCalls']) {
      expect(message).toContain(`keyProvider.${option} `);
    }
    const published =
      '0409f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13';
    expect(faultsOf({ keyProvider: provider(inMemory, { publicKey: published }) })).toContain('printed in a standard');
  });
});
