// `pnpm test:matrix [--envelope] [versions…]`: both test commands on every Node line that the packages support, one
// after the other; then on each the tests of the envelope with each backend of its cryptography forced (ENV-8).
// `--envelope` runs only the latter. Each Node comes from the npm registry by `npx node@…`; given versions replace the
// list.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const NODE_LINES = ['20', '22', '24', '26'];

const BACKENDS = ['kernel', 'portable'];

/** The test files that seal and open envelopes. */
const ENVELOPE_PARTS = [
  'packages/envelope-crypto/',
  'packages/replay-guard/',
  ...[
    'protection/envelope',
    'modules/payments/payments',
    'protection/processing-order',
    'modules/health/health',
    'http/graceful-stop',
  ].map((name) => `examples/reference-server/test/${name}.test.ts`),
];

const { values: options, positionals } = parseArgs({
  options: { envelope: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {string} line
 * @param {string} what
 * @param {readonly string[]} selection
 * @param {NodeJS.ProcessEnv} environment
 */
function runSuite(line, what, selection = [], environment = {}) {
  process.stdout.write(`\n=== Node ${line}, ${what}\n`);
  const vitest = ['--yes', `node@${line}`, 'node_modules/vitest/vitest.mjs', 'run', ...selection];
  const { status } = spawnSync('npx', vitest, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return { title: `Node ${line}, ${what}`, passed: status === 0 };
}

// The worker threads of the portable backend run from the build.
const build = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: root, stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);

const lines = positionals.length > 0 ? positionals : NODE_LINES;
const results = lines.flatMap((line) => [
  ...(options.envelope
    ? []
    : [runSuite(line, 'fast tests'), runSuite(line, 'system tests', ['--config', 'vitest.system.config.ts'])]),
  ...BACKENDS.map((backend) =>
    runSuite(line, `envelopes by the backend ${backend}`, ENVELOPE_PARTS, { SALLYPORT_TEST_BACKEND: backend }),
  ),
]);

process.stdout.write(
  `\n${results.map(({ title, passed }) => `${title}: ${passed ? 'passed' : 'FAILED'}`).join('\n')}\n`,
);
process.exit(results.every(({ passed }) => passed) ? 0 : 1);
