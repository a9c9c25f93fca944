import type { Canvas } from './canvas.js';
import type { Random } from './random.js';

/** Half a byte per pixel: shades of one colour, from ink, 0, to paper. */
const SHADES = 16;

type Colour = [red: number, green: number, blue: number];

/** What the picture's file contains. */
export interface Shaded {
  readonly palette: Colour[];
  /** Two pixels a byte, line by line. */
  readonly pixels: Uint8Array;
}

/** Turns ink into shades: paper and ink have gradients of their own, and a grain. */
export function shade({ width, height, ink }: Canvas, random: Random): Shaded {
  const paper = createGradient(width, height, random, 0.74, 1);
  const pen = createGradient(width, height, random, 0, 0.26);
  const pixels = new Uint8Array((width * height) / 2);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const light = paper(x, y) + (pen(x, y) - paper(x, y)) * ink[at]! + random.between(-0.035, 0.035);
      const level = Math.min(SHADES - 1, Math.max(0, Math.round(light * (SHADES - 1))));
      pixels[at >> 1]! |= at % 2 === 0 ? level << 4 : level;
    }
  }
  return { palette: createPalette(random), pixels };
}

/** A slope across the picture, from `min` to `max` at most. */
function createGradient(width: number, height: number, random: Random, min: number, max: number) {
  const corners = Array.from({ length: 4 }, () => random.between(min, max)) as [number, number, number, number];
  const [topLeft, topRight, bottomLeft, bottomRight] = corners;
  return (x: number, y: number) => {
    const right = x / width;
    const down = y / height;
    return (
      (topLeft * (1 - right) + topRight * right) * (1 - down) +
      (bottomLeft * (1 - right) + bottomRight * right) * down
    );
  };
}

function createPalette(random: Random): Colour[] {
  const ink = Array.from({ length: 3 }, () => random.between(0, 90));
  const paper = Array.from({ length: 3 }, () => random.between(225, 255));
  return Array.from({ length: SHADES }, (_, shade) => {
    const part = shade / (SHADES - 1);
    return ink.map((dark, i) => Math.round(dark + (paper[i]! - dark) * part)) as Colour;
  });
}
