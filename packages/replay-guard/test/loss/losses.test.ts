import { createMemoryStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLosingStore } from '../../../../scripts/losing-store.js';
import { cases } from '../../../../scripts/test-properties.js';
import { createReplayGuard } from '../../src/index.js';
import { openWorld, World } from './world.js';

const WINDOW = 300_000;

const losses: Readonly<Record<string, (world: World, before: ReturnType<World['losing']['copy']>) => void>> = {
  'a flush': ({ losing }) => losing.become(losing.nothing, false),
  'a restart without data': ({ losing }) => losing.become(losing.nothing, true),
  'a restart with an older snapshot, or a lagging replica': ({ losing }, before) => losing.become(before, true),
  'an older copy that is put back': ({ losing }, before) => losing.become(before, false),
};

describe.each(Object.entries(losses))('after %s', (_what, lose) => {
  it('RPL-6 refuses what was accepted before, and serves clients with a right clock within two seconds', async () => {
    const { world, guards } = await openWorld();
    const copy = world.losing.copy();
    world.elapsed += 1500;
    for (const guard of guards) await guard.watchStore();
    const accepted = [world.envelope(), world.envelope(900), world.envelope(-200_000)];
    expect(await Promise.all(accepted.slice(0, 2).map((envelope) => guards[0]!.claim(envelope)))).toEqual([true, true]);
    world.elapsed += 100;
    lose(world, copy);
    for (const guard of guards) for (const envelope of accepted) expect(await guard.claim(envelope)).toBe(false);
    expect(guards[0]!.state().isRecovering).toBe(true);
    world.elapsed += 2000;
    for (const guard of guards) {
      expect(await guard.claim(world.envelope())).toBe(true);
      for (const envelope of accepted) expect(await guard.claim(envelope)).toBe(false);
      await guard.watchStore();
    }
    expect(guards[0]!.state()).toEqual({ isRecovering: false, reason: null, remainingMillis: 0 });
    expect(world.events.filter(({ kind }) => kind === 'loss')).toHaveLength(1);
  });

  it('RPL-6 refuses an envelope that was far ahead, also on a server that has not seen it, until the window is over', async () => {
    const { world, guards } = await openWorld();
    const copy = world.losing.copy();
    const far = world.envelope(200_000);
    expect(await guards[0]!.claim(far)).toBe(true);
    for (const guard of guards) await guard.watchStore();
    lose(world, copy);
    // The server that accepted it is gone.
    const other = guards[1]!;
    for (let step = 0; step < 60; step += 1) {
      expect(await other.claim(far)).toBe(false);
      world.elapsed += 5000;
    }
    world.elapsed += 2000;
    expect(await other.claim(world.envelope())).toBe(true);
    expect(await other.claim(far)).toBe(false);
  });
});

it('RPL-6 a witness tells a new server that envelopes far ahead were accepted, and nobody waits for it', async () => {
  const world = new World();
  const witness = createMemoryStore();
  const guard = world.start(witness);
  await guard.watchStore();
  world.elapsed += 1000;
  const began = world.elapsed;
  const far = world.envelope(200_000);
  expect(await guard.claim(far)).toBe(true);
  expect(world.elapsed).toBe(began);
  world.losing.become(world.losing.nothing, true);
  const restarted = world.start(witness);
  for (let step = 0; step < 60; step += 1) {
    expect(await restarted.claim(far)).toBe(false);
    world.elapsed += 5000;
  }
  world.elapsed += 1000;
  expect(await restarted.claim(world.envelope())).toBe(true);
});

it('RPL-6 a new server refuses what was stamped before it opened an empty store, unless the store is new', async () => {
  const world = new World();
  const guard = world.start();
  expect(await guard.claim(world.envelope(-1))).toBe(false);
  expect(await guard.claim(world.envelope(1000))).toBe(false);
  world.elapsed += 1001;
  expect(await guard.claim(world.envelope())).toBe(true);
  const witness = createMemoryStore();
  for (const second of [null, witness]) {
    const { store } = createLosingStore(() => world.now);
    const first = createReplayGuard({ store, witness: second, isNewStore: true });
    expect(await first.claim(world.envelope(-250_000))).toBe(true);
  }
});

it('RPL-6 the first envelope far ahead waits for three seconds, the next ones do not', async () => {
  const { world, guards } = await openWorld();
  const began = world.elapsed;
  expect(await guards[0]!.claim(world.envelope(250_000))).toBe(true);
  expect(world.elapsed - began).toBe(3000);
  expect(await guards[1]!.claim(world.envelope(250_000))).toBe(true);
  expect(world.elapsed - began).toBe(3000);
});

it('RPL-7 judges by the clock of the store, whatever the clock of the server says', async () => {
  const { world, guards } = await openWorld(1);
  const guard = guards[0]!;
  const wrongClock = { receivedAt: world.now - 75_000 };
  expect(await guard.claim({ ...world.envelope(-WINDOW - 1), ...wrongClock })).toBe(false);
  expect(await guard.claim({ ...world.envelope(), ...wrongClock })).toBe(true);
});

it('RPL-7 a store whose clock is set ahead and back accepts nothing again, and tells it', async () => {
  const { world, guards } = await openWorld(1);
  const guard = guards[0]!;
  const envelope = world.envelope();
  expect(await guard.claim(envelope)).toBe(true);
  world.storeOffset = 400_000;
  await guard.watchStore();
  world.storeOffset = 0;
  world.elapsed += 1000;
  expect(await guard.claim(envelope)).toBe(false);
  expect(world.events).toContainEqual(expect.objectContaining({ kind: 'store-clock-back' }));
});

describe('two servers, and a store that loses its data again and again', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), server: fc.nat(1), envelope: fc.nat(5) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('pass' as const), millis: fc.oneof(fc.nat(3000), fc.nat(400_000)) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('copy' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('lose' as const),
        isFlush: fc.boolean(),
        isAnotherRun: fc.boolean(),
        storeOffset: fc.integer({ min: -30_000, max: 30_000 }),
      }),
    },
  );

  it('RPL-6 accept no envelope twice, whatever is lost and however far ahead its client is', async () => {
    let acceptedOnce = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: -WINDOW, max: WINDOW }), fc.integer({ min: -2000, max: 12_000 })), {
          minLength: 6,
          maxLength: 6,
        }),
        fc.array(step, { minLength: 3, maxLength: 25 }),
        async (stamps, plan) => {
          const { world, guards } = await openWorld();
          const envelopes = stamps.map((ahead) => world.envelope(ahead));
          const accepted = envelopes.map(() => 0);
          let copy = world.losing.copy();
          for (const one of plan) {
            if (one.do === 'claim') {
              const isFirst = await guards[one.server]!.claim(envelopes[one.envelope]!);
              if (isFirst) accepted[one.envelope]! += 1;
            } else if (one.do === 'pass') world.elapsed += one.millis;
            else if (one.do === 'copy') copy = world.losing.copy();
            else {
              // The mark of a copy is older by a beat.
              world.elapsed += 1000;
              for (const guard of guards) await guard.watchStore();
              if (one.isAnotherRun) world.storeOffset = one.storeOffset;
              world.losing.become(one.isFlush ? world.losing.nothing : copy, one.isAnotherRun);
            }
            if (one.do !== 'lose') for (const guard of guards) await guard.watchStore();
          }
          expect(Math.max(...accepted)).toBeLessThanOrEqual(1);
          acceptedOnce += accepted.filter((count) => count === 1).length;
        },
      ),
      { numRuns: cases(400) },
    );
    expect(acceptedOnce).toBeGreaterThan(cases(400) / 4);
  });
});
