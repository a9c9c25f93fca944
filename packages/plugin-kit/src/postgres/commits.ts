/** The transactions whose commit PostgreSQL has confirmed. */
const committed = new WeakSet<object>();

export function markCommitted(transaction: object): void {
  committed.add(transaction);
}

/** Whether `runTransaction` has seen that PostgreSQL committed this transaction. */
export function isCommitted(transaction: object): boolean {
  return committed.has(transaction);
}
