import { readdirSync } from 'node:fs';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { mutantLoader } from './scripts/test-mutants.ts';

// Tests run from the sources of every package, before any build: the condition is the first in each `exports`.
const conditions = ['@sallyport/source', 'node'];

const shared = { plugins: [mutantLoader()], resolve: { conditions }, ssr: { resolve: { conditions } } };
const limits = { testTimeout: 40_000, hookTimeout: 90_000 };

const ANY = 'test/**/*.test.ts';

/** A test that starts processes, kills them, moves clocks or waits for seconds: `pnpm test:system` runs it. */
const SYSTEM = 'test/**/*.system.test.ts';

/** A system test that occupies all cores: it runs after the others, alone. */
const ALONE = 'test/**/*.alone.system.test.ts';

/** A test that replaces modules (`vi.mock`), so that it can't share a process with others. */
const ISOLATED = 'test/**/*.isolated.test.ts';

const places = [
  ...['packages', 'examples'].flatMap((parent) =>
    readdirSync(new URL(parent, import.meta.url)).map((name) => ({ name, root: `${parent}/${name}` })),
  ),
  // What concerns the repository as a whole: its lockfile, its README, its layout.
  { name: 'repository', root: 'scripts' },
];

/**
 * One Vitest project for each package and example: its folder is its name. The projects don't extend the root
 * configuration, since each would run its `globalSetup` and start services of its own.
 *
 * The files of a project share a process (`isolate: false`), because importing the server again for each file takes
 * longer than its tests.
 */
const fastProjects: TestProjectInlineConfiguration[] = [
  ...places.map((place) => ({
    ...shared,
    test: { ...place, include: [ANY], exclude: [SYSTEM, ISOLATED], ...limits, isolate: false },
  })),
  { ...shared, test: { name: 'isolated', include: [`*/*/${ISOLATED}`], ...limits } },
];

export const systemProjects: TestProjectInlineConfiguration[] = [
  ...places.map((place) => ({ ...shared, test: { ...place, include: [SYSTEM], exclude: [ALONE], ...limits } })),
  {
    ...shared,
    test: { name: 'alone', include: [`*/*/${ALONE}`], ...limits, maxWorkers: 1, sequence: { groupOrder: 1 } },
  },
];

export default fastProjects;
