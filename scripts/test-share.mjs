// `node scripts/test-share.mjs FAST.json SYSTEM.json`, with the reports of `vitest run --reporter=json` of both test
// commands: how many tests each package and each module of the server has, and how many of them the fast command runs.
// Fails where that is less than nine tenths (TST-1), or where a test failed; an example may have system tests alone,
// and a page is tested in a browser.
// The last line sums up both commands.
import { readFileSync } from 'node:fs';

const MIN_FAST_SHARE = 0.9;

/** What a person sees and does is tested in a browser, which the system command runs. */
const PAGES = ['examples/admin-console'];

/** @typedef {{ name: string, assertionResults: { status: string }[] }} TestFile */

const [fastPath, systemPath] = process.argv.slice(2);
if (fastPath === undefined || systemPath === undefined) {
  throw new TypeError('usage: node scripts/test-share.mjs FAST.json SYSTEM.json');
}

/** @type {Map<string, { fast: number, system: number }>} */
const counts = new Map();
const statuses = { passed: 0, failed: 0, skipped: 0 };
count(fastPath, 'fast');
count(systemPath, 'system');

const rows = [...counts].sort(([one], [other]) => one.localeCompare(other));
const width = Math.max(...rows.map(([place]) => place.length));
let isRight = statuses.failed === 0;
for (const [place, { fast, system }] of rows) {
  const share = fast / (fast + system);
  // The test of a small example starts it as its reader does, and there is nothing else to test.
  const isExempt = PAGES.includes(place) || (fast === 0 && /^examples\/[^/ ]+$/.test(place));
  const isEnough = share >= MIN_FAST_SHARE || isExempt;
  isRight &&= isEnough;
  const percent = `${(100 * share).toFixed(0)} %`.padStart(6);
  const verdict = isEnough ? '' : '  less than nine tenths';
  console.log(`${place.padEnd(width)} ${String(fast).padStart(5)} ${String(system).padStart(5)} ${percent}${verdict}`);
}
if (!isRight) process.exitCode = 1;
console.log(`${statuses.passed} passed, ${statuses.failed} failed, ${statuses.skipped} skipped`);

/**
 * @param {string} path
 * @param {'fast' | 'system'} kind
 */
function count(path, kind) {
  const { testResults } = /** @type {{ testResults: TestFile[] }} */ (JSON.parse(readFileSync(path, 'utf8')));
  for (const { name, assertionResults } of testResults) {
    for (const place of placesOf(name)) {
      const counted = counts.get(place) ?? { fast: 0, system: 0 };
      counted[kind] += assertionResults.length;
      counts.set(place, counted);
    }
    for (const { status } of assertionResults) {
      statuses[status === 'passed' ? 'passed' : status === 'failed' ? 'failed' : 'skipped'] += 1;
    }
  }
}

/**
 * The package or example that a test file belongs to, and where there is one its module.
 * @param {string} path
 */
function placesOf(path) {
  const [, place = 'repository'] = /\/((?:packages|examples)\/[^/]+)\//.exec(path) ?? [];
  const [, module] = /\/test\/(modules\/[^/]+)\//.exec(path) ?? [];
  return ['all', place, ...(module === undefined ? [] : [`${place} ${module}`])];
}
