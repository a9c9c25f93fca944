/**
 * What a worker does. With a hash: compare the password with it, at the work of the cost or of the hash, whichever is
 * more. Without: hash the password.
 */
export interface HashingTask {
  readonly password: string;
  /** log2 of the BCrypt rounds. */
  readonly cost: number;
  /** Well-formed. */
  readonly hash?: string;
}
