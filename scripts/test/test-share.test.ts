import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { readSource } from './import-graph.js';

const script = fileURLToPath(new URL('../test-share.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sallyport-share-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The verdict on reports in which each test file has this many tests, the last of them with the status. */
function judge(fast: Readonly<Record<string, number>>, system: Readonly<Record<string, number>>, last = 'passed') {
  const write = (name: string, counts: Readonly<Record<string, number>>) => {
    const testResults = Object.entries(counts).map(([path, count]) => ({
      name: `/clone/${path}`,
      assertionResults: Array.from({ length: count }, (_, index) => ({
        status: index === count - 1 ? last : 'passed',
      })),
    }));
    const report = join(folder, `${name}.json`);
    writeFileSync(report, JSON.stringify({ testResults }));
    return report;
  };
  const { status, stdout } = spawnSync(process.execPath, [script, write('fast', fast), write('system', system)], {
    encoding: 'utf8',
  });
  return { status, lines: stdout.trim().split('\n') };
}

describe('the share of the fast tests', () => {
  test('TST-1 passes where each package and module runs nine tenths of its tests in the fast command', () => {
    const { status, lines } = judge(
      { 'packages/one/test/a.test.ts': 9, 'examples/server/test/modules/files/b.test.ts': 18 },
      { 'packages/one/test/c.system.test.ts': 1, 'examples/server/test/modules/files/d.system.test.ts': 2 },
    );
    expect(status).toBe(0);
    expect(lines.at(-1)).toBe('30 passed, 0 failed, 0 skipped');
  });

  test('TST-1 fails where one module has fewer, although the whole has enough', () => {
    const { status, lines } = judge(
      { 'packages/one/test/a.test.ts': 100, 'examples/server/test/modules/files/b.test.ts': 8 },
      { 'examples/server/test/modules/files/d.system.test.ts': 1 },
    );
    expect(status).toBe(1);
    expect(lines.filter((line) => line.includes('less than nine tenths'))).toEqual([
      expect.stringMatching(/^examples\/server /),
      expect.stringMatching(/^examples\/server modules\/files /),
    ]);
  });

  test('TST-1 a page is tested in a browser, beside some fast tests', () => {
    const fast = { 'packages/one/test/a.test.ts': 90, 'examples/admin-console/test/a.test.ts': 2 };
    expect(judge(fast, { 'examples/admin-console/test/d.system.test.ts': 5 }).status).toBe(0);
  });

  test('TST-1 an example may have system tests alone, and a package or a module may not', () => {
    const fast = { 'packages/one/test/a.test.ts': 90, 'examples/server/test/a.test.ts': 90 };
    expect(judge(fast, { 'examples/small/test/d.system.test.ts': 3 }).status).toBe(0);
    expect(judge(fast, { 'packages/two/test/d.system.test.ts': 3 }).status).toBe(1);
    expect(judge(fast, { 'examples/server/test/modules/files/d.system.test.ts': 3 }).status).toBe(1);
  });

  test('TST-1 fails where a test failed, and counts skipped tests', () => {
    expect(judge({ 'packages/one/test/a.test.ts': 5 }, {}, 'failed').status).toBe(1);
    const skipped = judge({ 'packages/one/test/a.test.ts': 5 }, {}, 'skipped');
    expect([skipped.status, skipped.lines.at(-1)]).toEqual([0, '4 passed, 0 failed, 1 skipped']);
  });

  test('TST-1 the CI script runs both test commands of the README and judges their reports', () => {
    const readme = readSource('README.md');
    for (const command of ['test', 'test:system']) expect(readme).toMatch(new RegExp(`^npx .* ${command}$`, 'm'));
    const ci = readSource('.ci/run');
    expect(ci).toMatch(/^run_tests fast "\$test_command" /m);
    expect(ci).toMatch(/^run_tests system "\$system_command" /m);
    expect(ci).toMatch(/test-share\.mjs/);
  });
});
