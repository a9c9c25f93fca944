import type { Trace } from './canvas.js';
import type { Point } from './letters.js';
import type { Random } from './random.js';

/** The size of every picture, in pixels: it says nothing of the text. */
export const WIDTH = 344;
export const HEIGHT = 100;

/** How far two letters run into each other, in pixels, where they come closest. */
const MIN_OVERLAP = -1;
const MAX_OVERLAP = 1;

/** How far a letter slides under or over its neighbour at most, where their shapes leave room. */
const MAX_SLIDE = 2;

/** The gap between letters that stand apart. */
const PLAIN_GAP = 8;

const MAX_RISE = 14;

/** Nothing is nearer to the left and right edge than this. */
const MARGIN = 8;

/** The distance of the rows in which two letters are compared. */
const ROW = 3;
const ROWS = Math.ceil(HEIGHT / ROW);

type Letter = readonly Trace[];

/**
 * Puts letters beside each other so that they touch, or, plainly, so that a gap is between any two. Makes them narrower
 * if they don't fit.
 */
export function layOut(letters: readonly Letter[], areTouching: boolean, random: Random): Letter[] {
  let front: number[] = new Array(ROWS).fill(Number.NEGATIVE_INFINITY);
  const placed = letters.map((letter, i) => {
    const raised = move(letter, 0, HEIGHT / 2 + (areTouching ? random.between(-MAX_RISE, MAX_RISE) : 0));
    const gap = areTouching ? -random.between(MIN_OVERLAP, MAX_OVERLAP) : PLAIN_GAP;
    const shift = i === 0 ? 0 : nearest(front, raised, areTouching) + gap;
    const moved = move(raised, shift, 0);
    front = frontAfter(front, moved);
    return moved;
  });
  return fit(placed, random, areTouching);
}

/** How far to the right a letter has to be so that it just touches those before it. */
function nearest(front: readonly number[], letter: Letter, areTouching: boolean): number {
  const left = new Array(ROWS).fill(Number.POSITIVE_INFINITY);
  forRows(letter, (row, x, radius) => {
    left[row] = Math.min(left[row], x - radius);
  });
  const apart = Math.max(...front) - Math.min(...left);
  if (!areTouching) return apart;
  const distances = left.map((x, row) => front[row]! - x).filter(Number.isFinite);
  return Math.max(apart - MAX_SLIDE, ...distances);
}

function frontAfter(front: readonly number[], letter: Letter): number[] {
  const after = [...front];
  forRows(letter, (row, x, radius) => {
    after[row] = Math.max(after[row]!, x + radius);
  });
  return after;
}

function forRows(letter: Letter, visit: (row: number, x: number, radius: number) => void): void {
  for (const { points, radii } of letter) {
    for (const [i, [x, y]] of points.entries()) {
      const row = Math.min(ROWS - 1, Math.max(0, Math.floor(y / ROW)));
      // The rows above and below too: ink is as thick as it is wide.
      for (const near of [row - 1, row, row + 1]) if (near >= 0 && near < ROWS) visit(near, x, radii[i]!);
    }
  }
}

function move(letter: Letter, right: number, down: number): Letter {
  return letter.map(({ points, radii }) => ({
    points: points.map(([x, y]): Point => [x + right, y + down]),
    radii,
  }));
}

/** Into the picture's width: narrower where needed, and somewhere in the room that is left. */
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
