import { createMemoryStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import type { ReplayGuardEvent } from '../src/index.js';
import { createProtectedApp, tally } from './protected-app.js';
import { sealPost } from './sealed-request.js';

const START = 1_763_700_000_000;
const MINUTE = 60_000;
const REFUSED = 'ENVELOPE_EXPIRED_OR_REPLAYED';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** A server with a memory store. Its wall clock is true time and an offset. */
async function openWorld() {
  const world = { elapsed: 0, offset: 0, afterCheck: () => {} };
  const now = () => START + world.elapsed + world.offset;
  const events: ReplayGuardEvent[] = [];
  const store = createMemoryStore({ now });
  const checkedAt = () => {
    const time = now();
    world.afterCheck();
    return time;
  };
  const { app, recipient, handled } = await createProtectedApp(
    {
      store,
      now,
      monotonic: () => world.elapsed,
      wait: async (millis) => {
        world.elapsed += millis;
      },
      onEvent: (event) => void events.push(event),
    },
    { now: checkedAt },
  );
  return {
    world,
    store,
    events,
    handled,
    seal: () => sealPost(recipient, '/payments', '{}', { timestamp: now() }),
    send: async (request: InjectOptions) => Object.keys(tally([await app.inject(request)]))[0],
    /** The beat of the plugin, which comes every second. */
    beat: () => vi.advanceTimersByTimeAsync(1000),
  };
}

describe('a memory store whose clock was ahead and is set back', () => {
  it.each([
    ['a beat notices it', true],
    ['a request comes before the beat', false],
  ])('RPL-3 lets no copy in that was accepted before, at any time after it: %s', async (_, isBeaten) => {
    const { world, send, seal, beat, handled } = await openWorld();
    world.offset = 10 * MINUTE;
    const request = seal();
    expect(await send(request)).toBe('accepted');
    world.elapsed += 370_000;
    // The write of another request deletes the record, which has expired by the clock that is ahead.
    expect(await send(seal())).toBe('accepted');
    world.offset = 0;
    if (isBeaten) await beat();
    // The clock is still 230 s away from the stamp, and then reaches it.
    for (let second = 0; second < 600; second += 10) {
      expect(await send(request)).toBe(REFUSED);
      world.elapsed += 10_000;
      if (isBeaten) await beat();
    }
    expect(handled).toHaveLength(2);
  });

  it('RPL-3 serves clients again once the clock is past what it may have forgotten', async () => {
    const { world, send, seal, beat } = await openWorld();
    world.offset = 10 * MINUTE;
    expect(await send(seal())).toBe('accepted');
    world.offset = 0;
    await beat();
    // The clock showed ten minutes. Records live for six minutes after their stamp.
    world.elapsed = 4 * MINUTE;
    expect(await send(seal())).toBe(REFUSED);
    world.elapsed += 1;
    expect(await send(seal())).toBe('accepted');
  });

  it('RPL-3 lets no copy in after steps that are each too small for an event', async () => {
    const { world, store, send, seal, beat, events } = await openWorld();
    world.offset = 59_000;
    const request = seal();
    expect(await send(request)).toBe('accepted');
    world.elapsed += 361_000;
    await store.set('other', '', MINUTE);
    await beat();
    // The stamp was 361 s old, and is 243 s old now.
    world.offset = -59_000;
    expect(await send(request)).toBe(REFUSED);
    expect(events).toEqual([]);
  });

  it('RPL-3 refuses an envelope that was checked before the step: its record would expire too early', async () => {
    const { world, send, seal, handled } = await openWorld();
    world.offset = 10 * MINUTE;
    const request = seal();
    world.afterCheck = () => {
      world.offset = 0;
    };
    expect(await send(request)).toBe(REFUSED);
    expect(handled).toEqual([]);
  });

  it('RPL-3 RPL-7 the first request after a step says so by an event, and the beat does not say it again', async () => {
    const { world, send, seal, beat, events } = await openWorld();
    world.elapsed = 5 * MINUTE;
    await beat();
    world.offset = -2 * MINUTE;
    await send(seal());
    expect(events).toEqual([{ kind: 'wall-clock-step', stepMillis: -2 * MINUTE }]);
    await beat();
    expect(events).toHaveLength(1);
  });
});

it('RPL-3 no envelope takes effect twice, however the clock is set while the process runs', async () => {
  const millis = fc.oneof(fc.nat(700_000), fc.constantFrom(0, 1, 1000, 59_999, 300_000, 360_000, 360_001, 600_000));
  const moment = fc.record({
    pause: millis,
    offset: fc.option(fc.oneof(millis, fc.integer({ min: -700_000, max: 700_000 }))),
    isBeaten: fc.boolean(),
    // A new envelope, or a copy of the nth one.
    copyOf: fc.option(fc.nat(3)),
  });
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { minLength: 3, maxLength: 14 }), async (plan) => {
      const { world, send, seal, beat, handled } = await openWorld();
      const sealed: InjectOptions[] = [];
      const uses = new Map<InjectOptions, number>();
      for (const { pause, offset, isBeaten, copyOf } of plan) {
        world.elapsed += pause;
        if (offset !== null) world.offset = offset;
        if (isBeaten) await beat();
        const copied = copyOf === null ? undefined : sealed[copyOf];
        const request = copied ?? seal();
        if (copied === undefined) sealed.push(request);
        if ((await send(request)) === 'accepted') uses.set(request, (uses.get(request) ?? 0) + 1);
      }
      expect([...uses.values()].filter((count) => count > 1)).toEqual([]);
      expect(handled).toHaveLength(uses.size);
      accepted += uses.size;
    }),
    { numRuns: cases(150) },
  );
  // The guard does not just refuse everything.
  expect(accepted).toBeGreaterThan(cases(150));
});
