// `pnpm --filter @sallyport/captcha contact-sheet [--without-answers] [FILE]`: 30 pictures with their answers below.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decode, encode } from 'fast-png';
import { drawPicture } from '../dist/image/drawing/index.js';
import { PLAIN, randomText } from './pictures.mjs';
import { HEIGHT, WIDTH } from './readers/ink.mjs';

const withAnswers = !process.argv.includes('--without-answers');
const [given] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const file = given ?? fileURLToPath(new URL('../contact-sheet.png', import.meta.url));

const COLUMNS = 3;
const ROWS = 10;
const GAP = 8;
/** The answers are drawn by the renderer, without distortion and smaller. */
const SHRINK = 3;
const ANSWER = withAnswers ? Math.ceil(HEIGHT / SHRINK) : 0;

/** 15 shades are enough: a sheet of half bytes is a third of the size. */
const SHADES = 16;
const width = COLUMNS * (WIDTH + GAP);
const height = ROWS * (HEIGHT + ANSWER + GAP);
const grey = new Float32Array(width * height).fill(1);

/** The light of each pixel. */
function lightsOf(png) {
  const { data, palette } = decode(png);
  return (x, y) => {
    const at = y * WIDTH + x;
    const [red, green, blue] = palette[at % 2 === 0 ? data[at >> 1] >> 4 : data[at >> 1] & 15];
    return (0.3 * red + 0.59 * green + 0.11 * blue) / 255;
  };
}

const texts = Array.from({ length: COLUMNS * ROWS }, () => randomText());
for (const [i, text] of texts.entries()) {
  const left = (i % COLUMNS) * (WIDTH + GAP);
  const top = Math.floor(i / COLUMNS) * (HEIGHT + ANSWER + GAP);
  const light = lightsOf(drawPicture(text));
  for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < WIDTH; x++) grey[(top + y) * width + left + x] = light(x, y);
  if (!withAnswers) continue;
  const answer = lightsOf(drawPicture(text, PLAIN));
  for (let y = 0; y < ANSWER; y++) {
    for (let x = 0; x < WIDTH / SHRINK; x++) {
      let darkest = 1;
      for (let dy = 0; dy < SHRINK; dy++) {
        for (let dx = 0; dx < SHRINK; dx++) {
          const [px, py] = [x * SHRINK + dx, y * SHRINK + dy];
          if (px < WIDTH && py < HEIGHT) darkest = Math.min(darkest, answer(px, py));
        }
      }
      grey[(top + HEIGHT + y) * width + left + Math.floor(WIDTH / SHRINK) + x] = darkest < 0.5 ? 0 : 1;
    }
  }
}

const data = new Uint8Array((width * height) / 2);
for (const [at, light] of grey.entries()) {
  const shade = Math.round(light * (SHADES - 1));
  data[at >> 1] |= at % 2 === 0 ? shade << 4 : shade;
}
const palette = Array.from({ length: SHADES }, (_, i) => Array(3).fill(Math.round((i * 255) / (SHADES - 1))));
const options = { zlib: { level: 9 } };
writeFileSync(file, encode({ width, height, channels: 1, depth: 4, palette, data }, options));
process.stdout.write(`${file}\n`);
if (!withAnswers) writeFileSync(`${file}.txt`, `${texts.join('\n')}\n`);
