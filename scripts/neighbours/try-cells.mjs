// Tries the packages with a neighbour, in processes of the npm project.
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { packageNames } from '../package-tarballs.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** How long a neighbour may take, in milliseconds. The machine may be busy. */
const MAX_MILLIS = 300_000;

/** They choose files or processes at run time, or an application has one of them. */
const EXTERNAL = ['axios', 'drizzle-orm', 'ioredis', 'pg', 'postgres', '@electric-sql/pglite'];

/** The applications of `apps`, and postgres.js with the patch that idempotency ships. @param {string} project */
export function prepareProject(project) {
  cpSync(join(root, 'scripts/neighbours/apps'), join(project, 'apps'), { recursive: true });
  cpSync(join(root, 'scripts/runtimes/scenarios.cjs'), join(project, 'apps/scenarios.cjs'));
  const patch = join(project, 'node_modules/@sallyport/idempotency/patches/postgres@3.4.9.patch');
  const driver = join(project, 'node_modules/postgres');
  if (readFileSync(join(driver, 'src/index.js'), 'utf8').includes('closed = e')) return;
  execFileSync('git', ['apply', patch], { cwd: driver, env: { ...process.env, GIT_CEILING_DIRECTORIES: project } });
}

/**
 * @param {string} project
 * @param {string[]} command
 * @param {Record<string, string>} [environment]
 * @returns {Promise<object[]>} a result for each line that was printed, and at last what was printed as errors
 */
async function run(project, command, environment = {}) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, {
    ...{ cwd: project, timeout: MAX_MILLIS, maxBuffer: 64 * 1024 * 1024 },
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
  }).catch((error) => error);
  const lines = stdout.split('\n').filter((line) => line.startsWith('{"package"'));
  const results = lines.map((line) => JSON.parse(line));
  return [...results, { package: null, outcome: null, detail: stderr }];
}

/** All packages in one file of CommonJS, as a server is bundled for a container. */
async function bundle(project) {
  const specifiers = packageNames.flatMap((name) => {
    const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    const paths = Object.keys(exports).filter((path) => !path.endsWith('.json') && !path.endsWith('/conformance'));
    return paths.map((path) => `@sallyport/${name}${path.slice(1)}`);
  });
  const modules = ['fastify', 'axios', 'drizzle-orm/pglite', '@electric-sql/pglite', ...specifiers];
  const entry = join(project, 'apps/bundled.mjs');
  const table = modules.map((specifier) => `'${specifier}': () => import('${specifier}'),`).join('\n');
  const start = 'play(process.argv[2], (name) => modules[name]());';
  writeFileSync(entry, `import { play } from './play.mjs';\nconst modules = {${table}};\n${start}\n`);
  const outfile = join(project, 'apps/bundled.cjs');
  await build({
    ...{ entryPoints: [entry], outfile, absWorkingDir: project, external: EXTERNAL, format: 'cjs' },
    ...{ bundle: true, platform: 'node', logLevel: 'error' },
  });
  return outfile;
}

/** One after the other: a crash takes one cell with it. */
async function playAll(project, packages, file, environment) {
  const results = [];
  for (const name of packages) {
    const [result, { detail } = {}] = await run(project, [file, name], environment);
    results.push({ ...result, package: name, ...(detail && { detail: `${result.detail ?? ''}${detail}` }) });
  }
  return results;
}

/**
 * @param {string} project
 * @param {import('./cells.mjs').Neighbour} neighbour
 * @param {(() => Promise<{ direct: string, pooled: string }>) | null} createDatabase behind a pooler
 * @returns {Promise<{ package: string | null, outcome: string | null, detail?: string }[]>}
 */
export async function tryCells(project, { name, kind, packages, driver, fastify }, createDatabase) {
  if (kind === 'bundle') return playAll(project, packages, await bundle(project), { IS_BUNDLED: '1' });
  if (kind === 'fastify') return playAll(project, packages, 'apps/play.mjs', { FASTIFY: fastify });
  if (kind === 'application') return run(project, ['apps/run.mjs', name, ...packages]);
  const databases = [];
  for (const _ of packages) databases.push(await createDatabase());
  const urls = (way) => databases.map((database) => database[way]).join(' ');
  const environment = { POOLER: driver, DIRECT_URLS: urls('direct'), POOLED_URLS: urls('pooled') };
  return run(project, ['apps/run.mjs', 'route', ...packages], environment);
}
