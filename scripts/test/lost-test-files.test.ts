import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'lost-test-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const DEATH = 'Caused by: Error: Worker exited unexpectedly\n';

/** Asks which files get a second run after a run with this log and these statuses of tests by file. */
async function lostFiles(log: string, files: Record<string, string[]>) {
  const testResults = Object.entries(files).map(([name, statuses]) => ({
    name,
    status: statuses.includes('failed') ? 'failed' : 'passed',
    assertionResults: statuses.map((status) => ({ status })),
  }));
  writeFileSync(join(folder, 'run.log'), log);
  writeFileSync(join(folder, 'report.json'), JSON.stringify({ testResults }));
  const script = new URL('../lost-test-files.mjs', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'run.log', 'report.json'], { cwd: folder });
  return stdout.trim().split('\n');
}

describe('a run of tests whose processes died', () => {
  it('TST-1 runs the files again whose tests have no result', async () => {
    const log = `${DEATH}\u001b[2m     Errors \u001b[22m \u001b[31m1 error\u001b[39m\n`;
    expect(await lostFiles(log, { '/a.test.ts': ['passed', 'pending'], '/b.test.ts': ['skipped'] })).toEqual([
      '/a.test.ts',
    ]);
  });

  it.each([
    ['a test failed too', `${DEATH}     Errors  1 error\n`, { '/a': ['pending'], '/b': ['failed'] }],
    ['another error was unhandled', `${DEATH}     Errors  2 errors\n`, { '/a': ['pending'] }],
    ['a process died before its tests were known', `${DEATH}${DEATH}     Errors  2 errors\n`, { '/a': ['pending'] }],
    ['a test has no result, and no process died', '', { '/a': ['pending'] }],
  ])('TST-1 fails if %s', async (_, log, files) => {
    await expect(lostFiles(log, files)).rejects.toThrow('More went wrong');
  });
});
