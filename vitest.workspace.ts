import { readdirSync } from 'node:fs';
import type { TestProjectInlineConfiguration } from 'vitest/config';

// Tests run from the sources of every package, before any build: the condition is the first in each `exports`.
const conditions = ['@sallyport/source', 'node'];

const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } };
const limits = { testTimeout: 40_000, hookTimeout: 90_000 };

/**
 * One Vitest project for each package and example: its folder is its name. The projects don't extend the root
 * configuration: they would each run its `globalSetup` and start services of their own.
 */
const projects: TestProjectInlineConfiguration[] = ['packages', 'examples'].flatMap((parent) =>
  readdirSync(new URL(parent, import.meta.url)).map((name) => ({
    ...shared,
    test: { name, root: `${parent}/${name}`, include: ['test/**/*.test.ts'], ...limits },
  })),
);

/** What holds of the repository as a whole: its lockfile, its README, the arrows between its packages. */
projects.push({ ...shared, test: { name: 'repository', root: 'scripts', include: ['test/**/*.test.ts'], ...limits } });

export default projects;
