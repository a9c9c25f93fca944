import type { Canvas } from './canvas.js';
import type { Random } from './random.js';

/** Half a byte per pixel, for shades of one colour from ink (0) to paper. */
const SHADES = 16;

/** The maximum difference in brightness between a pixel and its surroundings. */
const MAX_GRAIN = 0.035;

type Colour = [red: number, green: number, blue: number];

/** The pixels of the picture's file. */
export interface Shaded {
  readonly palette: Colour[];
  /** Two pixels a byte, line by line. */
  readonly pixels: Uint8Array;
}

/** Turns ink into shades. Paper and ink have separate gradients, and a grain. */
export function shade({ width, height, ink }: Canvas, random: Random): Shaded {
  const paper = createGradient(random, 0.74, 1);
  const pen = createGradient(random, 0, 0.26);
  const grains = random.bytes(width * height);
  const pixels = new Uint8Array((width * height) / 2);
  for (let at = 0; at < ink.length; at++) {
    const right = (at % width) / width;
    const down = at / ink.length;
    const light = lightAt(paper, right, down) * (1 - ink[at]!) + lightAt(pen, right, down) * ink[at]!;
    const grain = (grains[at]! / 127.5 - 1) * MAX_GRAIN;
    const level = Math.min(SHADES - 1, Math.max(0, Math.round((light + grain) * (SHADES - 1))));
    pixels[at >> 1]! |= at % 2 === 0 ? level << 4 : level;
  }
  return { palette: createPalette(random), pixels };
}

/** The light at the corners of the picture. */
interface Gradient {
  readonly topLeft: number;
  readonly topRight: number;
  readonly bottomLeft: number;
  readonly bottomRight: number;
}

function createGradient(random: Random, min: number, max: number): Gradient {
  const corner = () => random.between(min, max);
  return { topLeft: corner(), topRight: corner(), bottomLeft: corner(), bottomRight: corner() };
}

function lightAt({ topLeft, topRight, bottomLeft, bottomRight }: Gradient, right: number, down: number): number {
  return (
    (topLeft + (topRight - topLeft) * right) * (1 - down) + (bottomLeft + (bottomRight - bottomLeft) * right) * down
  );
}

function createPalette(random: Random): Colour[] {
  const ink = Array.from({ length: 3 }, () => random.between(0, 90));
  const paper = Array.from({ length: 3 }, () => random.between(225, 255));
  return Array.from({ length: SHADES }, (_, shade) => {
    const part = shade / (SHADES - 1);
    return ink.map((dark, i) => Math.round(dark + (paper[i]! - dark) * part)) as Colour;
  });
}
