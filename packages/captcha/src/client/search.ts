import { scrypt } from '@noble/hashes/scrypt.js';
import { evaluationOf, isRight, MAX_COUNTER, type ProofOfWorkChallenge, VALUE_BYTES } from '../puzzle.js';
import { CaptchaSolveError } from './errors.js';

/** How far a search is. */
export interface SolveProgress {
  /** Puzzles that are solved. */
  readonly solved: number;
  /** Puzzles of the proof. */
  readonly puzzles: number;
  /** Evaluations so far. */
  readonly evaluations: number;
}

/** What is searched for. */
export interface Search {
  readonly key: string;
  readonly challenge: ProofOfWorkChallenge;
}

/**
 * Solves one puzzle after the other. It yields after every evaluation, which takes some tens of milliseconds, so that
 * its caller can stop it or do something else; it returns the proof.
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
