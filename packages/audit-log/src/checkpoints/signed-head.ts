import { eq } from 'drizzle-orm/sql';
import type { AuditSignedHeadsTable, DrizzleDatabase } from '../chain/index.js';
import type { Checkpoint } from '../notes/index.js';

/**
 * No checkpoint was signed, because the rows contradict the chain or the last checkpoint. The log was changed, cut, or
 * restored to an older state. Nothing is signed until an operator accepts the state.
 */
export class CheckpointRefusedError extends Error {
  override readonly name = 'CheckpointRefusedError';
  /** The first wrong row. */
  readonly sequence: number;
  constructor(sequence: number, why: string) {
    super(`The audit log is not signed from row ${sequence} on: ${why}. Verify the log`);
    this.sequence = sequence;
  }
}

/**
 * Stores the newest checkpoint of a chain, which the next one continues.
 *
 * @param expected the stored checkpoint; null: nothing. If something else is stored, nothing is written, and the result
 * is false. Without it, the checkpoint is stored unconditionally.
 */
export async function storeSignedHead(
  queries: Pick<DrizzleDatabase, 'insert'>,
  signedHeads: AuditSignedHeadsTable,
  chain: string,
  { note }: Checkpoint,
  ...expected: [expected?: string | null]
): Promise<boolean> {
  const condition = expected.length === 0 ? {} : { setWhere: eq(signedHeads.note, expected[0] ?? '') };
  const stored = await queries
    .insert(signedHeads)
    .values({ chain, note })
    .onConflictDoUpdate({ target: signedHeads.chain, set: { note }, ...condition })
    .returning({ chain: signedHeads.chain });
  return stored.length > 0;
}
