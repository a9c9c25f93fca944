import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HEIGHT, WIDTH } from './ink.mjs';

const script = fileURLToPath(new URL('../network/train.py', import.meta.url));

/** The first Python that has PyTorch, or null: `apt-get install python3-torch`, or `pip install torch numpy`. */
export function findPython() {
  const hasTorch = (python) => spawnSync(python, ['-c', 'import torch, numpy']).status === 0;
  return [process.env.PYTHON, 'python3', '/usr/bin/python3'].find((python) => python && hasTorch(python)) ?? null;
}

/** Pictures without distortion come first: half of them teach the network the letters, half are the control. */
const PLAIN_PICTURES = 600;

/**
 * Trains a network on pictures of the generator, then reads others. Pictures are halved in size.
 *
 * @param {{ python: string, drawPlain: () => Drawn, draw: () => Drawn, alphabet: string, trained: number,
 *   read: number, minutes: number }} task
 * @typedef {{ text: string, grey: Float32Array }} Drawn
 */
export function trainNetwork({ python, drawPlain, draw, alphabet, trained, read, minutes }) {
  const folder = mkdtempSync(join(tmpdir(), 'captcha-'));
  try {
    const data = join(folder, 'pictures');
    const file = openSync(data, 'w');
    const textsOf = (count, drawOne) =>
      Array.from({ length: count }, () => {
        const { text, grey } = drawOne();
        writeSync(file, halve(grey));
        return text;
      });
    const groups = [textsOf(PLAIN_PICTURES, drawPlain), textsOf(trained, draw), textsOf(read, draw)];
    closeSync(file);
    writeFileSync(`${data}.txt`, `${groups.map((texts) => texts.join('\n')).join('\n\n')}\n`);
    const sizes = [WIDTH / 2, HEIGHT / 2].map(String);
    const { stdout, status } = spawnSync(python, [script, data, ...sizes, alphabet, String(minutes)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error('the training failed');
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function halve(grey) {
  return Uint8Array.from({ length: (WIDTH / 2) * (HEIGHT / 2) }, (_, at) => {
    const from = Math.floor(at / (WIDTH / 2)) * 2 * WIDTH + (at % (WIDTH / 2)) * 2;
    return ((grey[from] + grey[from + 1] + grey[from + WIDTH] + grey[from + WIDTH + 1]) / 4) * 255;
  });
}
