import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import { beats, openWorld, World } from './world.js';

describe('servers that were all restarted', () => {
  it('RPL-6 refuse what an older copy, put back while they were down, announces', async () => {
    const { world, guards } = await openWorld(1);
    expect(await guards[0]!.claim(world.envelope(200_000))).toBe(true);
    const copy = world.losing.copy();
    await beats(world, guards, 3);
    const far = world.envelope(197_000);
    expect(await guards[0]!.claim(far)).toBe(true);
    world.elapsed += 20_000;
    world.losing.become(copy, false);
    const restarted = world.start();
    await restarted.watchStore();
    expect(await restarted.claim(far)).toBe(false);
  });

  it('RPL-7 refuse what has expired while the clock of the store was ahead, which the mark betrays', async () => {
    const { world, guards } = await openWorld(1);
    const accepted = world.envelope();
    expect(await guards[0]!.claim(accepted)).toBe(true);
    world.storeOffset = 3_600_000;
    await beats(world, guards, 2);
    world.losing.dropExpired();
    world.storeOffset = 0;
    const restarted = world.start();
    await restarted.watchStore();
    expect(await restarted.claim(accepted)).toBe(false);
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'store-clock-back' }));
    expect(restarted.state()).toMatchObject({ isRecovering: true, reason: 'clock' });
  });

  it('RPL-6 refuse what another one accepted a second ahead, if they are the first to see an emptied store', async () => {
    const { world, guards } = await openWorld(1);
    const ahead = world.envelope(900);
    expect(await guards[0]!.claim(ahead)).toBe(true);
    world.elapsed += 50;
    world.losing.become(world.losing.nothing, false);
    const restarted = world.start();
    await restarted.watchStore();
    expect(await restarted.claim(ahead)).toBe(false);
  });

  it('RPL-6 learn all announcements from a witness that two servers told at the same time', async () => {
    const world = new World();
    const store = createMemoryStore();
    const slow = {
      get: store.get,
      setIfAbsent: async (...entry: Parameters<typeof store.setIfAbsent>) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return store.setIfAbsent(...entry);
      },
      compareAndSet: store.compareAndSet,
    };
    const guards = [world.start(slow), world.start(store)];
    await beats(world, guards, 2);
    const [near, far] = [world.envelope(5000), world.envelope(200_000)];
    expect(await Promise.all([guards[0]!.claim(near), guards[1]!.claim(far)])).toEqual([true, true]);
    world.losing.become(world.losing.nothing, true);
    const restarted = world.start(store);
    await restarted.watchStore();
    world.elapsed += 2000;
    expect(await restarted.claim(near)).toBe(false);
    expect(await restarted.claim(far)).toBe(false);
  });

  it('RPL-6 with a longer window accept nothing of which the record has expired', async () => {
    const { world, guards } = await openWorld(1);
    const accepted = world.envelope();
    expect(await guards[0]!.claim(accepted)).toBe(true);
    await beats(world, guards, 400);
    const restarted = world.start();
    await restarted.watchStore();
    expect(await restarted.claim({ ...accepted, timestampWindowSeconds: 600 })).toBe(false);
    expect(await restarted.claim({ ...world.envelope(-300_000), timestampWindowSeconds: 600 })).toBe(true);
    // A server with the old window keeps what it accepts for as long as the others need it.
    const late = world.envelope();
    expect(await guards[0]!.claim(late)).toBe(true);
    await beats(world, [guards[0]!, restarted], 500);
    expect(await restarted.claim({ ...late, timestampWindowSeconds: 600 })).toBe(false);
  });
});

describe('an envelope far ahead', () => {
  it('RPL-6 keeps honest clients out for a few seconds when its time has come, and not until then', async () => {
    const { world, guards } = await openWorld(2);
    const far = world.envelope(250_000);
    expect(await guards[0]!.claim(far)).toBe(true);
    await beats(world, guards, 2);
    world.losing.become(world.losing.nothing, true);
    await beats(world, guards, 3);
    const refused: number[] = [];
    for (let second = 0; second < 300; second += 1) {
      if (!(await guards[1]!.claim(world.envelope()))) refused.push(second);
      expect(await guards[1]!.claim(far)).toBe(false);
      await beats(world, guards, 1);
    }
    expect(refused.length).toBeLessThan(10);
    expect(refused.length).toBeGreaterThan(0);
  });

  it('RPL-6 costs nothing after its time: a restart keeps honest clients out for a second', async () => {
    const { world, guards } = await openWorld(1);
    expect(await guards[0]!.claim(world.envelope(9000))).toBe(true);
    await beats(world, guards, 20);
    world.losing.become(world.losing.copy(), true);
    await guards[0]!.watchStore();
    expect(guards[0]!.state().remainingMillis).toBeLessThanOrEqual(1002);
  });

  it('RPL-6 one every second, of any number of clients up to five seconds ahead, keeps honest ones out below 10 s', async () => {
    const { world, guards } = await openWorld(1);
    for (let second = 0; second < 30; second += 1) {
      const claims = [1500, 3000, 4900].map((ahead) => guards[0]!.claim(world.envelope(ahead)));
      expect(await Promise.all(claims)).toEqual([true, true, true]);
      await beats(world, guards, 1);
    }
    world.losing.become(world.losing.nothing, false);
    await guards[0]!.watchStore();
    expect(guards[0]!.state().remainingMillis).toBeLessThan(10_000);
  });

  it('RPL-6 many of them at once, at all distances, are accepted after one announcement, and honest ones meanwhile', async () => {
    const { world, guards } = await openWorld(1);
    const distances = Array.from({ length: 60 }, (_, n) => 1500 + n * 4900);
    const far = distances.map((ahead) => guards[0]!.claim(world.envelope(ahead)));
    expect(await guards[0]!.claim(world.envelope())).toBe(true);
    expect((await Promise.all(far)).every(Boolean)).toBe(true);
  });

  it('RPL-6 is served with a window of a few seconds, too', async () => {
    const { world, guards } = await openWorld(1);
    for (let step = 0; step < 30; step += 1) {
      const envelope = { ...world.envelope(2500), timestampWindowSeconds: 4 };
      expect(await guards[0]!.claim(envelope)).toBe(true);
      await beats(world, guards, 1);
    }
  });
});

it('RPL-7 a server that pauses after the answer of the store takes its clock for right', async () => {
  const world = new World();
  let pauseMillis = 0;
  const guard = world.start(null, () => {
    world.elapsed += pauseMillis;
  });
  await beats(world, [guard], 2);
  pauseMillis = 1500;
  await beats(world, [guard], 1);
  pauseMillis = 0;
  await beats(world, [guard], 2);
  expect(world.events.filter(({ kind }) => kind === 'store-clock-back')).toEqual([]);
});

it('ORD-6 only a nonce that was used before is told as replayed', async () => {
  const { world, guards } = await openWorld(1);
  const guard = guards[0]!;
  const envelope = world.envelope();
  expect(await guard.judge(envelope)).toBe('first');
  expect(await guard.judge(envelope)).toBe('replayed');
  expect(await guard.judge(world.envelope(-300_001))).toBe('refused');
  world.losing.become(world.losing.nothing, false);
  expect(await guard.judge(envelope)).toBe('refused');
  expect(await guard.judge(world.envelope())).toBe('refused');
  expect(guard.refusedThrough()).toBeGreaterThan(world.now);
});
