import { expect, it } from 'vitest';
import { beats, openWorld } from './world.js';

// The model in `model/nonce-loss.pml` found these in the protocol as it had shipped. Its switches
// FAULT_REPLACE_BY_TEXT, FAULT_LATE_WRITE and FAULT_REACH_FORGOTTEN bring them back.

it('RPL-6 an announcement that is on its way does not hide that an older copy was put back', async () => {
  const { world, guards } = await openWorld();
  const copy = world.losing.copy();
  let beforeWrite = () => {};
  const announcing = world.start(null, undefined, () => beforeWrite());
  const all = [...guards, announcing];
  await beats(world, all, 12);
  const accepted = world.envelope();
  expect(await guards[0]!.claim(accepted)).toBe(true);
  beforeWrite = () => {
    beforeWrite = () => {};
    world.losing.become(copy, false);
  };
  await announcing.claim(world.envelope(100_000));
  for (const guard of all) expect(await guard.claim(accepted)).toBe(false);
});

it('RPL-6 an announcement that reaches the store late counts three seconds after that', async () => {
  const { world, guards } = await openWorld(1);
  let landedAt = Number.NaN;
  let isSlow = false;
  const announcing = world.start(null, undefined, async () => {
    if (isSlow) await beats(world, guards, 4);
    isSlow = false;
    landedAt = world.elapsed;
  });
  await beats(world, [...guards, announcing], 2);
  expect(await announcing.claim(world.envelope())).toBe(true);
  isSlow = true;
  expect(await announcing.claim(world.envelope(100_000))).toBe(true);
  expect(world.elapsed - landedAt).toBeGreaterThanOrEqual(3000);
});

it('RPL-7 what was accepted by a clock that was ahead is refused after a loss, too', async () => {
  const { world, guards } = await openWorld();
  world.storeOffset = 50_000;
  await beats(world, guards, 1);
  const ahead = world.envelope(50_500);
  expect(await guards[0]!.claim(ahead)).toBe(true);
  world.storeOffset = 0;
  await beats(world, guards, 3);
  // Nothing is lost yet. The other servers are replaced one after the other.
  const replaced = world.start();
  await beats(world, [replaced, guards[1]!], 1);
  expect(await replaced.claim(world.envelope())).toBe(true);
  world.losing.become(world.losing.nothing, true);
  for (let second = 0; second < 60; second += 1) {
    await beats(world, [replaced], 1);
    expect(await replaced.claim(ahead)).toBe(false);
  }
  expect(await replaced.claim(world.envelope())).toBe(true);
});

it('RPL-7 so is what was accepted by a clock that was ahead by less than is noticed', async () => {
  const { world, guards } = await openWorld(1);
  world.storeOffset = 900;
  await beats(world, guards, 1);
  const ahead = world.envelope(1850);
  expect(await guards[0]!.claim(ahead)).toBe(true);
  world.storeOffset = 0;
  for (const guard of guards) await guard.watchStore();
  world.losing.become(world.losing.nothing, false);
  for (const guard of guards) await guard.watchStore();

  world.elapsed += 1100;
  for (const guard of guards) expect(await guard.judge(ahead)).toBe('refused');
  await beats(world, guards, 2);
  expect(await guards[0]!.judge(world.envelope())).toBe('first');
});
