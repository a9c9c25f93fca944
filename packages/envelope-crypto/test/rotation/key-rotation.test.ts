import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { randomSm2Scalar, sm2PublicKey } from '../../src/gm/index.js';
import { EnvelopeKeyUnavailableError, type KeySource, type SuppliedKeys } from '../../src/index.js';
import { readSuppliedKeys, type ServerKeys } from '../../src/keys/index.js';
import { createKeyRing, createKeyRotation, type KeyRotation, keySourceRule } from '../../src/rotation/index.js';
import { sm2Sm4GcmV1 as suite } from '../../src/suites/index.js';
import { hex } from '../vector-files.js';

const baseKey = Uint8Array.from({ length: 16 }, (_, i) => i + 1);

function keyPair(keyId: string) {
  const secret = randomSm2Scalar();
  const publicKey = sm2PublicKey(secret);
  return { keyId, privateKey: hex(secret)!, publicKey, ek: suite.wrapBaseKey(publicKey, baseKey) };
}
const [old, next, third] = [keyPair('old'), keyPair('next'), keyPair('third')];
const named = ({ keyId, privateKey }: ReturnType<typeof keyPair>) => ({ keyId, privateKey });

function keysOf(supplied: SuppliedKeys): ServerKeys {
  const reading = readSuppliedKeys(supplied);
  if (reading.kind === 'refused') throw new Error(reading.faults.join());
  return reading.keys;
}

const noThreads = async () => ({ unwrap: suite.unwrapBaseKey, close: async () => {} });

/** A source that yields what the test says, and a ring that it refreshes. */
async function start(first: SuppliedKeys, options: Partial<KeySource> = {}) {
  const load = vi.fn<KeySource['load']>(async () => first);
  const stop = vi.fn();
  let notify = () => {};
  const source: KeySource = {
    load,
    subscribe(refresh) {
      notify = refresh;
      return stop;
    },
    ...options,
  };
  const lines: { level: string; fields: Record<string, unknown>; text: string }[] = [];
  const logAs = (level: string) => (fields: unknown, text?: string) =>
    void lines.push({ level, fields: typeof fields === 'object' ? { ...fields } : {}, text: text ?? String(fields) });
  const log = { info: logAs('info'), error: logAs('error') } as never;
  const rotation: KeyRotation = createKeyRotation({ source: keySourceRule.read(source), log, now: Date.now });
  const reading = await rotation.load();
  if (reading.kind === 'refused') return { faults: reading.faults, load, rotation, lines };
  const ring = await createKeyRing({ keys: reading.keys, startUnwraps: noThreads, log });
  rotation.start(ring);
  const opens = async ({ keyId, ek }: ReturnType<typeof keyPair>) => hex(await ring.unwrap(keyId, ek)) === hex(baseKey);
  return { faults: [], load, stop, notify: () => notify(), rotation, ring, opens, lines };
}

const pass = (millis: number) => vi.advanceTimersByTimeAsync(millis);

describe('the rotation of keys', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ENV-12 uses the keys that the source yields at each interval, and opens with those that it still lists', async () => {
    const { load, ring, opens, lines, rotation } = await start(named(old), { refreshSeconds: 30 });
    expect(ring!.current.keyId).toBe('old');
    load.mockResolvedValue({ ...named(next), previousKeys: [named(old)] });
    await pass(29_999);
    expect(ring!.current.keyId).toBe('old');
    await pass(1);
    expect(ring!.current).toEqual({ keyId: 'next', publicKey: next.publicKey });
    expect([await opens!(next), await opens!(old), ring!.has('third')]).toEqual([true, true, false]);
    load.mockResolvedValue({ ...named(third), previousKeys: [named(next)] });
    await pass(30_000);
    expect([ring!.current.keyId, ring!.has('old'), await opens!(next)]).toEqual(['third', false, true]);
    expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
      ['info', { keyId: 'next', keyIds: ['next', 'old'] }],
      ['info', { keyId: 'third', keyIds: ['third', 'next'] }],
    ]);
    rotation.close();
    await pass(60_000);
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('ENV-12 does nothing while the keys are the same', async () => {
    const { load, ring, lines } = await start({ ...named(old), previousKeys: [named(next)] });
    const { keys } = ring!;
    load.mockImplementation(async () => ({ previousKeys: [named(next)], ...named(old) }));
    await pass(180_000);
    expect(load).toHaveBeenCalledTimes(4);
    expect(ring!.keys).toBe(keys);
    expect(lines).toEqual([]);
  });

  it('ENV-12 refreshes at once when the source notices a change, one call at a time', async () => {
    const { load, ring, notify, stop, rotation } = await start(named(old));
    const answers: ((keys: SuppliedKeys) => void)[] = [];
    load.mockImplementation(() => new Promise((resolve) => void answers.push(resolve)));
    for (let i = 0; i < 5; i++) notify!();
    await pass(0);
    expect(answers).toHaveLength(1);
    answers[0]!(named(next));
    await pass(0);
    expect(ring!.current.keyId).toBe('next');
    // The five notices of the first call were one: the keys may have changed since it began.
    await pass(499);
    expect(answers).toHaveLength(1);
    await pass(1);
    expect(answers).toHaveLength(2);
    answers[1]!(named(next));
    await pass(0);
    expect(answers).toHaveLength(2);
    rotation.close();
    expect(stop).toHaveBeenCalledOnce();
    notify!();
    expect(answers).toHaveLength(2);
  });

  it('ENV-12 calls the source at most twice a second, however often it notices something', async () => {
    const { load, notify, ring } = await start(named(old), { refreshSeconds: 60 });
    for (let i = 0; i < 1000; i++) {
      notify!();
      await pass(10);
    }
    expect(load.mock.calls.length).toBeGreaterThan(15);
    expect(load.mock.calls.length).toBeLessThan(23);
    load.mockResolvedValue(named(next));
    notify!();
    await pass(500);
    expect(ring!.current.keyId).toBe('next');
  });

  it('ENV-12 keeps the keys if the source fails, logs it, and asks again soon', async () => {
    const { load, ring, opens, rotation, lines } = await start(named(old), { refreshSeconds: 300 });
    load.mockRejectedValue(new Error('connect ECONNREFUSED 10.0.0.9:443'));
    await pass(300_000);
    const failedAt = Date.now();
    expect(rotation.failure()).toEqual({
      since: failedAt,
      faults: ['load failed: connect ECONNREFUSED 10.0.0.9:443'],
    });
    expect(await opens!(old)).toBe(true);
    await pass(100_000);
    expect(load).toHaveBeenCalledTimes(12);
    expect(rotation.failure()!.since).toBe(failedAt);
    load.mockResolvedValue({ ...named(next), previousKeys: [named(old)] });
    await pass(10_000);
    expect([rotation.failure(), ring!.current.keyId]).toEqual([null, 'next']);
    expect(lines.map(({ level, text }) => `${level}: ${text}`)).toEqual([
      'error: the keys of the envelopes could not be refreshed: those in use stay',
      'info: the keys of the envelopes were replaced',
      'info: the keys of the envelopes are refreshed again',
    ]);
  });

  const bad: [string, unknown, string][] = [
    ['a text', { keyId: 'n', privateKey: Buffer.from('ThisIsMyVerySecretKeyForTesting!').toString('hex') }, 'is text'],
    ['half zeros', { keyId: 'n', privateKey: '00'.repeat(16) + next.privateKey.slice(32) }, '2^192'],
    ['a weak earlier key', { ...named(next), previousKeys: [{ keyId: 'o', privateKey: 'ab'.repeat(32) }] }, 'distinct'],
    ['63 characters', { keyId: 'n', privateKey: next.privateKey.slice(1) }, 'has 63 characters'],
    ['a key without an id', { privateKey: next.privateKey }, 'keyId must have 1 to 64 characters'],
    ['a number', { keyId: 'n', privateKey: 7 }, 'privateKey must be 64 hexadecimal characters'],
    ['an unknown member', { ...named(next), oldKeys: [] }, 'oldKeys is not an option'],
    ['a key in place of its id', { [next.privateKey]: '2026-12' }, 'the keys have an unknown member'],
    ['a key in place of a name', { ...named(old), [`${next.privateKey}\n`]: 1 }, 'the keys have an unknown member'],
    ['no current key', { previousKeys: [named(next)] }, 'are required'],
    [
      'a published key of a provider',
      { keyProvider: { keyId: 'n', publicKey: '04', unwrap: async () => null } },
      'point',
    ],
    ['nothing', undefined, 'the keys must be an object'],
    ['a list', [named(next)], 'the keys must be an object'],
    ['a bigint', { keyId: 'n', privateKey: 10n }, 'load failed: '],
  ];

  it.each(bad)(
    'ENV-12 ENV-10 refuses %s at the start, and keeps its keys when it comes later',
    async (_, keys, why) => {
      const atStart = await start(keys as SuppliedKeys);
      expect(atStart.faults.join()).toContain(why);
      const { load, opens, rotation, lines } = await start(named(old), { refreshSeconds: 10 });
      load.mockResolvedValue(keys as SuppliedKeys);
      await pass(100_000);
      expect(rotation.failure()!.faults).toEqual(atStart.faults);
      expect(await opens!(old)).toBe(true);
      expect(lines.map(({ level }) => level)).toEqual(['error']);
      expect(JSON.stringify([lines, atStart.faults])).not.toContain(next.privateKey.slice(40));
    },
  );

  it('ENV-12 keeps its keys if an id names another key: clients would seal for the key that they know', async () => {
    const { load, ring, opens, rotation } = await start(named(old), { refreshSeconds: 10 });
    load.mockResolvedValue({ ...named(next), keyId: 'old' });
    await pass(10_000);
    expect(rotation.failure()!.faults).toEqual([
      'the id old named another key until now: give each key an id of its own',
    ]);
    expect([ring!.current.publicKey, await opens!(old)]).toEqual([old.publicKey, true]);
  });

  it('ENV-12 remembers the key of an id that was away meanwhile', async () => {
    const { load, ring, rotation } = await start(named(old), { refreshSeconds: 10 });
    load.mockResolvedValue(named(next));
    await pass(10_000);
    expect(ring!.has('old')).toBe(false);
    load.mockResolvedValue({ ...named(next), previousKeys: [{ ...named(third), keyId: 'old' }] });
    await pass(10_000);
    expect(rotation.failure()!.faults).toEqual([
      'the id old named another key until now: give each key an id of its own',
    ]);
    load.mockResolvedValue({ ...named(next), previousKeys: [named(old)] });
    await pass(10_000);
    expect([rotation.failure(), ring!.has('old')]).toEqual([null, true]);
  });

  const providerOf = (pair: ReturnType<typeof keyPair>, secrets: Readonly<Record<string, string>>) => ({
    keyId: pair.keyId,
    publicKey: hex(pair.publicKey)!,
    unwrap: vi.fn(async (keyId: string, ek: Uint8Array) => {
      if (secrets[keyId] === undefined) throw new Error(`no permission for ${pair.privateKey}`);
      return suite.unwrapBaseKey(Buffer.from(secrets[keyId], 'hex'), ek);
    }),
  });

  it('ENV-12 takes a provider that opens what its public key has wrapped, also for an id that it takes over', async () => {
    const secrets = { next: next.privateKey, old: old.privateKey };
    const keyProvider = { ...providerOf(next, secrets), previousKeyIds: ['old', 'elder'] };
    const { load, ring, opens } = await start(named(old), { refreshSeconds: 10 });
    load.mockResolvedValue({ keyProvider });
    await pass(10_000);
    expect(ring!.current.keyId).toBe('next');
    expect(keyProvider.unwrap.mock.calls.map(([keyId]) => keyId)).toEqual(['next', 'old']);
    expect([await opens!(next), await opens!(old)]).toEqual([true, true]);
  });

  const wrong: [string, Readonly<Record<string, string>>, string][] = [
    [
      'has another private key',
      { next: third.privateKey, old: old.privateKey },
      'keyProvider.unwrap does not open with next what its public key has wrapped',
    ],
    [
      'has another key under an earlier id',
      { next: next.privateKey, old: third.privateKey },
      'keyProvider.unwrap does not open with old what its public key has wrapped',
    ],
    ['gives no answer', { old: old.privateKey }, 'keyProvider.unwrap failed with next: no permission for …'],
  ];
  it.each(wrong)('ENV-12 refuses a provider that %s, before it is used', async (_, secrets, fault) => {
    const keyProvider = { ...providerOf(next, secrets), previousKeyIds: ['old'] };
    const { load, opens, rotation } = await start(named(old), { refreshSeconds: 10 });
    load.mockResolvedValue({ keyProvider });
    await pass(10_000);
    expect(rotation.failure()!.faults).toEqual([fault]);
    expect(await opens!(old)).toBe(true);
    const { faults } = await start({ keyProvider });
    expect(faults).toEqual(fault.includes('next') ? [fault] : []);
  });

  it('ENV-12 takes a provider that is changed in place for other keys, and still opens for its earlier id', async () => {
    const keyProvider = providerOf(old, { next: next.privateKey, old: old.privateKey });
    const { ring, opens } = await start({ keyProvider }, { refreshSeconds: 10 });
    const before = ring!.keys;
    Object.assign(keyProvider, { keyId: 'next', publicKey: hex(next.publicKey), previousKeyIds: ['old'] });
    expect(hex(await before.unwrap('old', old.ek))).toBe(hex(baseKey));
    await pass(10_000);
    expect([ring!.current.keyId, await opens!(old), await opens!(next)]).toEqual(['next', true, true]);
    const { keys } = ring!;
    Object.assign(keyProvider, { timeoutMillis: 500 });
    await pass(10_000);
    expect(ring!.keys).not.toBe(keys);
  });

  it('ENV-12 logs a failure that goes on every ten minutes, and another one at once', async () => {
    const { load, lines } = await start(named(old), { refreshSeconds: 10 });
    load.mockRejectedValue(new Error('away'));
    await pass(1_500_000);
    expect(lines).toHaveLength(3);
    load.mockRejectedValue(new Error('forbidden'));
    await pass(10_000);
    expect(lines).toHaveLength(4);
  });

  it('ENV-12 never logs what a parser quotes, and masks what may be a key', async () => {
    const { load, lines } = await start(named(old), { refreshSeconds: 10 });
    load.mockImplementation(async () => JSON.parse(`{"privateKey": ${next.privateKey}`) as SuppliedKeys);
    await pass(10_000);
    load.mockRejectedValue(new Error(`the key ${next.privateKey} of /etc/sallyport/keys.json`));
    await pass(10_000);
    load.mockRejectedValue('text');
    await pass(10_000);
    expect(lines.map(({ fields }) => fields.faults)).toEqual([
      ['load failed: the text could not be parsed'],
      ['load failed: the key … of /etc/sallyport/keys.json'],
      ['load failed: it threw a value that is not an error'],
    ]);
  });

  const key = Buffer.from(next.privateKey, 'hex');
  const slashed = Buffer.from(`${'fbefbe'.repeat(2)}ffffff${'0102ff'.repeat(7)}0102`, 'hex');
  const written: Readonly<Record<string, string>> = {
    'across the end of what is logged': `${'x '.repeat(145)}${next.privateKey}`,
    'with colons': next.privateKey.replaceAll(/(..)(?=.)/g, '$1:'),
    'with hyphens': next.privateKey.toUpperCase().replaceAll(/(..)(?=.)/g, '$1-'),
    'as a buffer': `<Buffer ${next.privateKey.replaceAll(/(..)(?=.)/g, '$1 ')}>`,
    'in base64': key.toString('base64'),
    'in base64 with slashes': slashed.toString('base64'),
    'in decimal': `[${[...key].join(', ')}]`,
    'as a parser quotes it': `Unexpected token 'x', ..."Key": "${next.privateKey.slice(0, 9)}x is not valid JSON`,
  };
  it.each(Object.entries(written))('ENV-12 never logs a key of a message (%s)', async (_how, message) => {
    const { load, lines } = await start(named(old), { refreshSeconds: 10 });
    load.mockRejectedValue(new Error(message));
    await pass(10_000);
    const text = JSON.stringify(lines[0]!.fields.faults).slice(15);
    const secrets = [...next.privateKey.matchAll(/..(?=....)/g)].map(({ index }) =>
      next.privateKey.slice(index, index + 6),
    );
    for (const secret of secrets) expect(text.replaceAll(/[:\s-]/g, '').toLowerCase()).not.toContain(secret);
    expect(text).not.toMatch(/[\w+/]{9,}=|\d+, \d+, \d+/);
    expect(text.length).toBeLessThan(330);
  });

  it('ENV-12 logs the path and the reason of a message as they are', async () => {
    const { load, lines } = await start(named(old), { refreshSeconds: 10 });
    const message = "ENOENT: no such file or directory, open '/var/run/secrets/sallyport/envelope-keys/keys.json'";
    load.mockRejectedValue(new Error(message));
    await pass(10_000);
    expect(lines[0]!.fields.faults).toEqual([`load failed: ${message}`]);
  });

  it('ENV-12 REL-2 gives up a call at its timeout, aborts it, and drops its late answer', async () => {
    const { load, ring, rotation } = await start(named(old), { refreshSeconds: 60, loadTimeoutMillis: 2000 });
    let signal: AbortSignal | undefined;
    let answerLate: (keys: SuppliedKeys) => void = () => {};
    load.mockImplementation((options) => {
      signal = options.signal;
      return new Promise((resolve) => {
        answerLate = resolve;
      });
    });
    await pass(61_999);
    expect([signal?.aborted, rotation.failure()]).toEqual([false, null]);
    await pass(2);
    expect(signal?.aborted).toBe(true);
    expect(rotation.failure()!.faults).toEqual(['load failed: No answer within 2000 ms']);
    answerLate(named(next));
    await pass(0);
    expect(ring!.current.keyId).toBe('old');
  });

  it('ENV-12 REL-2 has at most three calls without an answer, however long they take', async () => {
    const { load } = await start(named(old), { refreshSeconds: 1, loadTimeoutMillis: 100 });
    load.mockImplementation(() => new Promise(() => {}));
    await pass(60_000);
    expect(load).toHaveBeenCalledTimes(4);
  });

  it('ENV-12 REL-2 tries again after ten minutes with three calls without an answer: rotation never ends', async () => {
    const { load, ring } = await start(named(old), { refreshSeconds: 1, loadTimeoutMillis: 100 });
    load.mockImplementation(() => new Promise(() => {}));
    await pass(60_000);
    load.mockImplementation(async () => named(next));
    await pass(530_000);
    expect([load.mock.calls.length, ring!.current.keyId]).toEqual([4, 'old']);
    await pass(20_000);
    expect(ring!.current.keyId).toBe('next');
  });

  it('ENV-12 gives up its call before it ends the subscription, which may fail', async () => {
    const order: string[] = [];
    const unsubscribe = () => {
      order.push('unsubscribed');
      throw new Error(`lost ${next.privateKey}`);
    };
    const { load, notify, rotation, lines, ring } = await start(named(old), {
      subscribe: (refresh) => {
        setTimeout(refresh, 1);
        return unsubscribe;
      },
    });
    expect(notify).toBeTypeOf('function');
    load.mockImplementation(({ signal }) => {
      signal.addEventListener('abort', () => order.push('aborted'));
      return new Promise(() => {});
    });
    await pass(1);
    rotation.close();
    await pass(0);
    expect(order).toEqual(['aborted', 'unsubscribed']);
    expect(lines).toEqual([
      {
        level: 'error',
        fields: { reason: 'lost …' },
        text: 'the subscription to the keys of the envelopes did not end',
      },
    ]);
    expect(ring!.current.keyId).toBe('old');
  });

  it.each([
    ['a promise', async () => () => {}],
    ['a promise that rejects', () => Promise.reject(new Error('no channel'))],
    ['a watcher', () => ({ close() {} })],
  ])('ENV-12 refuses the start if subscribe returns %s: nothing would end it', async (_what, subscribe) => {
    await expect(start(named(old), { subscribe: subscribe as never })).rejects.toThrow(
      'keySource: subscribe must return a function that ends the subscription',
    );
  });

  it('ENV-12 takes a source whose subscribe returns nothing', async () => {
    const { rotation, ring } = await start(named(old), { subscribe: () => undefined });
    expect(ring!.current.keyId).toBe('old');
    rotation.close();
  });

  it('ENV-12 refuses the start if the source can’t be subscribed to', async () => {
    const subscribe = () => {
      throw new Error('no folder');
    };
    await expect(start(named(old), { subscribe })).rejects.toThrow('keySource: subscribe failed: no folder');
  });

  it('ENV-12 refuses the start with the reason if the source fails or hangs', async () => {
    const failing = await start({}, { load: () => Promise.reject(new Error('access denied')) });
    expect(failing.faults).toEqual(['load failed: access denied']);
    const starting = start({}, { load: () => new Promise(() => {}), loadTimeoutMillis: 500 });
    await pass(501);
    expect((await starting).faults).toEqual(['load failed: No answer within 500 ms']);
  });

  it('ENV-12 takes a source of a class, whose members are its own', async () => {
    class Vault implements KeySource {
      readonly client = named(old);
      async load() {
        return this.client;
      }
    }
    expect(keySourceRule.faults(new Vault(), 'keySource')).toEqual([]);
    const source = keySourceRule.read(new Vault());
    expect(await source.load({ signal: new AbortController().signal })).toEqual(named(old));
  });

  it('ENV-12 ADP-1 refuses a source with bad members, by name', () => {
    const load = async () => named(old);
    const source = { load, refreshSecond: 5, refreshSeconds: 0, loadTimeoutMillis: '1', subscribe: true };
    expect(keySourceRule.faults(source, 'keySource')).toEqual([
      'keySource.refreshSecond is not an option; did you mean keySource.refreshSeconds?',
      'keySource.refreshSeconds must be a whole number of seconds from 1 to 86400',
      'keySource.loadTimeoutMillis must be a whole number of milliseconds from 1 to 60000',
      'keySource.subscribe must be a function',
    ]);
    for (const wrong of [null, 'kms', {}, { load: 1 }]) {
      expect(keySourceRule.faults(wrong, 'keySource')).toEqual(['keySource must be an object with load']);
    }
  });
});

describe('the ring of keys', () => {
  it('ENV-12 lets an unwrap that is under way end with its keys, then closes their threads and wipes them', async () => {
    const closed: string[] = [];
    const answers: (() => void)[] = [];
    const startUnwraps = async (pairs: ServerKeys['keyPairs']) => ({
      unwrap: (privateKey: Uint8Array, ek: Uint8Array) =>
        new Promise<Uint8Array | null>((resolve) => {
          answers.push(() => resolve(suite.unwrapBaseKey(privateKey, ek)));
        }),
      close: async () => void closed.push(hex(pairs[0]!.publicKey)!),
    });
    const first = keysOf(named(old));
    const ring = await createKeyRing({ keys: first, startUnwraps, log: { error: vi.fn() } });
    const underWay = [ring.unwrap('old', old.ek), ring.unwrap('old', old.ek)];
    await ring.replace(keysOf({ ...named(next), previousKeys: [named(old)] }));
    const later = ring.unwrap('old', old.ek);
    answers[0]!();
    expect(hex(await underWay[0]!)).toBe(hex(baseKey));
    expect(closed).toEqual([]);
    answers[1]!();
    expect(hex(await underWay[1]!)).toBe(hex(baseKey));
    await vi.waitFor(() => expect(closed).toEqual([hex(old.publicKey)]));
    await vi.waitFor(() => expect(hex(first.keyPairs[0]!.privateKey)).toBe('00'.repeat(32)));
    answers[2]!();
    expect(hex(await later)).toBe(hex(baseKey));
    await ring.close();
    expect(closed).toEqual([hex(old.publicKey), hex(next.publicKey)]);
  });

  it('ENV-12 keeps its keys if others can’t be used', async () => {
    const startUnwraps = vi.fn(noThreads);
    const ring = await createKeyRing({ keys: keysOf(named(old)), startUnwraps, log: { error: vi.fn() } });
    startUnwraps.mockRejectedValue(new Error('self-test'));
    await expect(ring.replace(keysOf(named(next)))).rejects.toThrow('self-test');
    expect(ring.current.keyId).toBe('old');
    expect(hex(await ring.unwrap('old', old.ek))).toBe(hex(baseKey));
  });

  it('ENV-12 wipes all keys when it closes, those that came too late and those that can’t be used', async () => {
    const startUnwraps = vi.fn(noThreads);
    const [first, second, bad] = [keysOf(named(old)), keysOf(named(next)), keysOf(named(third))];
    const ring = await createKeyRing({ keys: first, startUnwraps, log: { error: vi.fn() } });
    startUnwraps.mockRejectedValueOnce(new Error('self-test'));
    await expect(ring.replace(bad)).rejects.toThrow('self-test');
    const replacing = ring.replace(second);
    await ring.close();
    await replacing;
    const secrets = [first, second, bad].map(({ keyPairs }) => hex(keyPairs[0]!.privateKey));
    expect(secrets).toEqual(Array(3).fill('00'.repeat(32)));
    expect(() => ring.unwrap('old', old.ek)).toThrow(EnvelopeKeyUnavailableError);
  });

  it('ENV-12 starts no threads that outlive it', async () => {
    const close = vi.fn(async () => {});
    const ring = await createKeyRing({
      keys: keysOf(named(old)),
      startUnwraps: async () => ({ unwrap: suite.unwrapBaseKey, close }),
      log: { error: vi.fn() },
    });
    const replacing = ring.replace(keysOf(named(next)));
    await ring.close();
    await replacing;
    expect(close).toHaveBeenCalledTimes(2);
  });
});
