import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'fast-png';
import { blur, HEIGHT, inkOf, WIDTH } from './ink.mjs';

/** Each is a step of preparing a picture: levelled and in black and white; thin lines removed as well; as it is. */
const PREPARATIONS = {
  'black and white': (grey) => enlarge(Float32Array.from(inkOf(grey), (ink) => 1 - ink)),
  'smoothed, black and white': (grey) => enlarge(Float32Array.from(inkOf(blur(grey, 1)), (ink) => 1 - ink)),
  'as it is': (grey) => enlarge(grey),
};

const SCALE = 2;

/** The version, or null where tesseract is not installed (`apt-get install tesseract-ocr`). */
export function tesseractVersion() {
  const { stdout, status } = spawnSync('tesseract', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n')[0] : null;
}

/**
 * Reads each picture in each preparation, as one line and as one word.
 *
 * @returns {Map<string, string[]>} by way: what it read in each picture
 */
export function readWithTesseract(greys, alphabet) {
  const folder = mkdtempSync(join(tmpdir(), 'captcha-'));
  try {
    const readings = new Map();
    for (const [name, prepare] of Object.entries(PREPARATIONS)) {
      const files = greys.map((grey, i) => {
        const file = join(folder, `${i}.png`);
        writeFileSync(file, encode({ width: WIDTH * SCALE, height: HEIGHT * SCALE, channels: 1, data: prepare(grey) }));
        return file;
      });
      const list = join(folder, 'list.txt');
      writeFileSync(list, `${files.join('\n')}\n`);
      for (const mode of ['7', '8']) {
        const options = [list, 'stdout', '--psm', mode, '-l', 'eng', '-c', `tessedit_char_whitelist=${alphabet}`];
        const { stdout } = spawnSync('tesseract', options, { encoding: 'utf8', maxBuffer: 1 << 26 });
        const texts = stdout.split('\f').map((text) => text.replaceAll(/\s/g, ''));
        readings.set(`${name}, as one ${mode === '7' ? 'line' : 'word'}`, texts.slice(0, greys.length));
      }
    }
    return readings;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Nearest neighbours, as bytes. */
function enlarge(grey) {
  const data = new Uint8Array(WIDTH * HEIGHT * SCALE * SCALE);
  for (let y = 0; y < HEIGHT * SCALE; y++) {
    for (let x = 0; x < WIDTH * SCALE; x++) {
      const at = Math.floor(y / SCALE) * WIDTH + Math.floor(x / SCALE);
      data[y * WIDTH * SCALE + x] = Math.round(Math.min(1, Math.max(0, grey[at])) * 255);
    }
  }
  return data;
}
