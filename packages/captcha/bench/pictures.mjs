import { randomInt } from 'node:crypto';
import { decode } from 'fast-png';
import { ALL_DISTORTIONS, drawPicture, IMAGE_ALPHABET } from '../dist/image/drawing/index.js';
import { HEIGHT, WIDTH } from './readers/ink.mjs';

/** The length of the texts of `createCaptchas`. */
const LENGTH = 5;

export const PLAIN = { shapes: false, touching: false, warp: false, lines: false };

export const randomText = (alphabet = IMAGE_ALPHABET, length = LENGTH) =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

export const draw = (text, distortions = ALL_DISTORTIONS) => greyOf(drawPicture(text, distortions));

/** The grey values of a PNG of the renderer: an attacker's view of the data URI. */
function greyOf(png) {
  const { data, palette, depth, width, height } = decode(png);
  if (width !== WIDTH || height !== HEIGHT || depth !== 4) throw new Error('not a picture of this renderer');
  return Float32Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const colour = palette[at % 2 === 0 ? data[at >> 1] >> 4 : data[at >> 1] & 15];
    return (0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2]) / 255;
  });
}
