import { readFileSync } from 'node:fs';
import { createMemoryStore, StoreUnavailableError, type TtlStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createReplayGuard, type ReplayGuardOptions, ReplayGuardSetupError } from '../src/index.js';
import { openedEnvelope } from './envelopes.js';

const vectorFile = new URL('../../envelope-crypto/test/vectors/envelope_v1.json', import.meta.url);

/** The part of the published vectors that concerns the guard. */
interface Positive {
  readonly kid: string;
  readonly ts: number;
  readonly nonce: string;
  readonly server: { readonly now: number; readonly replayTtlSeconds: number; readonly timestampWindowSeconds: number };
  readonly recordMillis: number;
}

type Claims = Pick<TtlStore, 'setIfAbsent' | 'lifetime'>;

/** A shared store without marks that records its calls. */
function recordingStore(): Claims & { readonly asked: [key: string, ttlMillis: number][] } {
  const { setIfAbsent } = createMemoryStore();
  const asked: [string, number][] = [];
  return {
    lifetime: 'shared',
    asked,
    async setIfAbsent(key, value, ttlMillis) {
      asked.push([key, ttlMillis]);
      return setIfAbsent(key, value, ttlMillis);
    },
  };
}

describe('claim', () => {
  it('RPL-1 grants the first use of a nonce and refuses every later one', async () => {
    const guard = createReplayGuard({ store: createMemoryStore() });
    const envelope = openedEnvelope();
    expect([await guard.claim(envelope), await guard.claim(envelope), await guard.claim(envelope)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('RPL-1 treats the same nonce under another key as another envelope', async () => {
    const guard = createReplayGuard({ store: createMemoryStore() });
    const envelope = openedEnvelope();
    expect(await guard.claim(envelope)).toBe(true);
    expect(await guard.claim({ ...envelope, keyId: '2026-12' })).toBe(true);
  });

  it('RG-08 no two pairs of key and nonce share an entry, whatever characters the key has', () => {
    const keyId = fc.string({ unit: fc.constantFrom(...'aB0._-'), minLength: 1, maxLength: 5 });
    const nonce = fc.uint8Array({ minLength: 16, maxLength: 16 });
    return fc.assert(
      fc.asyncProperty(fc.tuple(keyId, nonce), fc.tuple(keyId, nonce), async (one, other) => {
        const store = recordingStore();
        const guard = createReplayGuard({ store, allowUnmarkedStore: true });
        for (const [keyId, nonce] of [one, other]) await guard.claim(openedEnvelope({ keyId, nonce }));
        const isSamePair = one[0] === other[0] && Buffer.from(one[1]).equals(other[1]);
        expect(store.asked[0]![0] === store.asked[1]![0]).toBe(isSamePair);
        expect(store.asked[0]![0]).toMatch(/^replay:[A-Za-z0-9._-]{1,64}:[A-Za-z0-9_-]{22}$/);
      }),
    );
  });

  it('RG-08 refuses a key id or a nonce that violates the wire format, without asking the store', async () => {
    const store = recordingStore();
    const guard = createReplayGuard({ store, allowUnmarkedStore: true });
    for (const keyId of ['', 'a:b', 'a\n', '*', 'a'.repeat(65), 'ключ']) {
      await expect(guard.claim(openedEnvelope({ keyId }))).rejects.toThrow('keyId');
    }
    for (const length of [0, 1, 12, 15, 17, 10_000]) {
      await expect(guard.claim(openedEnvelope({ nonce: new Uint8Array(length) }))).rejects.toThrow('nonce');
    }
    expect(store.asked).toEqual([]);
  });

  it('RPL-1 rejects if the store gives no answer', async () => {
    const store: Claims = { lifetime: 'shared', setIfAbsent: () => Promise.reject(new StoreUnavailableError()) };
    await expect(createReplayGuard({ store, allowUnmarkedStore: true }).claim(openedEnvelope())).rejects.toThrow(
      StoreUnavailableError,
    );
  });

  it.each([['OK'], [{ changes: 0 }], [1], [null], [undefined]])(
    'RPL-1 RPL-6 rejects if a store answers %o, which is neither true nor false',
    async (answer) => {
      for (const lifetime of ['shared', 'process'] as const) {
        const store = { lifetime, setIfAbsent: async () => answer } as unknown as Claims;
        const guard = createReplayGuard({ store, allowUnmarkedStore: true });
        await expect(guard.claim(openedEnvelope())).rejects.toThrow('answered neither true nor false');
      }
    },
  );

  it('RPL-1 rejects if a store without marks gives no answer in five seconds', async () => {
    vi.useFakeTimers();
    try {
      const store: Claims = { lifetime: 'shared', setIfAbsent: () => new Promise(() => {}) };
      const claim = createReplayGuard({ store, allowUnmarkedStore: true }).claim(openedEnvelope());
      const refused = expect(claim).rejects.toThrow('No answer within 5000 ms');
      await vi.advanceTimersByTimeAsync(5100);
      await refused;
    } finally {
      vi.useRealTimers();
    }
  });

  it('RPL-3 a full memory store rejects the new nonce and forgets no earlier one', async () => {
    const guard = createReplayGuard({ store: createMemoryStore({ maxEntries: 2 }) });
    const [first, second, third] = [openedEnvelope(), openedEnvelope(), openedEnvelope()];
    expect([await guard.claim(first), await guard.claim(second)]).toEqual([true, true]);
    await expect(guard.claim(third)).rejects.toThrow(StoreUnavailableError);
    expect([await guard.claim(first), await guard.claim(second)]).toEqual([false, false]);
  });

  it('RPL-4 asks the store once', async () => {
    const store = recordingStore();
    await createReplayGuard({ store, allowUnmarkedStore: true }).claim(openedEnvelope());
    expect(store.asked).toHaveLength(1);
  });
});

describe('retention', () => {
  const receivedAt = 1_763_700_000_000;
  async function retained(stamped: number, options: Partial<ReplayGuardOptions> = {}, timestampWindowSeconds = 300) {
    const store = recordingStore();
    const envelope = openedEnvelope({ receivedAt, timestamp: receivedAt + stamped, timestampWindowSeconds });
    await createReplayGuard({ store, allowUnmarkedStore: true, ...options }).claim(envelope);
    return store.asked[0]![1];
  }

  it('RPL-2 remembers for max(replay-ttl, ts + window - now) + 60 s', async () => {
    expect(await retained(-300_000)).toBe(360_000);
    expect(await retained(-120)).toBe(360_000);
    expect(await retained(0)).toBe(360_000);
    expect(await retained(1)).toBe(360_001);
    expect(await retained(300_000)).toBe(660_000);
    expect(await retained(-300_000, { replayTtlSeconds: 1000 })).toBe(1_060_000);
  });

  it('RPL-2 writes the records of the published vectors, once per opened envelope', async () => {
    const { positives } = JSON.parse(readFileSync(vectorFile, 'utf8')) as { positives: Positive[] };
    expect(positives).toHaveLength(47);
    for (const { kid, ts, nonce, server, recordMillis } of positives) {
      const { now, replayTtlSeconds, timestampWindowSeconds } = server;
      const store = recordingStore();
      const envelope = { keyId: kid, nonce: Buffer.from(nonce, 'base64url'), timestamp: ts, receivedAt: now };
      await createReplayGuard({ store, replayTtlSeconds, allowUnmarkedStore: true }).claim({
        ...envelope,
        timestampWindowSeconds,
      });
      expect(store.asked).toEqual([[`replay:${kid}:${nonce}`, recordMillis]]);
    }
  });

  it('RG-05 a replay-ttl below the window has no effect: the nonce stays while its timestamp is acceptable', async () => {
    expect(await retained(0, { replayTtlSeconds: 1 })).toBe(360_000);
    expect(await retained(300_000, { replayTtlSeconds: 1 })).toBe(660_000);
    expect(await retained(-300_000, { replayTtlSeconds: 1 })).toBe(61_000);
    expect(await retained(0, { replayTtlSeconds: 300 }, 900)).toBe(960_000);
  });

  it('REL-5 the configured clock skew beyond 60 s lengthens it', async () => {
    expect(await retained(295_000, { clockSkewSeconds: 200 })).toBe(795_000);
  });
});

describe('with a store that ends with the process', () => {
  it('RPL-3 refuses an envelope stamped more than a second ahead, without a record', async () => {
    const waits: number[] = [];
    const store = createMemoryStore();
    const guard = createReplayGuard({ store, wait: async (millis) => void waits.push(millis) });
    const receivedAt = Date.now();
    const envelope = openedEnvelope({ receivedAt, timestamp: receivedAt + 1001 });
    expect(await guard.claim(envelope)).toBe(false);
    // The same nonce is accepted when the clock is near enough: it was not recorded.
    expect(await guard.claim({ ...envelope, receivedAt: receivedAt + 1 })).toBe(true);
    expect(waits).toEqual([1000]);
  });

  it('RPL-3 accepts one stamped a moment ahead only when the clock has reached the stamp', async () => {
    let reach: () => void = () => {};
    const wait = () => new Promise<void>((resolve) => (reach = resolve));
    const guard = createReplayGuard({ store: createMemoryStore(), wait });
    const receivedAt = Date.now();
    const envelope = openedEnvelope({ receivedAt, timestamp: receivedAt + 40 });
    let verdict: boolean | null = null;
    const claim = guard.claim(envelope).then((isFirst) => (verdict = isFirst));
    // The nonce is recorded at once, so that no copy is accepted meanwhile. Only the result waits.
    expect(await guard.claim(envelope)).toBe(false);
    expect(verdict).toBeNull();
    reach();
    expect(await claim).toBe(true);
  });

  it('RPL-3 waits by a timer', async () => {
    const guard = createReplayGuard({ store: createMemoryStore() });
    const receivedAt = Date.now();
    expect(await guard.claim(openedEnvelope({ receivedAt, timestamp: receivedAt + 25 }))).toBe(true);
    expect(Date.now() - receivedAt).toBeGreaterThanOrEqual(24);
  });

  it('RG-06 a shared store without marks accepts an envelope a whole window ahead at once', async () => {
    const never = () => new Promise<void>(() => {});
    const guard = createReplayGuard({ store: recordingStore(), allowUnmarkedStore: true, wait: never });
    const receivedAt = Date.now();
    expect(await guard.claim(openedEnvelope({ receivedAt, timestamp: receivedAt + 300_000 }))).toBe(true);
  });
});

describe('options', () => {
  const start = (options: object) => () =>
    createReplayGuard({ store: createMemoryStore(), ...options } as ReplayGuardOptions);

  it.each([[0], [-1], [Number.NaN], ['abc'], ['300'], [1.5], [Number.POSITIVE_INFINITY], [null], [2_592_001]])(
    'RG-05 refuses the start with replayTtlSeconds %o',
    (replayTtlSeconds) => {
      expect(start({ replayTtlSeconds })).toThrow(
        /replayTtlSeconds must be a whole number of seconds from 1 to 2592000/,
      );
    },
  );

  it('RPL-6 refuses a witness beside a store without marks, for which it does nothing', () => {
    const [store, witness] = [recordingStore(), createMemoryStore()];
    expect(start({ store, witness, allowUnmarkedStore: true })).toThrow('witness has no effect with a store without');
    expect(start({ store, witness: null, allowUnmarkedStore: true })).not.toThrow();
    expect(start({ witness })).not.toThrow();
  });

  it('RG-05 reports every bad option at once', () => {
    const options = { store: {}, replayTtlSeconds: 0, clockSkewSeconds: 59, keyPrefix: '', wait: 1 };
    expect(start(options)).toThrow(/- store .*\n- replayTtlSeconds .*\n- clockSkewSeconds .*\n- keyPrefix .*\n- wait /);
  });

  it('ADP-1 refuses unknown and missing options with one setup error, and suggests the nearest name', () => {
    const create = () => createReplayGuard({ replayTtl: 60, now: Date.now } as unknown as ReplayGuardOptions);
    expect(create).toThrow(ReplayGuardSetupError);
    try {
      create();
    } catch (error) {
      const { code, subject, faults } = error as ReplayGuardSetupError;
      expect({ code, subject }).toEqual({ code: 'REPLAY_GUARD_SETUP_INVALID', subject: 'createReplayGuard' });
      expect(faults).toEqual([
        'replayTtl is not an option; did you mean replayTtlSeconds?',
        expect.stringMatching(/^now is not an option; /),
        expect.stringMatching(/^store is required: a store with setIfAbsent/),
      ]);
    }
  });

  it('RG-05 refuses a clock skew below the 60 s of the wire format', () => {
    expect(start({ clockSkewSeconds: 0 })).toThrow('clockSkewSeconds');
    expect(start({ clockSkewSeconds: 60 })).not.toThrow();
  });

  it('RG-05 treats an undefined option as not given', () => {
    expect(start({ replayTtlSeconds: undefined, keyPrefix: undefined })).not.toThrow();
  });
});
