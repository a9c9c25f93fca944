import type { ChainHead } from './chain.js';

/** Rows that this process committed together and acknowledged. */
export interface AcknowledgedRows extends ChainHead {
  /** The first of them. `sequence` and `mac` belong to the last one. */
  readonly from: number;
}

/** The newest commits of this process, by which a loss of some of them is noticed and named. */
export interface Acknowledgements {
  add(rows: AcknowledgedRows): void;
  /** Oldest first. */
  list(): readonly AcknowledgedRows[];
  /** Removes these commits, because they are lost. */
  drop(rows: readonly AcknowledgedRows[]): void;
}

/** About 100 KB. If a standby lags by more commits than these, at least the last of them are named. */
const MAX_COMMITS = 1000;

export function createAcknowledgements(): Acknowledgements {
  let commits: AcknowledgedRows[] = [];
  return {
    add(rows) {
      commits.push(rows);
      // Not done at each commit, because moving the others takes longer than a commit.
      if (commits.length >= 2 * MAX_COMMITS) commits = commits.slice(-MAX_COMMITS);
    },
    list: () => commits.slice(-MAX_COMMITS),
    drop(rows) {
      const dropped = new Set(rows);
      commits = commits.filter((one) => !dropped.has(one));
    },
  };
}
