import { dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { CHAIN, CHAINS } from '../walk/budgets.mjs';
import {
  entryPoints,
  files,
  importCycles,
  importsOf,
  longestChain,
  readSource,
  sources,
  specifiersOf,
} from './import-graph.js';

const SERVER = 'examples/reference-server';
const MAX_LINES = 300;
const MAX_COLUMNS = 120;

/** More files side by side than this and a reader has to search: they belong in folders. */
const MAX_LOOSE_FILES = 14;

/** The folders of the server's `src`. Everything else in it is `app.ts` and `server.ts`. */
const SERVER_ROOMS = ['commands', 'config', 'http', 'modules', 'preflight', 'protection', 'storage'];

/** drizzle-kit reads every table through this file. Nothing that runs imports it. */
const SCHEMA = `${SERVER}/src/storage/schema.ts`;

/**
 * Files of modules that `app.ts` calls by themselves, with the handle that can write: the sink and the delivery of the
 * audit log, and the source of the system parameters, whose changes have their records in their transactions.
 */
const HOLDERS_OF_DATABASE = [
  'audit-records/audit-deliveries.ts',
  'audit-records/audit-sink.ts',
  'parameters/dynamic-parameters.ts',
];

/** Files of modules that open the queue of notifications on its own connections. */
const HOLDERS_OF_RESOURCES = [
  'notifications/notifications.ts',
  'notifications/queue-backend.ts',
  'parameters/dynamic-parameters.ts',
];

/** Code that begins a transaction otherwise than by `runTransaction`, which looks at the answer to the commit. */
const TRANSACTIONS_OF_THEIR_OWN = [
  // Kills the server before and after the commit that `runTransaction` makes.
  `${SERVER}/faults/server/watched-writes.ts`,
  // One transaction that only reads.
  `${SERVER}/src/commands/reconcile/reconciliation.ts`,
  // PGlite's own `transaction` rejects where the commit is answered with ROLLBACK.
  `${SERVER}/src/modules/notifications/embedded-pool.ts`,
  // Every transaction only reads.
  `${SERVER}/src/storage/embedded.ts`,
  // Wraps the `begin` of postgres.js, so that its statements are prepared.
  `${SERVER}/src/storage/prepared-statements.ts`,
  // Wraps it, so that a transaction proves its settings.
  `${SERVER}/src/storage/session-watch.ts`,
  // The transaction of drizzle, within `runTransaction`.
  'packages/plugin-kit/src/postgres/pooled-transaction.ts',
  'packages/plugin-kit/src/postgres/run-transaction.ts',
];

/** Sentences of the form `FILE: fault`. A test fails with all of them. */
const none: string[] = [];

const moduleOf = (path: string) => new RegExp(`^${SERVER}/src/modules/([^/]+)/`).exec(path)?.[1];

const roomOf = (path: string, rooms: readonly string[]) =>
  rooms.some((room) => path.startsWith(`${SERVER}/src/${room}/`));

/** What imports what within the server. */
const arrows = sources
  .filter((path) => path.startsWith(`${SERVER}/src/`))
  .flatMap((from) => importsOf(from).map((to) => ({ from, to })));

const inWords = ({ from, to }: { from: string; to: string }) => `${from}: imports ${to}`;

const isBelow = (folder: string) => (path: string) => path.startsWith(`${folder}/`);

describe('rooms', () => {
  test('HSE-5 every source is read, with its imports, those of the console included', () => {
    expect(sources.filter((path) => path.endsWith('.tsx')).length).toBeGreaterThan(100);
    expect(importsOf('examples/admin-console/src/main.tsx').some((path) => path.endsWith('.tsx'))).toBe(true);
  });

  test('no file imports itself by way of others, types included', () => {
    expect(importCycles(sources).map((group) => group.sort().join(' -> '))).toEqual(none);
  });

  test('HSE-2 no chain of imports is longer than its budget, and no budget longer than its chain', () => {
    const folders = new Set(
      sources.flatMap((path) => /^(?:packages|examples)\/[^/]+(?=\/src\/)/.exec(path)?.[0] ?? []),
    );
    const chains = [...folders].map(
      (folder) => [folder, longestChain(sources.filter(isBelow(`${folder}/src`)))] as const,
    );
    const longer = chains.filter(([folder, length]) => length > CHAIN || Object.hasOwn(CHAINS, folder));
    expect(Object.fromEntries(longer)).toEqual(CHAINS);
  });

  test('a folder with a door is entered through its door', () => {
    const doors = new Set(sources.filter((path) => /\/src\/.+\/index\.ts$/.test(path)).map((path) => dirname(path)));
    const entries = entryPoints();
    const faults = sources.flatMap((path) =>
      importsOf(path)
        .filter(
          (target) =>
            path !== SCHEMA && doors.has(dirname(target)) && !target.endsWith('/index.ts') && !entries.has(target),
        )
        .filter((target) => !isBelow(dirname(target))(path) && !/\/bench\//.test(path))
        .map((target) => `${path}: imports ${target} past its door`),
    );
    expect(faults).toEqual(none);
  });

  test('a module of the server is entered through its door', () => {
    const faults = arrows
      .filter(({ from, to }) => moduleOf(to) !== undefined && moduleOf(to) !== moduleOf(from) && from !== SCHEMA)
      .filter(({ to }) => to !== `${SERVER}/src/modules/${moduleOf(to)}/index.ts`);
    expect(faults.map(inWords)).toEqual(none);
    expect(arrows.filter(({ to }) => to === SCHEMA).map(inWords)).toEqual(none);
  });

  test('arrows of the server run one way: commands and app, modules, then what all modules share', () => {
    const isShared = (path: string) => roomOf(path, ['http', 'storage', 'config', 'protection']) && path !== SCHEMA;
    const isAbove = (path: string) =>
      roomOf(path, ['commands', 'preflight']) || /\/src\/(?:app|server)\.ts$/.test(path);
    const faults = arrows.filter(
      ({ from, to }) =>
        (isShared(from) && (moduleOf(to) !== undefined || isAbove(to))) ||
        (moduleOf(from) !== undefined && isAbove(to)),
    );
    expect(arrows.length).toBeGreaterThan(500);
    expect(faults.map(inWords)).toEqual(none);
  });

  test('AUD-8 no module can write outside of a change: it holds neither the database nor what opens it', () => {
    const inModules = sources.filter((path) => moduleOf(path) !== undefined);
    const named = (names: readonly string[]) => names.map((name) => `${SERVER}/src/modules/${name}`);
    const withHandle = inModules.filter((path) =>
      /\.orm\b|'orm'|\{[^{}'"]*\borm\b[^{}]*\}/.test(withoutComments(readSource(path))),
    );
    expect(withHandle).toEqual(named(HOLDERS_OF_DATABASE));
    const opener = /\/src\/storage\/(?:(?:opened-)?resources|postgres|embedded)\.ts$/;
    const withOpener = inModules.filter((path) => importsOf(path).some((target) => opener.test(target)));
    expect(withOpener).toEqual(named(HOLDERS_OF_RESOURCES));
    const app = readSource(`${SERVER}/src/app.ts`);
    const dependencies = /interface Dependencies [^}]*\}/.exec(app)?.[0] ?? '';
    expect(dependencies).toContain('readonly database: ReadableDatabase;');
    expect(dependencies).not.toMatch(/\b(?:Resources|Database)\b/);
  });

  test('REL-14 every transaction that writes is committed by runTransaction', () => {
    const call = /\.transaction(?:\((?!…)|\.bind\b)|\b(?:sql|client)\.begin\b/;
    const text = /\b(?:execute|exec|query|unsafe)\(\s*(?:sql(?:\.raw\()?\s*)?['"`](?:begin|start|commit|end)\b/i;
    const found = sources
      .filter((path) => /^(?:packages|examples)\/[^/]+\/(?:src|faults\/server)\//.test(path))
      .filter((path) => [call, text].some((pattern) => pattern.test(withoutComments(readSource(path)))));
    expect(found.sort()).toEqual(TRANSACTIONS_OF_THEIR_OWN);
  });

  test('REL-15 no statement changes a setting for longer than its transaction: a connection is proved once', () => {
    const text =
      /['"`]\s*(?:set (?!local\b)(?:session )?[a-z]+[_.][a-z_.]+ *(?:to\b|=)|reset |discard )|set_config\([^)]*\bfalse\)/;
    const found = sources
      .filter((path) => /^(?:packages|examples)\/[^/]+\/src\//.test(path))
      .filter((path) => text.test(withoutComments(readSource(path))));
    // PGlite's one connection.
    expect(found).toEqual([`${SERVER}/src/modules/notifications/embedded-pool.ts`]);
  });

  test('AUD-8 sessions end only where the record of the request is begun before', () => {
    const ending = sources
      .filter(isBelow(`${SERVER}/src`))
      .filter((path) => /\brevokeAll\b|\bauthTokens\.revoke\b/.test(withoutComments(readSource(path))));
    expect(ending).toEqual([
      // The command of the machine has no request. It ends them after the reset, which commits with its record.
      `${SERVER}/src/modules/second-factors/factor-command.ts`,
      `${SERVER}/src/protection/end-access.ts`,
    ]);
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

  test('no file is loose, and no folder is crowded', () => {
    const folders = new Set(sources.flatMap((path) => /^packages\/[^/]+\/src(?=\/)/.exec(path)?.[0] ?? []));
    const faults = [...folders].flatMap((folder) => {
      const loose = sources.filter((path) => dirname(path) === folder);
      return loose.length > MAX_LOOSE_FILES ? [`${folder}: ${loose.length} files side by side`] : [];
    });
    const inServer = new Set(sources.filter(isBelow(`${SERVER}/src`)).map((path) => path.split('/')[3]));
    expect([...inServer].sort()).toEqual([...SERVER_ROOMS, 'app.ts', 'server.ts'].sort());
    const modules = new Set(sources.flatMap((path) => moduleOf(path) ?? []));
    for (const name of modules) expect(sources).toContain(`${SERVER}/src/modules/${name}/index.ts`);
    expect(faults).toEqual(none);
  });
});

describe('files', () => {
  const written = files.filter((path) => /\.(?:tsx?|mjs|js|c)$/.test(path) && !/generated|vectors|corpus/.test(path));

  test(`no source is longer than ${MAX_LINES} lines without a reason at its top`, () => {
    const faults = sources
      .map((path) => ({ path, text: readSource(path) }))
      .filter(({ text }) => text.split('\n').length - 1 > MAX_LINES)
      .filter(({ text }) => !/^(?:#!.*\n)?(?:\/\/|\/\*)[^\n]*Longer than 300 lines: /.test(text))
      .map(({ path, text }) => `${path}: ${text.split('\n').length - 1} lines`);
    expect(faults).toEqual(none);
  });

  test(`no line is longer than ${MAX_COLUMNS} columns, comments included`, () => {
    const faults = written.flatMap((path) =>
      readSource(path)
        .split('\n')
        .flatMap((line, index) =>
          line.length > MAX_COLUMNS && /^\s*(?:\/\/|\/?\*(?!\*\w))/.test(line) && !/https?:\/\//.test(line)
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
      files.filter((path) => /(?:^|\/)(?:utils?|common|helpers?|shared|core|misc)(?:\/|\.tsx?$)/.test(path)),
    ).toEqual(none);
  });
});

describe('codes', () => {
  test('no code of a refusal or of a setup error is defined twice', () => {
    const definition =
      /(?:createError(?:<[^>]*>)?\(\s*|super\(\s*|defineRefusal\(\s*\{\s*code:\s*|readonly code = )'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'|^ {2}([A-Z]+(?:_[A-Z]+)+): \{\s*status:/gm;
    const places = new Map<string, string[]>();
    for (const path of sources.filter((each) => /\/(?:src|acceptance)\//.test(each))) {
      for (const [, written, ofTable] of readSource(path).matchAll(definition)) {
        const code = (written ?? ofTable)!;
        places.set(code, [...(places.get(code) ?? []), path]);
      }
    }
    expect(places.size).toBeGreaterThan(110);
    expect([...places].filter(([, paths]) => paths.length > 1)).toEqual(none);
  });

  test('the server says the code of a refusal in its definition only', () => {
    const inServer = sources.filter(isBelow(`${SERVER}/src`));
    const isDefinition = (path: string) => path.endsWith('/errors.ts');
    const codes = inServer
      .filter(isDefinition)
      .flatMap((path) => [...readSource(path).matchAll(/\bcode: '([A-Z_]+)'/g)].map(([, code]) => code!));
    const faults = inServer
      .filter((path) => !isDefinition(path))
      .flatMap((path) => {
        const text = readSource(path);
        return codes.filter((code) => text.includes(`'${code}'`)).map((code) => `${path}: ${code}`);
      });
    expect(codes.length).toBeGreaterThan(35);
    expect(faults).toEqual(none);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}
