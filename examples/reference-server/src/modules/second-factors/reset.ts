import { and, eq, sql } from 'drizzle-orm';
import type { Queries } from '../../storage/database.js';
import type { OpenEngines } from './engines.js';
import type { RunFactorChange } from './factor-records.js';
import { type FactorOwner, principalOf } from './owner.js';
import { secondFactors } from './table.js';

type Owner = Pick<FactorOwner, 'audience' | 'subject'>;

const rowOf = ({ audience, subject }: Owner) =>
  and(eq(secondFactors.audience, audience), eq(secondFactors.subject, subject));

/**
 * Removes all factors of an account, its enrolment code, and the enrolments that have begun. The days of grace begin
 * again (MFA-4).
 */
export async function resetFactors(openEngines: OpenEngines, run: RunFactorChange, owner: Owner): Promise<void> {
  const { factors } = openEngines((work) =>
    run(async (transaction, record) => {
      await work(transaction, record);
      const codes = { enrolmentCodeHash: null, enrolmentCodeExpiresAt: null };
      await transaction
        .update(secondFactors)
        .set({ resetAt: sql`now()`, ...codes })
        .where(rowOf(owner));
    }),
  );
  await factors.reset(principalOf(owner));
}

/** Deletes what is kept of an account that is deleted. */
export async function forgetFactors(transaction: Queries, owner: Owner): Promise<void> {
  await transaction.delete(secondFactors).where(rowOf(owner));
}
