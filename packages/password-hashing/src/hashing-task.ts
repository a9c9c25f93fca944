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
  /** The cost of the hash. Default: `cost`. */
  readonly hashCost?: number;
}

/** The work of a task, in rounds of BCrypt. */
export function roundsOf({ cost, hashCost = cost }: HashingTask): number {
  return 2 ** Math.max(cost, hashCost);
}

/** Whether the stored hash demands more work than the configured cost. */
export function isAboveCost({ cost, hashCost = cost }: HashingTask): boolean {
  return hashCost > cost;
}

/** What a worker thread receives. */
export interface NumberedTask {
  readonly number: number;
  /** The task reports itself as overdue once its thread has computed for it this long. */
  readonly maxProcessorMillis: number;
  readonly task: HashingTask;
}

/** What a worker thread tells about a task that it runs. */
export interface TaskReport {
  readonly number: number;
  readonly event: 'begun' | 'overdue';
}
