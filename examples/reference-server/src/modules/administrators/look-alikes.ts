import { asc, eq, inArray, isNull, notLike, or } from 'drizzle-orm';
import type { Changes } from '../../storage/changes.js';
import type { Queries, ReadableDatabase } from '../../storage/database.js';
import { SKELETON_PREFIX, skeletonOf } from './skeleton.js';
import { administrators, nameSkeletons } from './table.js';

interface NamedAccount {
  readonly id: string;
  readonly username: string;
}

/**
 * Keeps the skeleton of a new account, whose row is there. Resolves to the name of an account that looks the same, or
 * to null. Then nothing is kept, unless it is confirmed that the new one is another person. Of two accounts at once,
 * one is told of the other, by a unique index.
 */
export async function keepSkeleton(
  transaction: Queries,
  { id: administratorId, username }: NamedAccount,
  isConfirmed: boolean,
): Promise<string | null> {
  const skeleton = skeletonOf(username);
  async function nameOfOther(): Promise<string | undefined> {
    const [other] = await transaction
      .select({ username: administrators.username })
      .from(nameSkeletons)
      .innerJoin(administrators, eq(administrators.id, nameSkeletons.administratorId))
      .where(eq(nameSkeletons.skeleton, skeleton))
      .orderBy(asc(nameSkeletons.isConfirmed))
      .limit(1);
    return other?.username;
  }
  let other = await nameOfOther();
  if (other === undefined) {
    const kept = await transaction
      .insert(nameSkeletons)
      .values({ administratorId, skeleton })
      .onConflictDoNothing()
      .returning({ id: nameSkeletons.administratorId });
    if (kept.length === 1) return null;
    // Committed since it was looked for, and perhaps deleted again since the conflict.
    other = (await nameOfOther()) ?? username;
  }
  if (isConfirmed) await transaction.insert(nameSkeletons).values({ administratorId, skeleton, isConfirmed });
  return other;
}

/** Accounts of one change at the start. */
const BATCH = 500;

/**
 * Gives the accounts that have none a skeleton of the present table: those of earlier releases, and of nodes that still
 * run one. Accounts that look alike by then are both honest.
 */
export async function keepMissingSkeletons({ reading }: ReadableDatabase, changes: Changes): Promise<void> {
  const findMissing = (queries: Pick<Queries, 'select'>) =>
    queries
      .select({ id: administrators.id, username: administrators.username })
      .from(administrators)
      .leftJoin(nameSkeletons, eq(nameSkeletons.administratorId, administrators.id))
      .where(or(isNull(nameSkeletons.skeleton), notLike(nameSkeletons.skeleton, `${SKELETON_PREFIX}%`)))
      .orderBy(asc(administrators.createdAt), asc(administrators.id))
      .limit(BATCH);
  // Without the limit of a request: a busy machine starts late, and does not fail.
  while ((await findMissing(reading)).length > 0) {
    const event = { action: 'administrator.compare-names', actor: 'service:start' };
    await changes.change({ event }, async (transaction, record) => {
      // None of them is deleted meanwhile. Another node that starts may do the same.
      const missing = await findMissing(transaction).for('key share', { of: administrators });
      if (missing.length > 0) await replaceSkeletons(transaction, missing);
      record({ detail: { accounts: missing.length } });
    });
  }
}

async function replaceSkeletons(transaction: Queries, accounts: readonly NamedAccount[]): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  await transaction.delete(nameSkeletons).where(inArray(nameSkeletons.administratorId, ids));
  const rows = accounts.map(({ id, username }) => ({ administratorId: id, skeleton: skeletonOf(username) }));
  const first = await transaction
    .insert(nameSkeletons)
    .values(rows)
    .onConflictDoNothing()
    .returning({ id: nameSkeletons.administratorId });
  const others = rows.filter(({ administratorId }) => !first.some(({ id }) => id === administratorId));
  if (others.length === 0) return;
  const confirmed = others.map((row) => ({ ...row, isConfirmed: true }));
  await transaction.insert(nameSkeletons).values(confirmed).onConflictDoNothing();
}
