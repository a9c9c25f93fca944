// ADP-7, as a consumer sees it: the files of packages/*/test/types and scripts/types compile against the declarations
// in the tarballs, and the lines marked with `@ts-expect-error` in them don't. ADP-13: with every major release of
// `@types/node` that `NODE_TYPES` names, and with the strictest options.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeFromShelf } from './package-shelf.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the files import in addition to the packages of this repository. */
const IMPORTED = [
  ...['@electric-sql/pglite', '@fastify/type-provider-typebox', '@types/pg'],
  ...['drizzle-orm', 'pg', 'postgres', 'typebox'],
];

/** Releases of `@types/node`. Each is installed under a name of its own. */
const NODE_TYPES = ['20', '22', '24', '26'];
const nodeTypes = (release) => `types-node-${release}`;

/** What the check needs on a shelf, in addition to the packages of this repository. */
export const typesInstalled = [
  ...IMPORTED,
  ...NODE_TYPES.map((release) => `${nodeTypes(release)}@npm:@types/node@${release}`),
];

/**
 * Each release with one of them. Faults of other packages' declarations are hidden: strict options find some in most of
 * them.
 */
const VARIANTS = {
  usual: { releases: NODE_TYPES.slice(1, -1), options: { skipLibCheck: true } },
  strictest: {
    releases: [NODE_TYPES.at(0), NODE_TYPES.at(-1)],
    options: { skipLibCheck: false, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  },
};

/** Each is compiled on its own: a declaration of names holds for all files that are compiled together. */
const PROGRAMS = ['types', 'declared'];

/**
 * @param {string} application a project in which the tarballs of all packages are installed
 * @param {string} shelf
 * @throws {Error} with what the compiler objects to
 */
export function checkTypes(application, shelf) {
  takeFromShelf(shelf, application, typesInstalled);
  for (const release of NODE_TYPES) linkNodeTypes(application, release);
  for (const program of PROGRAMS) rmSync(join(application, program), { recursive: true, force: true });
  for (const name of readdirSync(join(root, 'packages'))) {
    const files = join(root, 'packages', name, 'test/types');
    if (!existsSync(files)) continue;
    cpSync(files, join(application, 'types', name), { recursive: true, filter: (path) => !path.endsWith('declared') });
    const declared = join(files, 'declared/names.ts');
    if (existsSync(declared)) cpSync(declared, join(application, 'declared', `${name}.ts`));
  }
  cpSync(join(root, 'scripts/types'), join(application, 'types'), { recursive: true });
  for (const [variant, { releases }] of Object.entries(VARIANTS)) {
    for (const release of releases) compile(application, 'types', release, variant);
  }
  compile(application, 'declared', NODE_TYPES[0], 'usual');
}

/** A folder in which the release is the only `node` that the compiler finds. */
function linkNodeTypes(application, release) {
  const folder = join(application, nodeTypes(release));
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, 'node'), { force: true });
  symlinkSync(join(application, 'node_modules', nodeTypes(release)), join(folder, 'node'), 'dir');
}

function compile(application, program, release, variant) {
  const compilerOptions = {
    ...{ strict: true, module: 'nodenext', target: 'es2023', noEmit: true },
    ...{ types: ['node'], typeRoots: [nodeTypes(release)] },
    ...VARIANTS[variant].options,
  };
  const config = join(application, `tsconfig.${program}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, include: [program] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', config, '--singleThreaded'], {
    cwd: application,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  const faults = stdout
    .split('\n')
    .filter((line) => !isOfOthers(line))
    .join('\n')
    .trim();
  if (faults === '') return;
  throw new Error(`types do not fit outside the workspace, with @types/node ${release}, ${variant}:\n${faults}`);
}

/** Further lines of a fault are indented; those of a hidden one say nothing alone, and are hidden too. */
function isOfOthers(line) {
  return /^\s/.test(line) || /^(?:\.\.\/)*node_modules\/(?!@sallyport\/)/.test(line);
}
