import { drawPicture } from '#drawing';

/**
 * Runs in a worker thread. Plain JavaScript that imports the built package: a worker loads this very file, from `src`
 * under test and from `dist` in service.
 *
 * @param {string} text
 * @returns {Uint8Array}
 */
export default function draw(text) {
  return drawPicture(text);
}
