import type { ChainHead } from './chain.js';

/** Rows that this process committed together, and acknowledged. */
export interface AcknowledgedRows extends ChainHead {
  /** The first of them; `sequence` and `mac` are of the last one. */
  readonly from: number;
}

/** The newest commits of this process, so that a loss of some of them is noticed and named. */
export interface Acknowledgements {
  add(rows: AcknowledgedRows): void;
  /** Oldest first. */
  list(): readonly AcknowledgedRows[];
  /** They are lost. */
  drop(rows: readonly AcknowledgedRows[]): void;
}

/** Some 100 KB. A standby that lags by more commits than these is named by the last of them, at least. */
const MAX_COMMITS = 1000;

export function createAcknowledgements(): Acknowledgements {
  let commits: AcknowledgedRows[] = [];
  return {
    add(rows) {
      commits.push(rows);
      // Not at each commit: moving the others takes longer than one of them.
      if (commits.length >= 2 * MAX_COMMITS) commits = commits.slice(-MAX_COMMITS);
    },
    list: () => commits.slice(-MAX_COMMITS),
    drop(rows) {
      const dropped = new Set(rows);
      commits = commits.filter((one) => !dropped.has(one));
    },
  };
}
