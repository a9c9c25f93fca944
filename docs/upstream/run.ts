// Runs the reproductions of docs/upstream.md, each in a process of its own, with the packages that npm serves, in a
// temporary folder, against a PostgreSQL of its own:
//   pnpm exec tsx docs/upstream/run.ts             as published
//   pnpm exec tsx docs/upstream/run.ts --patched   with packages/idempotency/patches/ applied
// They are no part of CI: they show faults of others. What the patch mends is tested by the reference server's
// test/storage/postgres-driver.system.test.ts.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPgbouncerProcess } from '../../scripts/pgbouncer-process.js';
import { startPostgresProcess } from '../../scripts/postgres-process.js';

const PACKAGES = [
  'postgres@3.4.9',
  'pg@8.23.1',
  'drizzle-orm@0.45.4',
  'piscina@5.3.2',
  'fastify@5.12.8',
  '@fastify/rate-limit@11.2.0',
];
const PROGRAMS = [
  ['postgres-crash.mjs'],
  ['postgres-never-again.mjs'],
  ['postgres-reset.mjs'],
  ['postgres-queued.mjs'],
  ['postgres-astray.mjs'],
  ['postgres-begin-boundary.mjs'],
  ['postgres-queue.mjs'],
  ['postgres-lost-commits.mjs'],
  ['postgres-pipelined-head.mjs'],
  ['node-postgres.mjs'],
  ['node-postgres.mjs', 'with-listener'],
  ['drizzle-leak.mjs'],
  ['drizzle-leak.mjs', 'own-client'],
  ['piscina-order.mjs'],
  ['rate-limit-burst.mjs'],
] as const;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sallyport-upstream-'));
const database = await startPostgresProcess();
const pooler = await startPgbouncerProcess(
  database.url,
  'transaction',
  'default_pool_size = 3',
  'ignore_startup_parameters = extra_float_digits',
);
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], folder);
  if (process.argv.includes('--patched')) {
    run(
      'git',
      ['apply', here('../../packages/idempotency/patches/postgres@3.4.9.patch')],
      join(folder, 'node_modules/postgres'),
    );
  }
  for (const [program, ...words] of PROGRAMS) {
    copyFileSync(here(program), join(folder, program));
    console.log(`\n$ node ${[program, ...words].join(' ')}`);
    const { status } = spawnSync(process.execPath, [program, ...words], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: database.url, POOLER_URL: pooler.url },
      stdio: 'inherit',
      timeout: 120_000,
    });
    console.log(`exit code ${status}`);
  }
} finally {
  await pooler.stop();
  await database.stop();
  rmSync(folder, { recursive: true });
}

function run(command: string, words: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, words, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}
