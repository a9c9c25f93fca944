import { scrypt } from '@noble/hashes/scrypt.js';
import { evaluationOf, isRight, MAX_COUNTER, type ProofOfWorkChallenge, VALUE_BYTES } from '../puzzle.js';
import { CaptchaSolveError } from './errors.js';

/** The progress of a search. */
export interface SolveProgress {
  /** The number of solved puzzles. */
  readonly solved: number;
  /** The number of puzzles of the proof. */
  readonly puzzles: number;
  /** The number of evaluations so far. */
  readonly evaluations: number;
}

/** The task of a search. */
export interface Search {
  readonly key: string;
  readonly challenge: ProofOfWorkChallenge;
}

/**
 * Solves one puzzle after the other and returns the proof. It yields after every evaluation, which takes some tens of
 * milliseconds, so that its caller can stop it or do something else.
 */
export function* search({ key, challenge }: Search): Generator<SolveProgress, string, void> {
  const { n, r, p, puzzles } = challenge;
  const counters: number[] = [];
  let evaluations = 0;
  for (let puzzle = 0; puzzle < puzzles; puzzle++) {
    for (let counter = 0; ; counter++) {
      if (counter > MAX_COUNTER) throw new CaptchaSolveError('This proof of work has no solution');
      const { password, salt } = evaluationOf(challenge, key, puzzle, counter);
      const hasSolved = isRight(challenge, scrypt(password, salt, { N: n, r, p, dkLen: VALUE_BYTES }));
      evaluations += 1;
      if (hasSolved) counters.push(counter);
      yield { solved: counters.length, puzzles, evaluations };
      if (hasSolved) break;
    }
  }
  return counters.join('.');
}
