import { eq } from 'drizzle-orm/sql';
import type { AuditSignedHeadsTable, DrizzleDatabase } from '../chain/index.js';
import type { Checkpoint } from '../notes/index.js';

/**
 * No checkpoint was signed: the rows are not those that the chain or the last checkpoint says. The log was changed,
 * cut, or restored to an older state. Nothing is signed until an operator accepts the state.
 */
export class CheckpointRefusedError extends Error {
  override readonly name = 'CheckpointRefusedError';
  /** The first row that is not what it must be. */
  readonly sequence: number;
  constructor(sequence: number, why: string) {
    super(`The audit log is not signed from row ${sequence} on: ${why}. Verify the log`);
    this.sequence = sequence;
  }
}

/**
 * Stores the newest checkpoint of a chain, from which the next one continues.
 *
 * @param expected what is stored now; null: nothing. Where it is something else, nothing is stored, and the result is
 * false. Without it, the checkpoint is stored whatever is there.
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
