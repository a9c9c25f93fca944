import type { Trace } from './canvas.js';
import type { Point } from './letters.js';
import type { Random } from './random.js';

/** The size of every picture, in pixels. It does not depend on the text. */
export const WIDTH = 344;
export const HEIGHT = 100;

/**
 * The gap between letters that stand close, in pixels. Most texts are then too wide. After they are made to fit,
 * letters touch or nearly touch. Overlapping letters alone do not stop a program, but often stop people.
 */
const MIN_GAP = 0;
const MAX_GAP = 3;

/** The gap between letters that stand apart. */
const PLAIN_GAP = 8;

const MAX_RISE = 14;

/** The minimum distance from the left and right edge. */
const MARGIN = 8;

type Letter = readonly Trace[];

/**
 * Puts letters in a row so that they touch or nearly touch, or, in the plain layout, with a gap between any two. Makes
 * them narrower if they don't fit.
 */
export function layOut(letters: readonly Letter[], areTouching: boolean, random: Random): Letter[] {
  let front = 0;
  const placed = letters.map((letter) => {
    const gap = areTouching ? random.between(MIN_GAP, MAX_GAP) : PLAIN_GAP;
    const down = HEIGHT / 2 + (areTouching ? random.between(-MAX_RISE, MAX_RISE) : 0);
    const { left, right } = sidesOf(letter);
    const shift = front + gap - left;
    front = shift + right;
    return move(letter, shift, down);
  });
  return fit(placed, random, areTouching);
}

/** The extent of a letter's ink. */
function sidesOf(letter: Letter): { left: number; right: number } {
  const inks = letter.flatMap(({ points, radii }) => points.map(([x], i) => ({ x, radius: radii[i]! })));
  return {
    left: Math.min(...inks.map(({ x, radius }) => x - radius)),
    right: Math.max(...inks.map(({ x, radius }) => x + radius)),
  };
}

function move(letter: Letter, right: number, down: number): Letter {
  return letter.map(({ points, radii }) => ({
    points: points.map(([x, y]): Point => [x + right, y + down]),
    radii,
  }));
}

/**
 * Fits the letters into the picture's width: makes them narrower if needed, and places them at random in the remaining
 * room.
 */
function fit(letters: readonly Letter[], random: Random, isVaried: boolean): Letter[] {
  const xs = letters.flat().flatMap(({ points }) => points.map(([x]) => x));
  const left = Math.min(...xs);
  const width = Math.max(...xs) - left;
  const room = WIDTH - 2 * MARGIN;
  const scale = Math.min(1, room / width);
  const free = room - width * scale;
  const start = MARGIN + free * (isVaried ? random.between(0.15, 0.85) : 0.5);
  return letters.map((letter) =>
    letter.map(({ points, radii }) => ({
      points: points.map(([x, y]): Point => [start + (x - left) * scale, y]),
      radii,
    })),
  );
}
