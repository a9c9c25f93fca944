import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every file that git tracks or would track, as a path from the root. */
export const files: readonly string[] = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '');

export function readSource(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Files with code of ours, tests apart. Generated ones are checked by what generates them. */
export const sources: readonly string[] = files.filter(
  (path) =>
    /\.(?:tsx?|mjs|js)$/.test(path) &&
    !/(?:^|\/)(?:test|dist)\//.test(path) &&
    !/generated/.test(path) &&
    !/\.config\.ts$|^vitest\./.test(path),
);

// Static imports and exports, imports for their effect, dynamic imports; of types as well.
const SPECIFIER =
  /^\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** What a file imports, as it is written. */
export function specifiersOf(path: string): string[] {
  return [...readSource(path).matchAll(SPECIFIER)].map(([, from, effect, dynamic]) => (from ?? effect ?? dynamic)!);
}

const known = new Set(sources);

/** The files of the repository that a file imports by a relative path. */
export function importsOf(path: string): string[] {
  return specifiersOf(path)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(path), specifier))
    .map((target) =>
      [target, target.replace(/\.js$/, '.ts'), target.replace(/\.js$/, '.tsx')].find((path) => known.has(path)),
    )
    .filter((target) => target !== undefined);
}

/** Groups of files that import each other in a circle: the strongly connected components (Tarjan). */
export function importCycles(paths: readonly string[]): string[][] {
  const within = new Set(paths);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];

  function visit(path: string): void {
    index.set(path, index.size);
    low.set(path, index.get(path)!);
    stack.push(path);
    onStack.add(path);
    for (const target of importsOf(path)) {
      if (!within.has(target)) continue;
      if (!index.has(target)) visit(target);
      if (onStack.has(target)) low.set(path, Math.min(low.get(path)!, low.get(target)!));
    }
    if (low.get(path) !== index.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    for (const member of group) onStack.delete(member);
    if (group.length > 1) cycles.push(group);
  }

  for (const path of paths) if (!index.has(path)) visit(path);
  return cycles;
}

/** How many of the files import each other in a row at most, types included. There must be no circle. */
export function longestChain(paths: readonly string[]): number {
  const within = new Set(paths);
  const lengths = new Map<string, number>();
  function lengthFrom(path: string): number {
    const below = importsOf(path).filter((target) => within.has(target));
    const length = lengths.get(path) ?? 1 + Math.max(0, ...below.map(lengthFrom));
    lengths.set(path, length);
    return length;
  }
  return Math.max(0, ...paths.map(lengthFrom));
}

/** The files behind `exports` and `bin` of each package, and programs of the server that run by themselves. */
export function entryPoints(): Set<string> {
  const manifests = files.filter((path) => /^(?:packages|examples)\/[^/]+\/package\.json$/.test(path));
  return new Set(
    manifests.flatMap((path) => {
      const { exports = {}, bin = {} } = JSON.parse(readSource(path));
      const targets = [...Object.values(exports), ...Object.values(bin)].flatMap((target) =>
        typeof target === 'string'
          ? [target.replace(/dist\/(.*)\.js$/, 'src/$1.ts')]
          : [Object(target)['@sallyport/source']],
      );
      return targets
        .filter((target) => typeof target === 'string')
        .map((target) => `${dirname(path)}/${target.replace(/^\.\//, '')}`);
    }),
  );
}
