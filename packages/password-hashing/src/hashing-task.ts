/**
 * A task of a worker. With a hash, the worker compares the password with it, with the work of the cost or of the hash,
 * whichever is more. Without one, it hashes the password.
 */
export interface HashingTask {
  readonly password: string;
  /** log2 of the BCrypt rounds. */
  readonly cost: number;
  /** A well-formed hash. */
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

/** The message to a worker thread. */
export interface NumberedTask {
  readonly number: number;
  /** The processor time after which the task reports itself as overdue. */
  readonly maxProcessorMillis: number;
  readonly task: HashingTask;
}

/** The report of a worker thread about a task that it runs. */
export interface TaskReport {
  readonly number: number;
  readonly event: 'begun' | 'overdue';
}
