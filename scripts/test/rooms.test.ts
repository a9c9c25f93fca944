import { dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { entryPoints, importsOf, readSource, sources } from './import-graph.js';

const MODULES = 'examples/reference-server/src/modules';

/** Table, rules, routes, and the door with permissions and texts. */
const MAX_FILES_OF_A_SMALL_RESOURCE = 4;

/** Modules with one route that are no resource: most of their files do something else than answer it. */
const NO_RESOURCES = {
  // Collects what it answers: meters of requests, of services and of the process, and a listener of its own.
  metrics: 8,
};

interface Operation {
  readonly method: string;
  readonly path: string;
}

/** What the texts of a module's operations name. A test of the server compares those with its routes. */
function operationsOf(texts: string): Operation[] {
  return [...texts.matchAll(/^ {2}'([A-Z]+) (\/\S*)': \{/gm)].map(([, method, path]) => ({
    method: method!,
    path: path!,
  }));
}

/** A list, one item and a creation, or fewer of them: all below one path, each at most once, and nothing else. */
function isSmall(operations: readonly Operation[]): boolean {
  const collections = new Set(operations.map(({ path }) => path.replace(/\/:\w+$/, '')));
  const isRead = ({ method }: Operation) => method === 'GET';
  const isCreation = ({ method, path }: Operation) => method === 'POST' && !path.includes(':');
  return collections.size === 1 && operations.every((operation) => isRead(operation) || isCreation(operation));
}

const modules = [...new Set(sources.flatMap((path) => new RegExp(`^${MODULES}/([^/]+)/`).exec(path)?.[1] ?? []))];
const filesOf = (name: string) => sources.filter((path) => path.startsWith(`${MODULES}/${name}/`));

const small = modules
  .map((name) => ({ name, files: filesOf(name) }))
  .filter(({ files }) => isSmall(operationsOf(files.map(readSource).join('\n'))));

describe('rooms', () => {
  test('HSE-3: a list, one item and a creation take at most four files', () => {
    expect(small.map(({ name }) => name)).toEqual(expect.arrayContaining(['idempotency-keys', 'payments', 'tickets']));
    const large = small.filter(({ files }) => files.length > MAX_FILES_OF_A_SMALL_RESOURCE);
    expect(Object.fromEntries(large.map(({ name, files }) => [name, files.length]))).toEqual(NO_RESOURCES);
  });

  test('HSE-3: what changes an item, ends it or has a second path is no small resource', () => {
    const paths = (...operations: string[]) =>
      isSmall(operationsOf(operations.map((operation) => `  '${operation}': {`).join('\n')));
    expect(paths('GET /notes', 'POST /notes', 'GET /notes/:id')).toBe(true);
    expect(paths('POST /auth/tickets')).toBe(true);
    expect(paths('GET /notes', 'DELETE /notes/:id')).toBe(false);
    expect(paths('GET /notes', 'POST /notes/:id')).toBe(false);
    expect(paths('GET /notes', 'GET /papers')).toBe(false);
    expect(paths()).toBe(false);
  });

  test('HSE-3: a door stands where somebody outside its room comes in', () => {
    const entries = entryPoints();
    const doors = sources.filter((path) => /\/src\/.+\/index\.tsx?$/.test(path) && !entries.has(path));
    const entered = new Set(
      sources.flatMap((path) => importsOf(path).filter((target) => !path.startsWith(`${dirname(target)}/`))),
    );
    expect(doors.length).toBeGreaterThan(60);
    expect(doors.filter((door) => !entered.has(door))).toEqual([]);
  });
});
