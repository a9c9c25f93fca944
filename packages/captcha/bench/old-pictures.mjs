import { Resvg } from '@resvg/resvg-js';
import svgCaptcha from 'svg-captcha';
import { HEIGHT, WIDTH } from './readers/ink.mjs';

/** The renderer that this package replaces, as the reference server used it. For the benchmark only. */
export const OLD_ALPHABET = 'ACEFGHJKMNPRTWXY34679';

export const drawOld = (text) => svgCaptcha(text, { width: 150, height: 50, noise: 3 });

/** The seven lines: every letter has path commands of its own, whatever its points are. */
export function createPathReader() {
  const commandsOf = (path) => path.replaceAll(/[^A-Z]/g, '');
  const pathsOf = (svg) => [...svg.matchAll(/<path fill="[^"]*" d="([^"]*)"/g)].map(([, path]) => path);
  const known = new Map([...OLD_ALPHABET].map((letter) => [commandsOf(pathsOf(drawOld(letter))[0]), letter]));
  const placeOf = (path) => Number(/^M(-?[\d.]+)/.exec(path)?.[1]);
  return (svg) =>
    pathsOf(svg)
      .sort((a, b) => placeOf(a) - placeOf(b))
      .map((path) => known.get(commandsOf(path)) ?? '')
      .join('');
}

/** The old picture as a raster, in the middle of the size that the readers take. */
export function greyOfOld(svg) {
  const scaled = new Resvg(svg, { background: 'white', fitTo: { mode: 'width', value: 240 } }).render();
  const { width, height, pixels } = scaled;
  const grey = new Float32Array(WIDTH * HEIGHT).fill(1);
  for (let y = 0; y < Math.min(height, HEIGHT); y++) {
    for (let x = 0; x < Math.min(width, WIDTH); x++) {
      const at = (y * width + x) * 4;
      const to = (y + ((HEIGHT - height) >> 1)) * WIDTH + x + ((WIDTH - width) >> 1);
      grey[to] = (0.3 * pixels[at] + 0.59 * pixels[at + 1] + 0.11 * pixels[at + 2]) / 255;
    }
  }
  return grey;
}
