// ADP-7, as a consumer sees it: the files of packages/*/test/types and scripts/types compile against the declarations
// in the tarballs, and the lines marked with `@ts-expect-error` in them don't.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the files import in addition to the packages of this repository. */
const IMPORTED = [
  ...['@electric-sql/pglite', '@fastify/type-provider-typebox', '@types/node@20', '@types/pg'],
  ...['drizzle-orm', 'pg', 'postgres', 'typebox'],
];

/** Each is compiled on its own: a declaration of names holds for all files that are compiled together. */
const PROGRAMS = ['types', 'declared'];

/**
 * @param {string} application a project in which the tarballs of all packages are installed
 * @throws {Error} with what the compiler objects to
 */
export function checkTypes(application) {
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', ...IMPORTED];
  execFileSync('npm', install, { cwd: application, stdio: ['ignore', 'pipe', 'inherit'] });
  for (const program of PROGRAMS) rmSync(join(application, program), { recursive: true, force: true });
  for (const name of readdirSync(join(root, 'packages'))) {
    const files = join(root, 'packages', name, 'test/types');
    if (!existsSync(files)) continue;
    cpSync(files, join(application, 'types', name), { recursive: true, filter: (path) => !path.endsWith('declared') });
    const declared = join(files, 'declared/names.ts');
    if (existsSync(declared)) cpSync(declared, join(application, 'declared', `${name}.ts`));
  }
  cpSync(join(root, 'scripts/types'), join(application, 'types'), { recursive: true });
  for (const program of PROGRAMS) compile(application, program);
}

function compile(application, program) {
  const compilerOptions = {
    ...{ strict: true, module: 'nodenext', target: 'es2023', types: ['node'] },
    ...{ noEmit: true, skipLibCheck: true },
  };
  const config = join(application, `tsconfig.${program}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, include: [program] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', config], {
    cwd: application,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`types do not fit outside the workspace:\n${stdout}`);
}
