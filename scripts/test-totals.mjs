// `node scripts/test-totals.mjs REPORT.json …`, with the reports of `vitest run --reporter=json`: how many tests each
// package and example has run. A test that several reports have counts once: it has passed if it passed in one of them
// and failed in none. Fails if a test failed. The last line sums everything up.
import { readFileSync } from 'node:fs';

/** @typedef {{ name: string, assertionResults: { fullName: string, status: string }[] }} TestFile */

const paths = process.argv.slice(2);
if (paths.length === 0) throw new TypeError('usage: node scripts/test-totals.mjs REPORT.json …');

/** The worst status last. */
const ORDER = ['skipped', 'passed', 'failed'];

/** @type {Map<string, Map<string, string>>} */
const statuses = new Map();
for (const path of paths) {
  const { testResults } = /** @type {{ testResults: TestFile[] }} */ (JSON.parse(readFileSync(path, 'utf8')));
  for (const { name, assertionResults } of testResults) {
    const file = name.replace(
      /^.*?\/((?:packages|examples|scripts)\/[^/]+\/)(?!.*\/(?:packages|examples|scripts)\/[^/]+\/)/,
      '$1',
    );
    const tests = statuses.get(file) ?? new Map();
    statuses.set(file, tests);
    for (const [index, { fullName, status }] of assertionResults.entries()) {
      const id = `${fullName} ${index}`;
      const now = status === 'passed' || status === 'failed' ? status : 'skipped';
      const before = tests.get(id) ?? 'skipped';
      tests.set(id, ORDER.indexOf(now) > ORDER.indexOf(before) ? now : before);
    }
  }
}

/** @type {Map<string, Record<string, number>>} */
const rows = new Map();
const total = { passed: 0, failed: 0, skipped: 0 };
for (const [file, tests] of statuses) {
  const place = /^(?:packages|examples)\/[^/]+/.exec(file)?.[0] ?? 'repository';
  const row = rows.get(place) ?? { passed: 0, failed: 0, skipped: 0 };
  rows.set(place, row);
  for (const status of tests.values()) {
    row[status] = (row[status] ?? 0) + 1;
    total[/** @type {keyof typeof total} */ (status)] += 1;
  }
}

const width = Math.max(...[...rows.keys()].map((place) => place.length));
for (const [place, { passed, failed, skipped }] of [...rows].sort(([one], [other]) => one.localeCompare(other))) {
  console.log(`${place.padEnd(width)} ${`${passed}`.padStart(5)} passed ${failed} failed ${skipped} skipped`);
}
if (total.failed > 0) process.exitCode = 1;
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
