import { createMemoryStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { createReplayGuard, type ReplayGuard } from '../src/index.js';
import { openedEnvelope } from './envelopes.js';

/**
 * A simulation with one true time, and clocks that differ from it: the client's, each server's, the store's. An
 * attacker has every sent envelope, and submits it anywhere at any time. It must never be accepted twice.
 */
const WINDOW_SECONDS = 300;
const WINDOW = WINDOW_SECONDS * 1000;

type Envelope = ReturnType<typeof openedEnvelope>;

/** One process: its clock, its guard, and the time before which it refuses stamps (RPL-3). */
class Server {
  readonly #offset: number;
  readonly #guard: ReplayGuard;
  readonly #notBefore: number;

  constructor(offset: number, guard: ReplayGuard, notBefore = Number.NEGATIVE_INFINITY) {
    this.#offset = offset;
    this.#guard = guard;
    this.#notBefore = notBefore;
  }

  /** Steps 3 and 6 of the wire format, in the order of a request. */
  async accepts(envelope: Envelope, time: number): Promise<boolean> {
    const receivedAt = time + this.#offset;
    const isFresh = Math.abs(receivedAt - envelope.timestamp) <= WINDOW && envelope.timestamp >= this.#notBefore;
    return isFresh && this.#guard.claim({ ...envelope, receivedAt });
  }
}

/** Times near the expiry of a record or a timestamp, and random ones. */
const pause = fc.oneof(
  fc.nat(900_000),
  fc.constantFrom(
    0,
    1,
    59_999,
    60_000,
    60_001,
    300_000,
    360_000,
    360_001,
    500_000,
    655_000,
    660_000,
    700_000,
    795_000,
    800_000,
  ),
);

const START = 1_763_700_000_000;

describe('REL-5 two servers, one store, clocks apart', () => {
  const attempts = fc.array(fc.record({ pause, server: fc.nat(1), copies: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 2,
    maxLength: 12,
  });

  function createWorld(
    serverOffset: number,
    storeOffset: number,
    options: { clockSkewSeconds: number; replayTtlSeconds?: number },
  ) {
    const world = { time: START };
    const { setIfAbsent } = createMemoryStore({ now: () => world.time + storeOffset });
    // A store without marks: the servers judge by their own clocks.
    const store = { setIfAbsent, lifetime: 'shared' } as const;
    const create = () => createReplayGuard({ store, allowUnmarkedStore: true, ...options });
    const servers = [0, serverOffset].map((offset) => new Server(offset, create()));
    return { world, servers };
  }

  it.each([
    { apart: 59_999, clockSkewSeconds: 60 },
    { apart: 200_000, clockSkewSeconds: 201 },
  ])('REL-5 RG-18 no envelope is accepted twice with clocks up to $apart ms apart', async (clocks) => {
    const { apart, clockSkewSeconds } = clocks;
    let acceptedOnce = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: -apart, max: apart }), fc.constantFrom(-apart, apart)),
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        fc.oneof(
          fc.integer({ min: -WINDOW - apart, max: WINDOW + apart }),
          fc.integer({ min: WINDOW - 5000, max: WINDOW }),
        ),
        fc.integer({ min: 1, max: 1000 }),
        attempts,
        async (serverOffset, storeOffset, clientOffset, replayTtlSeconds, plan) => {
          const { world, servers } = createWorld(serverOffset, storeOffset, {
            clockSkewSeconds,
            replayTtlSeconds,
          });
          const envelope = openedEnvelope({ timestamp: START + clientOffset });
          let accepted = 0;
          for (const { pause, server, copies } of plan) {
            const verdicts = await Promise.all(
              Array.from({ length: copies }, (_, n) => servers[(server + n) % 2]!.accepts(envelope, world.time)),
            );
            accepted += verdicts.filter(Boolean).length;
            world.time += pause;
          }
          expect(accepted).toBeLessThanOrEqual(1);
          acceptedOnce += accepted;
        },
      ),
      { numRuns: cases(3000) },
    );
    // The guard does not just refuse everything.
    expect(acceptedOnce).toBeGreaterThan(cases(3000) / 10);
  });

  it('REL-5 with a client 295 s ahead and a server 200 s behind, the replay is refused in its whole window', async () => {
    for (const clockSkewSeconds of [201, 600]) {
      const { world, servers } = createWorld(-200_000, 0, { clockSkewSeconds });
      const envelope = openedEnvelope({ timestamp: START + 295_000 });
      expect(await servers[0]!.accepts(envelope, world.time)).toBe(true);
      for (; world.time <= START + 800_000; world.time += 250) {
        expect(await servers[1]!.accepts(envelope, world.time)).toBe(false);
      }
    }
  });

  it('RPL-2 the 60 s of the wire format cover clocks 60 s apart, and no more', async () => {
    const accepts = async (apart: number) => {
      const { world, servers } = createWorld(-apart, 0, { clockSkewSeconds: 60 });
      const envelope = openedEnvelope({ timestamp: START + 295_000 });
      expect(await servers[0]!.accepts(envelope, world.time)).toBe(true);
      // The last moment at which the slower server accepts the timestamp.
      world.time = START + 295_000 + WINDOW + apart;
      return servers[1]!.accepts(envelope, world.time);
    };
    expect(await accepts(59_999)).toBe(false);
    expect(await accepts(60_000)).toBe(true);
  });
});

describe('RPL-3 one server with a memory store and many restarts', () => {
  const step = fc.record({
    pause: fc.oneof(pause, fc.nat(500)),
    restart: fc.boolean(),
    downMillis: fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 200 })),
    envelope: fc.nat(3),
  });

  it('RPL-3 RG-20 no envelope takes effect twice, however far ahead its client is', async () => {
    let tookEffect = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: -WINDOW, max: WINDOW }), fc.integer({ min: -2000, max: 2000 })), {
          minLength: 4,
          maxLength: 4,
        }),
        fc.array(step, { minLength: 2, maxLength: 30 }),
        async (stamps, plan) => {
          let time = START;
          let waited = 0;
          const wait = async (millis: number) => {
            waited = millis;
          };
          const start = () => {
            const store = createMemoryStore({ now: () => time });
            return new Server(0, createReplayGuard({ store, wait }), time);
          };
          const envelopes = stamps.map((stamp) => openedEnvelope({ timestamp: START + stamp }));
          // When the handler ran or will run. A waiting claim ends with its process.
          let ran: { envelope: Envelope; at: number }[] = [];
          let server = start();
          for (const { pause, restart, downMillis, envelope: index } of plan) {
            time += pause;
            if (restart) {
              ran = ran.filter(({ at }) => at <= time);
              time += downMillis;
              server = start();
            }
            const envelope = envelopes[index]!;
            waited = 0;
            if (await server.accepts(envelope, time)) ran.push({ envelope, at: time + waited });
          }
          expect(new Set(ran.map(({ envelope }) => envelope)).size).toBe(ran.length);
          tookEffect += ran.length;
        },
      ),
      { numRuns: cases(3000) },
    );
    expect(tookEffect).toBeGreaterThan(cases(3000) / 10);
  });
});
