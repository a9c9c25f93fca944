import { scrypt } from 'node:crypto';
import { CaptchaBusyError } from '../errors.js';
import { evaluationOf, isRight, MAX_COUNTER, type ProofOfWorkChallenge, VALUE_BYTES } from '../puzzle.js';

/** The number of proofs that are checked at once, of those that may wait, and of both for one client. */
export interface VerificationLimits {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly maxForClient: number;
}

/** Checks proofs in the thread pool of Node.js, a few at a time. */
export interface Verifications {
  /**
   * Runs work that may check a proof. Its argument `check` waits for its turn.
   *
   * @param client the client whose proofs are bounded; undefined: no bound
   * @throws {CaptchaBusyError} before the work begins, if too many proofs wait, or too many of this client
   */
  admit<Result>(client: string | undefined, work: (check: ProofCheck) => Promise<Result>): Promise<Result>;
}

type ProofCheck = typeof isProof;

export function createVerifications(limits: VerificationLimits): Verifications {
  const { maxConcurrent, maxWaiting, maxForClient } = limits;
  const waiting: (() => void)[] = [];
  /** Admitted proofs by client. A client without any has no entry. */
  const admittedOf = new Map<string, number>();
  let admitted = 0;
  let running = 0;

  const check: ProofCheck = async (challenge, key, proof) => {
    if (running < maxConcurrent) running += 1;
    // A check that ends passes its place to the next one, so that no other check takes it.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await isProof(challenge, key, proof);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };

  function takePlace(client: string): void {
    const proofs = admittedOf.get(client) ?? 0;
    if (proofs >= maxForClient) throw new CaptchaBusyError();
    admittedOf.set(client, proofs + 1);
  }

  function releasePlace(client: string): void {
    const left = (admittedOf.get(client) ?? 1) - 1;
    if (left === 0) admittedOf.delete(client);
    else admittedOf.set(client, left);
  }

  return {
    async admit(client, work) {
      if (admitted >= maxConcurrent + maxWaiting) throw new CaptchaBusyError();
      if (client !== undefined) takePlace(client);
      admitted += 1;
      try {
        return await work(check);
      } finally {
        admitted -= 1;
        if (client !== undefined) releasePlace(client);
      }
    },
  };
}

const COUNTER = /^(?:0|[1-9][0-9]{0,9})$/;

/** The maximum length of a proof: 16 counters of ten digits, with the dots between them. A longer proof is wrong. */
const MAX_PROOF_LENGTH = 16 * 11;

/**
 * Whether a proof solves every puzzle. It stops at the first unsolved puzzle, so a false proof costs one evaluation,
 * and one more for each puzzle that its maker has solved.
 */
export async function isProof(challenge: ProofOfWorkChallenge, key: string, proof: string): Promise<boolean> {
  if (proof.length > MAX_PROOF_LENGTH) return false;
  const counters = proof.split('.');
  if (counters.length !== challenge.puzzles) return false;
  if (!counters.every((counter) => COUNTER.test(counter) && Number(counter) <= MAX_COUNTER)) return false;
  for (const [puzzle, counter] of counters.entries()) {
    if (!isRight(challenge, await evaluate(challenge, key, puzzle, Number(counter)))) return false;
  }
  return true;
}

function evaluate(challenge: ProofOfWorkChallenge, key: string, puzzle: number, counter: number): Promise<Uint8Array> {
  const { n: N, r, p } = challenge;
  const { password, salt } = evaluationOf(challenge, key, puzzle, counter);
  return new Promise((resolve, reject) => {
    scrypt(password, salt, VALUE_BYTES, { N, r, p, maxmem: 2 * 128 * N * r }, (error, value) => {
      // Bun passes undefined instead of null.
      if (error instanceof Error) reject(error);
      else resolve(value);
    });
  });
}
