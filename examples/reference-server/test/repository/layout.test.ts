import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { catalogOf, defineModule } from '../../src/http/module.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Paths of the TypeScript files below a folder, from the root of the server. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}

const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** What a file imports by a relative path, types included, as paths of source files. */
function importsOf(path: string): string[] {
  const found = textOf(path).matchAll(/(?:\bfrom|\bimport\(?) ?'(\.[^']+)\.js'/g);
  return [...found].map(([, specifier]) => `${normalize(join(dirname(path), specifier!))}.ts`);
}

const sources = filesBelow('src');
const imports = new Map(sources.map((path) => [path, importsOf(path)]));
const arrows = [...imports].flatMap(([from, all]) => all.map((to) => ({ from, to })));

const moduleOf = (path: string) => /^src\/modules\/([^/]+)\//.exec(path)?.[1];

/** drizzle-kit reads every table through this file; nothing that runs imports it. */
const SCHEMA = 'src/storage/schema.ts';

/** The first way found from a file back to itself. */
function findCycle(): string[] | null {
  const done = new Set<string>();
  function follow(path: string, way: readonly string[]): string[] | null {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return null;
    for (const next of imports.get(path) ?? []) {
      const cycle = follow(next, [...way, path]);
      if (cycle !== null) return cycle;
    }
    done.add(path);
    return null;
  }
  for (const path of sources) {
    const cycle = follow(path, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

describe('the layout of the server', () => {
  it('has no loose files: src has app and server, modules has folders with a door each', () => {
    const folders = ['commands', 'config', 'http', 'modules', 'preflight', 'protection', 'storage'];
    const found = new Set(sources.map((path) => path.split('/')[1]));
    expect([...found].sort()).toEqual([...folders, 'app.ts', 'server.ts'].sort());
    const inModules = sources.filter((path) => path.startsWith('src/modules/'));
    for (const path of inModules) expect(sources, path).toContain(`src/modules/${moduleOf(path)}/index.ts`);
  });

  it('lets nobody into a module but by its door', () => {
    const intruders = arrows.filter(
      ({ from, to }) =>
        moduleOf(to) !== undefined &&
        moduleOf(to) !== moduleOf(from) &&
        to !== `src/modules/${moduleOf(to)}/index.ts` &&
        from !== SCHEMA,
    );
    expect(intruders).toEqual([]);
    expect(arrows.filter(({ to }) => to === SCHEMA)).toEqual([]);
  });

  it('has arrows in one direction: nothing below the modules knows one, and no module knows what runs it', () => {
    const isBelow = (path: string) => /^src\/(?:http|storage|config|protection)\//.test(path) && path !== SCHEMA;
    const isAbove = (path: string) => /^src\/(?:app\.ts|server\.ts|commands\/|preflight\/)/.test(path);
    expect(arrows.filter(({ from, to }) => isBelow(from) && (moduleOf(to) !== undefined || isAbove(to)))).toEqual([]);
    expect(arrows.filter(({ from, to }) => moduleOf(from) !== undefined && isAbove(to))).toEqual([]);
  });

  it('has no import cycles, those of types included', () => {
    expect(arrows.length).toBeGreaterThan(500);
    expect(findCycle()).toBeNull();
  });

  it('lets the acceptance run know nothing of the server', () => {
    const outside = filesBelow('acceptance').flatMap((from) =>
      importsOf(from).filter((to) => !to.startsWith('acceptance/')),
    );
    expect(outside).toEqual([]);
  });

  it('has the code of a refusal in one place', () => {
    const definitions = sources.filter((path) => /\/errors\.ts$/.test(path)).map(textOf);
    const codes = definitions.flatMap((text) => [...text.matchAll(/code: '([A-Z_]+)'/g)].map(([, code]) => code!));
    expect(codes.length).toBeGreaterThan(35);
    expect(new Set(codes).size).toBe(codes.length);
    const others = sources.filter((path) => !path.endsWith('/errors.ts'));
    for (const path of others) {
      const repeated = codes.filter((code) => textOf(path).includes(`'${code}'`));
      expect(repeated, path).toEqual([]);
    }
  });

  it('has files of at most 300 lines, or says at the top why not', () => {
    const long = sources.filter((path) => textOf(path).split('\n').length > 301);
    for (const path of long) expect(textOf(path), path).toMatch(/^\/\/ Longer than 300 lines: /);
  });

  it('refuses what two modules declare', () => {
    const one = defineModule({ name: 'one', permissions: ['api:admin:things:read'], tags: { Things: 'Things.' } });
    expect(catalogOf([one]).permissions).toEqual(['api:admin:things:read']);
    expect(() => catalogOf([one, one])).toThrow('two modules declare one');
    expect(() => catalogOf([one, { ...one, name: 'two' }])).toThrow('two modules declare api:admin:things:read');
    expect(() => catalogOf([one, { ...one, name: 'two', permissions: [] }])).toThrow('two modules declare Things');
  });
});
