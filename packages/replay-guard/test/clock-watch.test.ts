import { describe, expect, it } from 'vitest';
import { createClockWatch } from '../src/clock-watch.js';

const START = 1_763_700_000_000;
const MINUTE = 60_000;

/** A watch that allows a minute. Its wall clock is true time and an offset. */
function startWatch() {
  const clock = { elapsed: 0, offset: 0 };
  const now = () => START + clock.elapsed + clock.offset;
  return { clock, read: createClockWatch({ now, monotonic: () => clock.elapsed, allowedMillis: MINUTE }) };
}

describe('RPL-3 RPL-7 the watch of the wall clock', () => {
  it('reports a step above the limit, once', () => {
    const { clock, read } = startWatch();
    clock.elapsed = 1000;
    clock.offset = MINUTE;
    expect(read().stepMillis).toBe(0);
    clock.offset = MINUTE + 1;
    expect(read().stepMillis).toBe(MINUTE + 1);
    expect(read().stepMillis).toBe(0);
    clock.offset = 0;
    expect(read().stepMillis).toBe(-MINUTE - 1);
  });

  it('adds small steps up until they exceed the limit', () => {
    const { clock, read } = startWatch();
    const steps = [-25_000, -50_000, -75_000, -100_000].map((offset) => {
      clock.offset = offset;
      return read().stepMillis;
    });
    expect(steps).toEqual([0, 0, -75_000, 0]);
  });

  it('knows the time that the clock showed before it was set back, though nobody read it then', () => {
    const { clock, read } = startWatch();
    clock.elapsed = 1000;
    clock.offset = -5000;
    expect(read()).toEqual({ time: START - 4000, latestTime: START + 1000, stepMillis: 0 });
    clock.elapsed = 2000;
    expect(read()).toEqual({ time: START - 3000, latestTime: START - 3000, stepMillis: 0 });
    clock.offset = 10 * MINUTE;
    expect(read()).toMatchObject({ time: START + 2000 + 10 * MINUTE, latestTime: START + 2000 + 10 * MINUTE });
    clock.elapsed = 3000;
    clock.offset = 0;
    expect(read()).toMatchObject({ time: START + 3000, latestTime: START + 3000 + 10 * MINUTE });
  });
});
