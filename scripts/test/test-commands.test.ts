import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { cases, SEED } from '../test-properties.js';
import { readSource } from './import-graph.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sallyport-reports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface ReportedTest {
  readonly fullName: string;
  readonly status: string;
}

const run = (script: string, ...words: readonly string[]) =>
  spawnSync(process.execPath, [fileURLToPath(new URL(`../${script}`, import.meta.url)), ...words], {
    encoding: 'utf8',
  });

function writeReport(name: string, files: Readonly<Record<string, readonly ReportedTest[]>>): string {
  const path = join(folder, `${name}.json`);
  const testResults = Object.entries(files).map(([file, assertionResults]) => ({
    name: join(root, file),
    assertionResults,
  }));
  writeFileSync(path, JSON.stringify({ testResults }));
  return path;
}

const passed = (fullName: string): ReportedTest => ({ fullName, status: 'passed' });
const skipped = (fullName: string): ReportedTest => ({ fullName, status: 'skipped' });
const failed = (fullName: string): ReportedTest => ({ fullName, status: 'failed' });

describe('the seed of a run', () => {
  test('TST-3 is the same in every run, and draws the same', () => {
    const isFixed = process.env.TEST_SEED === undefined;
    if (isFixed) expect(SEED).toBe(1);
    expect(fc.readConfigureGlobal().seed).toBe(SEED);
    expect(fc.sample(fc.nat(), 3)).toEqual(fc.sample(fc.nat(), { numRuns: 3, seed: SEED }));
    expect([cases(25), cases(40), cases(4000)]).toEqual(isFixed ? [25, 25, 400] : [25, 40, 4000]);
  });

  test('TST-3 an exploration refuses a time or a seed that is no number', () => {
    expect(run('explore.mjs', '--minutes', 'many').stderr).toContain('--minutes must be a number above 0');
    expect(run('explore.mjs', '--seed', '1.5').stderr).toContain('--seed must be a whole number');
  });
});

describe('the list of skipped tests', () => {
  const list = readSource('scripts/skipped-tests.txt')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const asListed = Object.fromEntries(
    list.map((line) => {
      const [file = '', count] = line.split(' ');
      return [file, Array.from({ length: Number(count) }, (_, i) => skipped(`${i}`))];
    }),
  );

  test('TST-2 accepts a run that skips what it lists', () => {
    expect(run('skipped-tests.mjs', writeReport('listed', asListed)).status).toBe(0);
  });

  test('TST-2 names a test that is skipped beyond it, and one that is not skipped any more', () => {
    const [first = ''] = Object.keys(asListed);
    const more = { ...asListed, [first]: [], 'scripts/test/test-commands.test.ts': [skipped('a'), passed('b')] };
    const { status, stderr } = run('skipped-tests.mjs', writeReport('more', more));
    expect(status).toBe(1);
    expect(stderr).toContain('skipped, and not in the list: scripts/test/test-commands.test.ts 1');
    expect(stderr).toContain(`in the list, and not skipped: ${first} `);
  });
});

describe('the totals', () => {
  test('TST-2 count a test once that was skipped without services and run with them', () => {
    const file = 'packages/one/test/a.test.ts';
    const without = writeReport('without', { [file]: [passed('a'), skipped('b')] });
    const services = writeReport('services', { [file]: [passed('a'), passed('b')] });
    const { status, stdout } = run('test-totals.mjs', without, services);
    expect([status, stdout.trim().split('\n').at(-1)]).toEqual([0, '2 passed, 0 failed, 0 skipped']);
  });

  test('TST-1 fail where a test failed in one report', () => {
    const file = 'examples/two/test/a.test.ts';
    const one = writeReport('one', { [file]: [failed('a')] });
    const two = writeReport('two', { [file]: [passed('a')] });
    const { status, stdout } = run('test-totals.mjs', one, two);
    expect([status, stdout.trim().split('\n').at(-1)]).toEqual([1, '0 passed, 1 failed, 0 skipped']);
  });
});
