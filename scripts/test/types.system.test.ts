import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** What the compiler objects to in a project: an unused `@ts-expect-error`, too. */
async function compilerFaults(project: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [compiler, '-p', project], { cwd: root }).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

test.each([
  ['ADP-7 misspelt or wrong settings of routes, parameters and databases do not compile', 'tsconfig.types.json'],
  ["ADP-7 databases fit a project that emits CommonJS, with drizzle's second declaration", 'tsconfig.common-js.json'],
  ['ADP-7 misspelt names of audiences and permissions do not compile', 'packages/auth-tokens/test/types/declared'],
])('%s', async (_name, project) => {
  expect(await compilerFaults(project)).toBe('');
});

test('ADP-7 every package that adds to the config of routes has files that must and must not compile', () => {
  const adding = readdirSync(join(root, 'packages')).filter((name) => {
    const folder = join(root, 'packages', name, 'src');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    return sources.some((path) => readFileSync(join(folder, path), 'utf8').includes('interface FastifyContextConfig'));
  });
  expect(adding).toEqual(expect.arrayContaining(['audit-log', 'auth-tokens', 'envelope-crypto', 'idempotency']));
  for (const name of adding) {
    const file = join(root, 'packages', name, 'test/types/route-config.ts');
    expect.soft(existsSync(file) && readFileSync(file, 'utf8'), name).toContain('@ts-expect-error');
  }
});
