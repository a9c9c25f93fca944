import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { mutantLoader } from './scripts/test-mutants.ts';

// Tests run from the sources of every package, before any build: the condition is the first in each `exports`.
const conditions = ['@sallyport/source', 'node'];

const shared = { plugins: [mutantLoader()], resolve: { conditions }, ssr: { resolve: { conditions } } };
const setupFiles = [fileURLToPath(new URL('scripts/test-properties.ts', import.meta.url))];
// `pnpm test:explore` draws more, and gives way to what runs at the same time.
const patience = process.env.TEST_SEED === undefined ? 1 : 10;
const settings = {
  testTimeout: 40_000 * patience,
  hookTimeout: 90_000 * patience,
  // A poll waits for one second by default, which a busy machine exceeds.
  expect: { poll: { timeout: 15_000 } },
  setupFiles,
};

const ANY = 'test/**/*.test.ts';

/**
 * A test that starts processes, kills them, moves clocks or waits for seconds, or that takes seconds while a faster one
 * proves the same requirement (TST-1): `pnpm test:system` runs it.
 */
const SYSTEM = 'test/**/*.system.test.ts';

/** A system test that occupies all cores: it runs after the others, alone. */
const ALONE = 'test/**/*.alone.system.test.ts';

/** A test that replaces modules, so that it can't share a process with others. */
const ISOLATED = 'test/**/*.isolated.test.ts';
const ISOLATED_SYSTEM = 'test/**/*.isolated.system.test.ts';

const places = [
  ...['packages', 'examples'].flatMap((parent) =>
    readdirSync(new URL(parent, import.meta.url)).map((name) => `${parent}/${name}`),
  ),
  // What concerns the repository as a whole: its lockfile, its README, its layout.
  'scripts',
];

/**
 * All fast tests share a process for each worker (`isolate: false`), because importing the server again for each file
 * takes longer than its tests. No project extends the root configuration, since each would run its `globalSetup` and
 * start services of its own.
 */
const fastProjects: TestProjectInlineConfiguration[] = [
  {
    ...shared,
    test: {
      name: 'fast',
      include: places.map((place) => `${place}/${ANY}`),
      exclude: [`**/${SYSTEM}`, `**/${ISOLATED}`],
      ...settings,
      isolate: false,
    },
  },
  { ...shared, test: { name: 'isolated', include: [`*/*/${ISOLATED}`], ...settings } },
];

/** The same holds for the system tests. */
export const systemProjects: TestProjectInlineConfiguration[] = [
  {
    ...shared,
    test: {
      name: 'system',
      include: places.map((place) => `${place}/${SYSTEM}`),
      exclude: [`**/${ALONE}`, `**/${ISOLATED_SYSTEM}`],
      ...settings,
      isolate: false,
    },
  },
  { ...shared, test: { name: 'isolated', include: [`*/*/${ISOLATED_SYSTEM}`], ...settings } },
  {
    ...shared,
    test: { name: 'alone', include: [`*/*/${ALONE}`], ...settings, maxWorkers: 1, sequence: { groupOrder: 1 } },
  },
];

export default fastProjects;
