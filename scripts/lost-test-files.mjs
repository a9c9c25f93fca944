// `node scripts/lost-test-files.mjs RUN.log REPORT.json`, after a run of Vitest that failed: prints the files whose
// process died under a test, a line each, if that is all that went wrong, so that they can be run again. Node.js itself
// can crash, rarely, when it ends worker threads; whether a crash is rare is seen by running the file again, aloud.
// Fails where anything else failed too.
import { readFileSync } from 'node:fs';

const [logPath, reportPath] = process.argv.slice(2);
if (logPath === undefined || reportPath === undefined) {
  throw new TypeError('usage: node scripts/lost-test-files.mjs RUN.log REPORT.json');
}

/** @typedef {{ name: string, status: string, assertionResults: { status: string }[] }} TestFile */

const log = readFileSync(logPath, 'utf8').replaceAll(/\u001b\[[0-9;]*m/g, '');
const { testResults } = /** @type {{ testResults: TestFile[] }} */ (JSON.parse(readFileSync(reportPath, 'utf8')));

const errors = Number(/^ +Errors +(\d+) errors?$/m.exec(log)?.[1] ?? 0);
const deaths = log.match(/^Caused by: Error: Worker exited unexpectedly$/gm)?.length ?? 0;
const hasFailed = testResults.some(
  ({ status, assertionResults }) => status === 'failed' || assertionResults.some((test) => test.status === 'failed'),
);
const lost = testResults.filter(({ assertionResults }) => assertionResults.some(({ status }) => status === 'pending'));

if (hasFailed || errors !== deaths || lost.length !== deaths) {
  console.error('More went wrong than processes that died under their tests.');
  process.exitCode = 1;
} else {
  for (const { name } of lost) console.log(name);
}
