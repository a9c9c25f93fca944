import fc from 'fast-check';
import { vi } from 'vitest';

/**
 * The seed of everything that a run draws at random. It is fixed, so that a run can be repeated; `pnpm test:explore`
 * sets others. Requirement TST-3.
 */
export const SEED = Number(process.env.TEST_SEED ?? 1);

fc.configureGlobal({ seed: SEED });

/** Whether `pnpm test:explore` runs, which takes its time. */
export const isExploring = process.env.TEST_SEED !== undefined;

/** With fewer cases a property says little. */
const MIN_CASES = 25;

/** How many cases of a property are drawn: with a fixed seed a tenth, in `pnpm test:explore` all. */
export function cases(all: number): number {
  return isExploring ? all : Math.min(all, Math.max(MIN_CASES, Math.ceil(all / 10)));
}

/** As `expect.poll` in vitest.workspace.ts. By default it waits for one second, which a busy machine exceeds. */
const WAIT_MILLIS = 15_000;

const { waitFor } = vi;
if (waitFor.name !== 'waitLonger') {
  // Test files of one process share the object.
  vi.waitFor = function waitLonger(check, options = {}) {
    return waitFor(check, typeof options === 'number' ? options : { timeout: WAIT_MILLIS, ...options });
  };
}
