// `pnpm test:matrix`: the whole suite on every Node line that the packages support, one after the other.
// Each Node comes from the npm registry by `npx node@…`; versions given as arguments replace the list.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const NODE_LINES = ['20', '22', '24', '26'];

const root = fileURLToPath(new URL('..', import.meta.url));
const lines = process.argv.length > 2 ? process.argv.slice(2) : NODE_LINES;
const results = lines.map((line) => {
  process.stdout.write(`\n=== Node ${line}\n`);
  const run = spawnSync('npx', ['--yes', `node@${line}`, 'node_modules/vitest/vitest.mjs', 'run'], {
    cwd: root,
    stdio: 'inherit',
  });
  return { line, passed: run.status === 0 };
});

process.stdout.write(
  `\n${results.map(({ line, passed }) => `Node ${line}: ${passed ? 'passed' : 'FAILED'}`).join('\n')}\n`,
);
process.exit(results.every(({ passed }) => passed) ? 0 : 1);
