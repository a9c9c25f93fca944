import { drawPicture } from '#drawing';

/**
 * Runs in a worker thread. It is plain JavaScript that imports the built package, because a worker loads this file
 * itself, from `src` in tests and from `dist` in service.
 *
 * @param {string} text
 * @returns {Uint8Array}
 */
export default function draw(text) {
  return drawPicture(text);
}
