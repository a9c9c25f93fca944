// `node scripts/skipped-tests.mjs REPORT.json [--write]`, after the fast command on a machine that has Node.js and
// nothing else: compares what was skipped with the list in skipped-tests.txt, file by file. Fails if a test is skipped
// that the list does not have, or the other way round. `--write` writes the list. Requirement TST-2.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LIST = fileURLToPath(new URL('skipped-tests.txt', import.meta.url));
const HEAD = `# The tests that the fast command skips on a machine with Node.js alone: file, number of tests, what they need.
# Written by: node scripts/skipped-tests.mjs REPORT.json --write
`;

/** @typedef {{ name: string, assertionResults: { status: string }[] }} TestFile */

const [reportPath, flag] = process.argv.slice(2);
if (reportPath === undefined || (flag !== undefined && flag !== '--write')) {
  throw new TypeError('usage: node scripts/skipped-tests.mjs REPORT.json [--write]');
}

const { testResults } = /** @type {{ testResults: TestFile[] }} */ (JSON.parse(readFileSync(reportPath, 'utf8')));
const skipped = testResults
  .flatMap(({ name, assertionResults }) => {
    const count = assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
    return count === 0 ? [] : [`${relative(root, name)} ${count} ${needsOf(name)}`];
  })
  .sort();

if (flag === '--write') {
  writeFileSync(LIST, `${HEAD}${skipped.join('\n')}\n`);
} else {
  const listed = readFileSync(LIST, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const faults = [
    ...skipped.filter((line) => !listed.includes(line)).map((line) => `skipped, and not in the list: ${line}`),
    ...listed.filter((line) => !skipped.includes(line)).map((line) => `in the list, and not skipped: ${line}`),
  ];
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(`${skipped.length} files skip tests, as listed`);
}

/**
 * The names that the file gives to `lacks`; a test of several stores takes the name from the store.
 * @param {string} path
 */
function needsOf(path) {
  const calls = [...readFileSync(path, 'utf8').matchAll(/\blacks\(([^)]*)\)/g)].map(([, names]) => names ?? '');
  const names = new Set(calls.flatMap((call) => [...call.matchAll(/'([^']+)'/g)].map(([, name]) => name)));
  return [...names].sort().join(',') || 'redis';
}
