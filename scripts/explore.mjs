// `pnpm test:explore [--minutes 5] [--seed N]`: the tests that draw at random, with all their cases and with one
// random seed after the other until the time is over; or with one given seed. A failure prints the command that
// reproduces it, and ends the exploration. What it finds becomes a fixed case. Requirement TST-3.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const DRAWS = /from '(?:fast-check|[./]+\/scripts\/test-properties\.js)'/;

const SYSTEM = /\.system\.test\.ts$/;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new TypeError('--minutes must be a number above 0');
const given = values.seed === undefined ? null : Number(values.seed);
if (given !== null && !Number.isInteger(given)) throw new TypeError('--seed must be a whole number');

const root = fileURLToPath(new URL('..', import.meta.url));
const files = ['packages', 'examples'].flatMap((parent) =>
  readdirSync(join(root, parent)).flatMap((name) => testsBelow(`${parent}/${name}/test`)),
);
const until = performance.now() + minutes * 60_000;
const counted = { passed: 0, failed: 0 };

// One file after the other, so that the time is kept. Each exploration begins with another.
const first = given === null ? randomInt(files.length) : 0;
for (let turn = 0; counted.failed === 0; turn += 1) {
  const isOver = given === null ? performance.now() >= until : turn === files.length;
  if (isOver) break;
  const file = files[(first + turn) % files.length];
  const seed = given ?? randomInt(2 ** 31);
  const began = performance.now();
  const config = SYSTEM.test(file) ? ['--config', 'vitest.system.config.ts'] : [];
  const run = ['node_modules/vitest/vitest.mjs', 'run', ...config, file];
  const { status, stdout, stderr } = spawnSync(process.execPath, run, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, TEST_SEED: String(seed) },
    maxBuffer: 2 ** 28,
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  process.stdout.write(`seed ${seed}: ${status === 0 ? 'passed' : 'FAILED'} (${file}, ${seconds} s)\n`);
  if (status === 0) {
    counted.passed += 1;
    continue;
  }
  counted.failed += 1;
  process.stdout.write(`${stdout}${stderr}\nto see it again: pnpm test:explore --seed ${seed}\n`);
}

process.stdout.write(`${counted.passed} passed, ${counted.failed} failed\n`);
process.exitCode = counted.failed === 0 ? 0 : 1;

/**
 * The test files in a folder that draw at random.
 * @param {string} folder
 * @returns {string[]}
 */
function testsBelow(folder) {
  /** @type {import('node:fs').Dirent[]} */
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return testsBelow(path);
    const isTest = path.endsWith('.test.ts') && !/\.(?:alone\.system|isolated)\.test\.ts$/.test(path);
    return isTest && DRAWS.test(readFileSync(join(root, path), 'utf8')) ? [path] : [];
  });
}
