import { group, type OptionRule, option, wholeNumber } from '@sallyport/plugin-kit/options';
import type { ProofOfWorkChallenge } from '../puzzle.js';

/** The cost of a proof of work. A captcha keeps the values with which it was issued. */
export interface ProofOfWorkParameters {
  /**
   * The average number of evaluations of scrypt for a proof, from the number of puzzles to 100 000. Default 90: about a
   * second in a browser on a laptop.
   */
  readonly cost: number;
  /** Memory of one evaluation, in MiB: 1, 2, 4, 8, 16, 32 or 64. Default 4. */
  readonly memoryMebibytes: number;
  /**
   * The number of puzzles of a proof, 1 to 16. Default 6. With more puzzles the solving time varies less, and a right
   * proof costs the server one evaluation for each.
   */
  readonly puzzles: number;
}

/** The defaults of {@link ProofOfWorkParameters}. */
export const PROOF_OF_WORK_DEFAULTS = {
  cost: 90,
  memoryMebibytes: 4,
  puzzles: 6,
} as const satisfies ProofOfWorkParameters;

/** The maximum cost. A phone needs tens of minutes for it. */
const MAX_COST = 100_000;

/** The maximum memory. Phones with little memory end a page that takes more. */
const MAX_MEMORY_MEBIBYTES = 64;

/** The maximum number of puzzles. The server spends an evaluation on each puzzle of a right proof. */
const MAX_PUZZLES = 16;

/** Scrypt's block size and parallelism. With these values of RFC 7914, `n` is the memory in KiB. */
const R = 8;
const P = 1;

const members = {
  cost: wholeNumber({ min: 1, max: MAX_COST, unit: 'evaluations', default: PROOF_OF_WORK_DEFAULTS.cost }),
  memoryMebibytes: option<number>({
    meaning: `a power of two from 1 to ${MAX_MEMORY_MEBIBYTES}, in MiB`,
    accepts: (value) => Number.isInteger(Math.log2(Number(value))) && isBetween(value, 1, MAX_MEMORY_MEBIBYTES),
    default: PROOF_OF_WORK_DEFAULTS.memoryMebibytes,
  }),
  puzzles: wholeNumber({ min: 1, max: MAX_PUZZLES, default: PROOF_OF_WORK_DEFAULTS.puzzles }),
};

const plain = group<ProofOfWorkParameters>(members);

/** The rule of the parameters. Each puzzle needs at least one evaluation. */
export const proofOfWorkRule: OptionRule<ProofOfWorkParameters> = {
  ...plain,
  faults(value, name) {
    const faults = plain.faults(value, name);
    if (faults.length > 0) return faults;
    const { cost, puzzles } = plain.read(value);
    return cost < puzzles ? [`${name}.cost must be at least ${name}.puzzles: each puzzle needs an evaluation`] : [];
  },
};

export function challengeOf(purpose: string, parameters: ProofOfWorkParameters): ProofOfWorkChallenge {
  const { cost, memoryMebibytes, puzzles } = parameters;
  const below = Math.round((2 ** 32 * puzzles) / cost);
  return { algorithm: 'scrypt', purpose, n: memoryMebibytes * 1024, r: R, p: P, puzzles, below };
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}
