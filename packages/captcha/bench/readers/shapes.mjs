import { ALL_DISTORTIONS, IMAGE_ALPHABET } from '../../dist/image/drawing/index.js';
import { PLAIN } from '../pictures.mjs';
import { DIRECTIONS, HEIGHT, inkOf, middleLines, WIDTH } from './ink.mjs';

/**
 * A reader that knows the renderer's letters. It has many examples of each, compares the directed middle lines of every
 * example with the picture at every place (an oriented chamfer score), and searches the row of letters that explains
 * the picture best. Neither letters that touch nor lines across them need to be separated first.
 */

/** Places are two pixels apart. */
const STEP = 2;
const COLUMNS = WIDTH / STEP;
const ROWS = HEIGHT / STEP;

/** The score of a point of the example that lies on the picture's middle line, and how it falls with the distance. */
const HIT = 1;
const SIGMA = 1.1;
const MISS = -1.2;
/** A line in a neighbouring direction counts as if it were this much further away (squared). */
const TURN = 1.6;
/** The score of a point where the example has none and the picture has ink. */
const SURPLUS = -0.45;

/** How far an example is moved up and down, in places. */
const MAX_RISE = 9;

/** Letters that are kept at each place, and how near the next one may be, as a part of both half widths. */
const CANDIDATES = 5;
const MIN_DISTANCE = 0.62;
const MAX_DISTANCE = 1.75;

/** Every point counts by itself, but an example with twice the points does not have twice the evidence. */
const EXAMPLE_COST = 8;

/**
 * Makes an example of a picture that shows a single letter.
 *
 * @param {string} letter
 * @param {Float32Array} grey
 */
export function createExample(letter, grey) {
  const points = middleLines(inkOf(grey));
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2];
  const seen = new Set();
  const on = [];
  for (const { x, y, direction } of points) {
    const place = [Math.round((x - middleX) / STEP), Math.round((y - middleY) / STEP), direction];
    const key = `${place[0]},${place[1]}`;
    if (seen.has(key)) continue;
    seen.add(key);
    on.push(place);
  }
  const off = [];
  const halfWidth = (right - left) / 2 / STEP;
  const halfHeight = (bottom - top) / 2 / STEP;
  for (let y = -Math.floor(halfHeight); y <= halfHeight; y++) {
    for (let x = -Math.floor(halfWidth); x <= halfWidth; x++) {
      if ((x + y) % 2 === 0 && on.every(([px, py]) => (px - x) ** 2 + (py - y) ** 2 > 4)) off.push([x, y]);
    }
  }
  return {
    letter,
    halfWidth: Math.max(2, halfWidth),
    halfHeight,
    on: Int8Array.from(on.flat()),
    off: Int8Array.from(off.flat()),
  };
}

/** Examples of each letter, of all that the renderer makes of it, and of its forms without distortion. */
const EXAMPLES = 40;
const PLAIN_EXAMPLES = 8;

export function examplesOf(draw) {
  return [...IMAGE_ALPHABET].flatMap((letter) => [
    ...Array.from({ length: EXAMPLES }, () =>
      createExample(letter, draw(letter, { ...ALL_DISTORTIONS, lines: false })),
    ),
    ...Array.from({ length: PLAIN_EXAMPLES }, () => createExample(letter, draw(letter, PLAIN))),
  ]);
}

/**
 * @param {ReturnType<typeof createExample>[]} examples
 * @returns {(grey: Float32Array, length: number) => string} a reader
 */
export function createShapeReader(examples) {
  return (grey, length) => {
    const maps = createMaps(middleLines(inkOf(grey)));
    const places = bestLetters(examples, maps);
    return search(places, length);
  };
}

/** For each direction the score of a point at every place; the picture has a margin, so that no check is needed. */
const MARGIN = 24;
const MAP_WIDTH = COLUMNS + 2 * MARGIN;
const MAP_HEIGHT = ROWS + 2 * MARGIN;

function createMaps(points) {
  const distances = Array.from({ length: DIRECTIONS }, () => new Float32Array(MAP_WIDTH * MAP_HEIGHT).fill(1e6));
  const ink = new Float32Array(MAP_WIDTH * MAP_HEIGHT);
  const reach = 4;
  for (const { x, y, direction } of points) {
    const [px, py] = [x / STEP + MARGIN, y / STEP + MARGIN];
    ink[Math.floor(py) * MAP_WIDTH + Math.floor(px)] = SURPLUS;
    for (let turn = 0; turn < DIRECTIONS; turn++) {
      const away = Math.min(turn, DIRECTIONS - turn);
      const cost = TURN * away * away;
      const map = distances[(direction + turn) % DIRECTIONS];
      for (let ny = Math.floor(py) - reach; ny <= py + reach; ny++) {
        for (let nx = Math.floor(px) - reach; nx <= px + reach; nx++) {
          const at = ny * MAP_WIDTH + nx;
          const squared = (nx - px) ** 2 + (ny - py) ** 2 + cost;
          if (squared < map[at]) map[at] = squared;
        }
      }
    }
  }
  const scores = new Float32Array(DIRECTIONS * MAP_WIDTH * MAP_HEIGHT);
  for (const [direction, map] of distances.entries()) {
    const from = direction * map.length;
    for (const [at, squared] of map.entries()) scores[from + at] = Math.max(MISS, HIT - squared / (2 * SIGMA * SIGMA));
  }
  return { scores, ink };
}

/** Points between two looks at whether an example can still be the best of its letter. */
const POINTS_AT_ONCE = 12;

/** At each column the best letters with their scores. */
function bestLetters(examples, { scores, ink }) {
  const best = Array.from({ length: COLUMNS }, () => new Map());
  for (const { letter, halfWidth, on, off } of examples) {
    const count = on.length / 3;
    const steps = Int32Array.from(
      { length: count },
      (_, i) => (on[3 * i + 2] * MAP_HEIGHT + on[3 * i + 1]) * MAP_WIDTH + on[3 * i],
    );
    const offSteps = Int32Array.from({ length: off.length / 2 }, (_, i) => off[2 * i + 1] * MAP_WIDTH + off[2 * i]);
    for (let column = Math.ceil(halfWidth); column < COLUMNS - halfWidth; column++) {
      const known = best[column].get(letter)?.score ?? Number.NEGATIVE_INFINITY;
      let top = known;
      for (let rise = -MAX_RISE; rise <= MAX_RISE; rise++) {
        const middle = (ROWS / 2 + rise + MARGIN) * MAP_WIDTH + column + MARGIN;
        let score = -EXAMPLE_COST;
        let i = 0;
        // The points that are left raise the score by HIT each at most.
        while (i < count && score + (count - i) * HIT > top) {
          const end = Math.min(count, i + POINTS_AT_ONCE);
          for (; i < end; i++) score += scores[middle + steps[i]];
        }
        if (i < count) continue;
        for (const step of offSteps) score += ink[middle + step];
        if (score > top) top = score;
      }
      if (top > known) best[column].set(letter, { letter, score: top, halfWidth });
    }
  }
  return best.map((letters) => [...letters.values()].sort((a, b) => b.score - a.score).slice(0, CANDIDATES));
}

/** The row of letters with the best sum, each at a fitting distance from the last. */
function search(places, length) {
  let rows = places.map((letters) => letters.map((letter) => ({ ...letter, sum: letter.score, text: letter.letter })));
  for (let i = 1; i < length; i++) {
    rows = places.map((letters, column) =>
      letters.flatMap((letter) => {
        let before = null;
        for (let from = Math.max(0, column - 60); from < column; from++) {
          for (const row of rows[from]) {
            const halves = row.halfWidth + letter.halfWidth;
            const distance = column - from;
            if (distance < MIN_DISTANCE * halves || distance > MAX_DISTANCE * halves + 4) continue;
            if (before === null || row.sum > before.sum) before = row;
          }
        }
        if (before === null) return [];
        return [{ ...letter, sum: before.sum + letter.score, text: before.text + letter.letter }];
      }),
    );
  }
  let best = { sum: Number.NEGATIVE_INFINITY, text: '' };
  for (const row of rows.flat()) if (row.sum > best.sum) best = row;
  return best.text;
}
