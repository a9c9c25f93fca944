import { readdirSync } from 'node:fs';
import type { TestProjectInlineConfiguration } from 'vitest/config';

// Tests run from the sources of every package, before any build: the condition is the first in each `exports`.
const conditions = ['@sallyport/source', 'node'];

const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } };
const limits = { testTimeout: 40_000, hookTimeout: 90_000 };

/** A test that starts processes, kills them, stops clocks or takes seconds of waiting. */
const SYSTEM = 'test/**/*.system.test.ts';
const ANY = 'test/**/*.test.ts';

/** `pnpm test` runs the fast tests, `pnpm test:system` the others. */
type Kind = 'fast' | 'system';

const filesOf: Readonly<Record<Kind, { include: string[]; exclude: string[] }>> = {
  fast: { include: [ANY], exclude: [SYSTEM] },
  system: { include: [SYSTEM], exclude: [] },
};

/**
 * One Vitest project for each package and example: its folder is its name. `repository` holds what concerns the
 * repository as a whole: its lockfile, its README, its layout. The projects don't extend the root configuration, since
 * each would run its `globalSetup` and start services of its own.
 *
 * The fast tests of a project share one process (`isolate: false`): importing the server anew for each file took more
 * time than its tests.
 */
export function projectsOf(kind: Kind): TestProjectInlineConfiguration[] {
  const places = ['packages', 'examples'].flatMap((parent) =>
    readdirSync(new URL(parent, import.meta.url)).map((name) => ({ name, root: `${parent}/${name}` })),
  );
  return [...places, { name: 'repository', root: 'scripts' }].map((place) => ({
    ...shared,
    test: { ...place, ...filesOf[kind], ...limits, isolate: kind === 'system' },
  }));
}

export default projectsOf('fast');
