/** The names of what is kept for a recipient, by its tag. Those of counters are without the prefix. */
export function createNames(keyPrefix: string) {
  return {
    hour: (tag: string) => `hour:${tag}`,
    day: (tag: string) => `day:${tag}`,
    /** Messages of an hour. A sign-in does not revert them, or the owner of a number could use up others' budgets. */
    repeats: (tag: string) => `repeats:${tag}`,
    known: (tag: string) => `${keyPrefix}known:${tag}`,
    resets: (tag: string) => `resets:${tag}`,
    /** Cleared together with a recipient. Each clear begins a new epoch of the counters without a handle. */
    epoch: (tag: string) => `${keyPrefix}epoch:${tag}`,
    mistakes: (handleTag: string) => `mistakes:${handleTag}`,
  };
}

export type Names = ReturnType<typeof createNames>;
