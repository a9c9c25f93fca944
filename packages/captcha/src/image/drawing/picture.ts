import { encode } from 'fast-png';
import { createCanvas, drawTrace } from './canvas.js';
import { HEIGHT, layOut, WIDTH } from './layout.js';
import { PLAIN_HAND, varyHand, writeLetter } from './lettering.js';
import { drawLine } from './lines.js';
import { createRandom } from './random.js';
import { shade } from './shading.js';
import { createWarp } from './warp.js';

/**
 * Measures that make a picture hard to read for a program. The renderer uses them all; the benchmark shows the effect
 * of each.
 */
export interface Distortions {
  /** Proportions, size, slant, rotation, pen and serifs of each letter. */
  readonly shapes: boolean;
  /** Letters touch or nearly touch, and leave their line. */
  readonly touching: boolean;
  /** Smooth waves bend the whole line. */
  readonly warp: boolean;
  /** A line of the letters' own thickness. */
  readonly lines: boolean;
}

export const ALL_DISTORTIONS: Distortions = { shapes: true, touching: true, warp: true, lines: true };

/** The maximum that fits, which is twice as many as captchas need. */
const MAX_LETTERS = 12;

const random = createRandom();

/** A PNG with the text, whose characters are of the alphabet. Takes a few milliseconds. */
export function drawPicture(text: string, distortions: Distortions = ALL_DISTORTIONS): Uint8Array {
  if (text.length < 1 || text.length > MAX_LETTERS) throw new RangeError(`a picture shows 1 to ${MAX_LETTERS} letters`);
  const { shapes, touching, warp, lines } = distortions;
  const hand = shapes ? varyHand(random) : PLAIN_HAND;
  const letters = layOut(
    [...text].map((letter) => writeLetter(letter, hand, shapes, random)),
    touching,
    random,
  );
  const traces = [...letters.flat(), ...(lines ? [drawLine(hand, random)] : [])];
  const canvas = createCanvas(WIDTH, HEIGHT);
  const bend = warp ? createWarp(random) : null;
  for (const trace of traces) drawTrace(canvas, bend === null ? trace : bend(trace));
  const { palette, pixels } = shade(canvas, random);
  return encode({ width: WIDTH, height: HEIGHT, channels: 1, depth: 4, palette, data: pixels });
}
