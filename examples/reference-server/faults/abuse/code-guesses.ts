import { randomInt } from 'node:crypto';
import type { Stage } from './stage.js';

/** OTC-1: codes of a number that are live at once. */
const MAX_LIVE = 3;

/** A guess has the length of the codes that the victim gets: 6 digits by default, more while guesses are under way. */
const ORDINARY_DIGITS = 6;

/** A code of the given length that is not among those that were sent. */
export function wrongCode(sent: readonly string[], digits = ORDINARY_DIGITS): string {
  for (;;) {
    const code = Array.from({ length: digits }, () => randomInt(10)).join('');
    if (!sent.includes(code)) return code;
  }
}

/**
 * What guesses of codes are worth. The codes are known to the harness, so a wrong guess is always wrong; it counts with
 * the probability that a random one would have been right.
 */
export interface CodeGuesses {
  /** Notes a guess that was compared with every live code of the number, or with one code if it had a handle. */
  compared(mobile: string, hasHandle: boolean): void;
  /** Those that could have met a code of ordinary length. */
  readonly ordinary: number;
  /** The expected number of takeovers. */
  readonly expected: number;
}

export function createCodeGuesses({ liveCodesOf }: Pick<Stage, 'liveCodesOf'>): CodeGuesses {
  const counts = { ordinary: 0, expected: 0 };
  return Object.assign(counts, {
    compared(mobile: string, hasHandle: boolean) {
      const lengths = liveCodesOf(mobile)
        .slice(hasHandle ? -1 : -MAX_LIVE)
        .map(({ length }) => length);
      if (lengths.includes(ORDINARY_DIGITS)) counts.ordinary += 1;
      counts.expected += lengths.reduce((sum, digits) => sum + 10 ** -digits, 0);
    },
  });
}
