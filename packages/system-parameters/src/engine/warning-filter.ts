import type { ParameterWarning } from './options.js';
import type { Snapshot } from './parameter-cache.js';

/** Warns of each stored value that is not in force, once until it is another one; knows those there are now. */
export function createWarningFilter(warn: (warning: ParameterWarning) => void) {
  let known: ReadonlyMap<string, string> = new Map();

  function warnOfFaults({ faults }: Snapshot): void {
    const before = known;
    known = faults;
    for (const [key, reason] of faults) {
      if (before.get(key) !== reason) warn({ kind: 'stored-value-refused', key, reason });
    }
  }

  return Object.assign(warnOfFaults, {
    reported: () => [...known].map(([key, reason]) => ({ key, reason })),
  });
}
