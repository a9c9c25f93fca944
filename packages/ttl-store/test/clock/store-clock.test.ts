import { describe, expect, it } from 'vitest';
import {
  type ClockEvent,
  createMemoryStore,
  createStoreClock,
  type StoreClockOptions,
  StoreUnavailableError,
} from '../../src/index.js';

const START = Date.UTC(2026, 10, 23);

/** A store and a node whose clocks the test moves. */
class World {
  /** The true time, by which the store's and the node's clocks go. */
  time = 0;
  storeIsAhead = START;
  wallIsAhead = START;
  /** How long the node's monotonic clock stood still. */
  slept = 0;
  questionMillis = 0;
  answerMillis = 0;
  isAway = false;
  questions = 0;
  readonly events: ClockEvent[] = [];

  readonly store = {
    lifetime: 'shared' as const,
    time: async () => {
      this.questions += 1;
      if (this.isAway) throw new StoreUnavailableError();
      this.time += this.questionMillis;
      const answer = this.storeTime;
      this.time += this.answerMillis;
      return answer;
    },
  };

  get storeTime(): number {
    return Math.floor(this.time + this.storeIsAhead);
  }

  clock(options: Partial<StoreClockOptions> = {}) {
    const clock = createStoreClock({
      store: this.store,
      now: () => this.time + this.wallIsAhead,
      monotonic: () => this.time - this.slept,
      ...options,
    });
    clock.watch((event) => this.events.push(event));
    return clock;
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the clock of a store', () => {
  it('TOK-12 asks once, and goes on by the monotonic clock', async () => {
    const world = new World();
    const clock = world.clock();
    expect(await clock.read()).toBe(world.storeTime);
    for (let seconds = 0; seconds < 9; seconds += 1) {
      world.time += 1000;
      expect([clock.read(), clock.now()]).toEqual([world.storeTime, world.storeTime]);
    }
    expect(world.questions).toBe(1);
  });

  it('TOK-12 asks again in the background after refreshMillis, once for any number of readers', async () => {
    const world = new World();
    const clock = world.clock({ refreshMillis: 5000 });
    await Promise.all([clock.read(), clock.read(), clock.check()]);
    expect(world.questions).toBe(1);
    for (const expected of [2, 3, 4]) {
      world.time += 5001;
      for (let reader = 0; reader < 10; reader += 1) expect(clock.read()).toBe(world.storeTime);
      await settle();
      expect([clock.now(), world.questions]).toEqual([world.storeTime, expected]);
    }
  });

  it('TOK-12 steps of the wall clock change nothing, and cost one question each', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.read();
    for (const step of [3_600_000, -7_200_000, 1000, -400]) {
      world.wallIsAhead += step;
      const before = world.questions;
      expect(await clock.read()).toBe(world.storeTime);
      expect(clock.read()).toBe(world.storeTime);
      expect(clock.now()).toBe(world.storeTime);
      expect(world.questions).toBe(before + 1);
    }
    world.wallIsAhead += 200;
    expect(clock.read()).toBe(world.storeTime);
    expect(world.events.filter(({ kind }) => kind === 'store-step')).toEqual([]);
  });

  it('TOK-12 is right after the machine slept, when its monotonic clock stood still', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.read();
    world.time += 3_600_000;
    world.slept += 3_600_000;
    expect(await clock.read()).toBe(world.storeTime);
    expect(world.events).toEqual([]);
  });

  it('TOK-12 does not believe an answer during which the clocks of the node parted', async () => {
    const world = new World();
    const { time } = world.store;
    let sleeps = 1;
    const store = {
      ...world.store,
      time: async () => {
        const answer = await time();
        if (sleeps > 0) {
          sleeps -= 1;
          world.time += 600_000;
          world.slept += 600_000;
        }
        return answer;
      },
    };
    const clock = world.clock({ store });
    expect(await clock.read()).toBe(world.storeTime);
    expect(world.questions).toBe(2);
    // A wall clock that never agrees is no reason to refuse.
    let wall = START;
    const restless = world.clock({ now: () => (wall += 5000) });
    expect(await restless.read()).toBe(world.storeTime);
    expect(world.questions).toBe(5);
  });

  it('TOK-12 is wrong by half of a round trip at most, and keeps a quick answer beside slower ones', async () => {
    const world = new World();
    world.questionMillis = 300;
    const clock = world.clock();
    expect(Math.abs((await clock.read()) - world.storeTime)).toBeLessThanOrEqual(151);
    expect((await clock.check()).errorMillis).toBeLessThanOrEqual(152);

    world.questionMillis = 1;
    world.answerMillis = 1;
    world.time += 20_000;
    clock.read();
    await settle();
    expect(Math.abs(clock.now() - world.storeTime)).toBeLessThanOrEqual(2);

    world.questionMillis = 1900;
    world.time += 20_000;
    clock.read();
    await settle();
    expect(Math.abs(clock.now() - world.storeTime)).toBeLessThanOrEqual(25);
    expect((await clock.check()).errorMillis).toBeLessThanOrEqual(25);
    expect(world.events).toEqual([]);
  });

  it('TOK-12 TOK-11 answers that are too slow are no time at the start, and no fault later', async () => {
    const world = new World();
    world.answerMillis = 3000;
    const clock = world.clock();
    await expect(clock.read()).rejects.toThrow(StoreUnavailableError);
    expect(world.questions).toBe(3);
    world.answerMillis = 0;
    await clock.read();
    world.answerMillis = 3000;
    world.time += 400_000;
    expect(Math.abs((await clock.read()) - world.storeTime)).toBeLessThanOrEqual(500);
  });

  it('TOK-11 TOK-12 goes on without the store for maxAgeMillis, asks once a second meanwhile, and then refuses', async () => {
    const world = new World();
    const clock = world.clock({ maxAgeMillis: 60_000 });
    expect(() => clock.now()).toThrow(StoreUnavailableError);
    await clock.read();
    world.isAway = true;
    for (let halfSeconds = 1; halfSeconds <= 120; halfSeconds += 1) {
      world.time += 500;
      expect(clock.read()).toBe(world.storeTime);
      await settle();
    }
    expect(world.questions).toBeGreaterThan(30);
    expect(world.questions).toBeLessThanOrEqual(1 + 50);
    world.time += 1;
    await expect(clock.read()).rejects.toThrow(StoreUnavailableError);
    await expect(clock.check()).rejects.toThrow(StoreUnavailableError);
    expect(() => clock.now()).toThrow(StoreUnavailableError);
    world.isAway = false;
    expect(await clock.read()).toBe(world.storeTime);
    expect(clock.now()).toBe(world.storeTime);
  });

  it('TOK-11 TOK-12 with the store away and the clocks of the node parted, no time is known', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.read();
    world.isAway = true;
    world.wallIsAhead += 3_600_000;
    await expect(clock.read()).rejects.toThrow(StoreUnavailableError);
    await expect(world.clock({ store: { lifetime: 'shared', time: async () => Number.NaN } }).read()).rejects.toThrow(
      StoreUnavailableError,
    );
  });

  it('TOK-12 tells once when the wall clock goes off by more than allowed, and once when it is right again', async () => {
    const world = new World();
    const clock = world.clock({ allowedSkewMillis: 10_000 });
    world.wallIsAhead += 10_000;
    expect(await clock.check()).toEqual({
      skewMillis: 10_000,
      errorMillis: expect.any(Number),
      allowedSkewMillis: 10_000,
      isOff: false,
    });
    for (const step of [2000, 3_600_000, -7_200_000]) {
      world.wallIsAhead += step;
      expect(await clock.check()).toMatchObject({ isOff: true, skewMillis: world.wallIsAhead - START });
    }
    expect(world.events).toMatchObject([{ kind: 'off', skewMillis: 12_000, allowedSkewMillis: 10_000 }]);
    world.wallIsAhead = START;
    await clock.read();
    await clock.read();
    expect(world.events).toMatchObject([{ kind: 'off' }, { kind: 'right', skewMillis: 0 }]);
  });

  it('TOK-12 a wall clock that drifts is found off by the next look', async () => {
    const world = new World();
    const clock = world.clock({ allowedSkewMillis: 1000 });
    for (let minutes = 0; minutes < 15; minutes += 1) {
      world.time += 60_000;
      world.wallIsAhead += 100;
      await clock.check();
      await settle();
    }
    expect(world.events.map(({ kind }) => kind)).toEqual(['off']);
  });

  it('TOK-12 follows the clock of the store, and tells that it was set', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.read();
    for (const step of [90_000, -180_000]) {
      world.storeIsAhead += step;
      world.time += 10_001;
      clock.read();
      await settle();
      expect(clock.now()).toBe(world.storeTime);
    }
    expect(world.events).toMatchObject([
      { kind: 'store-step', stepMillis: 90_000 },
      { kind: 'off', skewMillis: -90_000 },
      { kind: 'store-step', stepMillis: -180_000 },
    ]);
  });

  it('TOK-12 a listener hears no more after it is taken off', async () => {
    const world = new World();
    const clock = world.clock();
    const heard: ClockEvent[] = [];
    const unwatch = clock.watch((event) => heard.push(event));
    unwatch();
    world.wallIsAhead += 60_000;
    await clock.check();
    expect([heard.length, world.events.length]).toEqual([0, 1]);
  });

  it('TOK-12 a store in this process is asked at every use, and its clock is never off', async () => {
    let time = START;
    const clock = createStoreClock({ store: createMemoryStore({ now: () => time }) });
    for (const step of [1, 3_600_000, -7_200_000]) {
      time += step;
      expect(await clock.read()).toBe(time);
      expect(Math.abs(clock.now() - time)).toBeLessThan(1000);
      expect((await clock.check()).isOff).toBe(false);
    }
  });
});
