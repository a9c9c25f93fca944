import { dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { files, importCycles, importsOf, readSource, sources, specifiersOf } from './import-graph.js';

const SERVER = 'examples/reference-server';
const MAX_LINES = 300;
const MAX_COLUMNS = 120;

/** A package with fewer source files stays flat. */
const MIN_FILES_FOR_ROOMS = 15;

/** Sentences of the form `FILE: fault`. A test fails with all of them. */
const none: string[] = [];

const isBelow = (folder: string) => (path: string) => path.startsWith(`${folder}/`);

describe('rooms', () => {
  test('no file imports itself by way of others, types included', () => {
    expect(importCycles(sources).map((group) => group.sort().join(' -> '))).toEqual(none);
  });

  test('a folder with a door is entered through its door', () => {
    const doors = new Set(sources.filter((path) => /\/src\/.+\/index\.ts$/.test(path)).map((path) => dirname(path)));
    const entries = entryPoints();
    const faults = sources.flatMap((path) =>
      importsOf(path)
        .filter((target) => doors.has(dirname(target)) && !target.endsWith('/index.ts') && !entries.has(target))
        .filter((target) => !isBelow(dirname(target))(path) && !/\/bench\//.test(path))
        .map((target) => `${path}: imports ${target} past its door`),
    );
    expect(faults).toEqual(none);
  });

  test('a module of the server imports no inside of another module', () => {
    const moduleOf = (path: string) => /\/src\/modules\/([^/]+)\//.exec(path)?.[1];
    const faults = sources.filter(isBelow(`${SERVER}/src`)).flatMap((path) =>
      importsOf(path)
        .filter((target) => moduleOf(target) !== undefined && moduleOf(target) !== moduleOf(path))
        .filter((target) => !target.endsWith('/index.ts'))
        .map((target) => `${path}: imports ${target}`),
    );
    expect(faults).toEqual(none);
  });

  test('what all modules share knows none of them', () => {
    const faults = sources
      .filter((path) => ['http', 'config'].some((room) => isBelow(`${SERVER}/src/${room}`)(path)))
      .flatMap((path) =>
        importsOf(path)
          .filter(isBelow(`${SERVER}/src/modules`))
          .map((target) => `${path}: imports ${target}`),
      );
    expect(faults).toEqual(none);
  });

  test('the acceptance command knows nothing of the server that it tests', () => {
    const faults = sources.filter(isBelow(`${SERVER}/acceptance`)).flatMap((path) =>
      importsOf(path)
        .filter(isBelow(`${SERVER}/src`))
        .map((target) => `${path}: imports ${target}`),
    );
    expect(faults).toEqual(none);
    expect(sources.some(isBelow(`${SERVER}/acceptance`))).toBe(true);
  });

  test('no source of a package imports another by a path', () => {
    const faults = sources
      .filter((path) => /^packages\/[^/]+\/src\//.test(path))
      .flatMap((path) =>
        specifiersOf(path)
          .filter((specifier) => /packages\/|\/src\//.test(specifier))
          .map((specifier) => `${path}: ${specifier}`),
      );
    expect(faults).toEqual(none);
  });

  test('no file is loose', () => {
    const entries = entryPoints();
    const folders = new Set(
      sources.flatMap((path) => /^(?:packages|examples)\/[^/]+\/src(?=\/)/.exec(path)?.[0] ?? []),
    );
    const faults = [...folders].flatMap((folder) => {
      const paths = sources.filter(isBelow(folder));
      if (paths.length < MIN_FILES_FOR_ROOMS) return [];
      const allowed = folder.startsWith('packages/')
        ? ['index.ts', 'plugin.ts', 'options.ts', 'errors.ts']
        : ['server.ts', 'app.ts'];
      return paths
        .filter((path) => dirname(path) === folder && !entries.has(path))
        .filter((path) => !allowed.includes(path.slice(folder.length + 1)))
        .map((path) => `${path}: belongs in a folder`);
    });
    expect(faults).toEqual(none);
  });
});

describe('files', () => {
  const written = files.filter((path) => /\.(?:ts|mjs|js|c)$/.test(path) && !/generated|vectors|corpus/.test(path));

  test(`no source is longer than ${MAX_LINES} lines without a reason at its top`, () => {
    const faults = sources
      .map((path) => ({ path, text: readSource(path) }))
      .filter(({ text }) => text.split('\n').length - 1 > MAX_LINES)
      .filter(({ text }) => !/^(?:#!.*\n)?(?:\/\/|\/\*)[^\n]*Over 300 lines: /.test(text))
      .map(({ path, text }) => `${path}: ${text.split('\n').length - 1} lines`);
    expect(faults).toEqual(none);
  });

  test(`no line is longer than ${MAX_COLUMNS} columns, comments included`, () => {
    const faults = written.flatMap((path) =>
      readSource(path)
        .split('\n')
        .flatMap((line, index) =>
          line.length > MAX_COLUMNS && /^\s*(?:\/\/|\/?\*)/.test(line) && !/https?:\/\//.test(line)
            ? [`${path}:${index + 1}`]
            : [],
        ),
    );
    expect(faults).toEqual(none);
  });

  test('every bound is named MAX_ or MIN_', () => {
    const faults = written.filter((path) => /\b(?:MOST|LEAST)_[A-Z]/.test(readSource(path)));
    expect(faults.filter((path) => !path.endsWith('house.test.ts'))).toEqual(none);
  });

  test('no folder is a drawer', () => {
    expect(
      files.filter((path) => /(?:^|\/)(?:utils?|common|helpers?|shared|core|misc)(?:\/|\.ts$)/.test(path)),
    ).toEqual(none);
  });
});

describe('codes', () => {
  test('no code of a refusal or of a setup error is defined twice', () => {
    const definition =
      /(?:createError(?:<[^>]*>)?\(\s*|super\(\s*|defineRefusal\(\s*\{\s*code:\s*|readonly code = )'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g;
    const places = new Map<string, string[]>();
    for (const path of sources.filter((each) => /\/(?:src|acceptance)\//.test(each))) {
      for (const [, code] of readSource(path).matchAll(definition)) {
        places.set(code!, [...(places.get(code!) ?? []), path]);
      }
    }
    expect(places.size).toBeGreaterThan(50);
    expect([...places].filter(([, paths]) => paths.length > 1)).toEqual(none);
  });
});

/** The files behind `exports` and `bin` of each package, and programs of the server that run by themselves. */
function entryPoints(): Set<string> {
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
