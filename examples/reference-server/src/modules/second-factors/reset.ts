import { and, eq, sql } from 'drizzle-orm';
import type { Queries } from '../../storage/database.js';
import type { OpenEngines } from './engines.js';
import type { RunFactorChange } from './factor-records.js';
import type { FactorFailures } from './failures.js';
import { type FactorOwner, principalOf } from './owner.js';
import { secondFactors } from './table.js';

type Owner = Pick<FactorOwner, 'audience' | 'subject'>;

const rowOf = ({ audience, subject }: Owner) =>
  and(eq(secondFactors.audience, audience), eq(secondFactors.subject, subject));

export interface ResetParts {
  readonly openEngines: OpenEngines;
  readonly failures: Pick<FactorFailures, 'forget'>;
}

/**
 * Removes all factors of an account, its enrolment code, and the enrolments that have begun. The days of grace begin
 * again, and so does the count of wrong codes (MFA-4).
 */
export async function resetFactors(
  { openEngines, failures }: ResetParts,
  run: RunFactorChange,
  owner: FactorOwner,
): Promise<void> {
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
  await failures.forget(owner);
}

/** Deletes what is kept of an account that is deleted. */
export async function forgetFactors(transaction: Queries, owner: Owner): Promise<void> {
  await transaction.delete(secondFactors).where(rowOf(owner));
}
