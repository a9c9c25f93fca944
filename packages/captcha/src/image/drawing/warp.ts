import type { Trace } from './canvas.js';
import type { Point } from './letters.js';
import type { Random } from './random.js';

interface Wave {
  readonly amplitude: number;
  /** Radians per pixel, to the right and down. */
  readonly right: number;
  readonly down: number;
  readonly phase: number;
}

/**
 * The lengths of the waves, in pixels. They are long enough to keep letters readable, and short enough to bend two
 * letters differently.
 */
const MIN_WAVE = 70;
const MAX_WAVE = 130;

/**
 * With half a pixel less, a program that knows the shapes reads more of the letters, but people hardly do: their
 * mistakes come from the rotation and the position of letters.
 */
const MIN_AMPLITUDE = 6;
const MAX_AMPLITUDE = 7.5;

const WAVES = 2;

/** Bends everything smoothly: waves of random length and direction move points to the side and up or down. */
export function createWarp(random: Random): (trace: Trace) => Trace {
  const toSide = createWaves(random);
  const upOrDown = createWaves(random);
  const bend = ([x, y]: Point): Point => [x + heightAt(toSide, x, y), y + heightAt(upOrDown, x, y)];
  return ({ points, radii }) => ({ points: points.map(bend), radii });
}

function createWaves(random: Random): Wave[] {
  return Array.from({ length: WAVES }, () => {
    const direction = random.between(0, 2 * Math.PI);
    const frequency = (2 * Math.PI) / random.between(MIN_WAVE, MAX_WAVE);
    return {
      amplitude: random.between(MIN_AMPLITUDE, MAX_AMPLITUDE),
      right: frequency * Math.cos(direction),
      down: frequency * Math.sin(direction),
      phase: random.between(0, 2 * Math.PI),
    };
  });
}

function heightAt(waves: readonly Wave[], x: number, y: number): number {
  let height = 0;
  for (const { amplitude, right, down, phase } of waves) height += amplitude * Math.sin(right * x + down * y + phase);
  return height;
}
