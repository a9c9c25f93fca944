// The code that server and client share. It runs in any JavaScript engine: it has no import, and no global beyond
// ECMAScript.

/**
 * The challenge of a proof of work, as the endpoint returns it. A proof is one counter for each puzzle, such that the
 * first four bytes of `scrypt(password, salt, n, r, p)`, read as a big-endian number, are less than `below`. `password`
 * is `<puzzle>.<counter>`, with puzzles counted from 0; `salt` is `<purpose>:<key>`; both in ASCII. The key is random,
 * so nothing can be computed before the captcha is issued.
 */
export interface ProofOfWorkChallenge {
  readonly algorithm: 'scrypt';
  /** The purpose of the captcha. It is part of the salt, so that a proof for one purpose is not valid for another. */
  readonly purpose: string;
  /** Scrypt's cost parameter: one evaluation fills `128 * n * r` bytes of memory. */
  readonly n: number;
  readonly r: number;
  readonly p: number;
  /** The number of puzzles of the proof. The time for several small puzzles varies less than for a single one. */
  readonly puzzles: number;
  /**
   * The exclusive upper bound of a right value, 1 to 2^32. An evaluation is right with the probability `below / 2^32`.
   */
  readonly below: number;
}

/** The hash input for one counter of one puzzle. */
export interface Evaluation {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
}

/** The required number of bytes of scrypt's output. */
export const VALUE_BYTES = 4;

/** The end of the counters. At the highest cost, no puzzle needs more than a millionth of them. */
export const MAX_COUNTER = 0xffff_ffff;

export function evaluationOf(
  challenge: ProofOfWorkChallenge,
  key: string,
  puzzle: number,
  counter: number,
): Evaluation {
  return { password: ascii(`${puzzle}.${counter}`), salt: ascii(`${challenge.purpose}:${key}`) };
}

/** @param value the output of scrypt */
export function isRight({ below }: ProofOfWorkChallenge, value: Uint8Array): boolean {
  const [a = 0xff, b = 0xff, c = 0xff, d = 0xff] = value;
  return a * 0x100_0000 + b * 0x1_0000 + c * 0x100 + d < below;
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
