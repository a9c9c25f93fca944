import { UNNAMED } from '@sallyport/plugin-kit/postgres';
import { systemParameters } from '@sallyport/system-parameters/postgres';
import { and, eq, sql } from 'drizzle-orm';
import { type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { renderQuery } from '../../storage/rendered-query.js';
import type { AccountTable, AccountTables } from './accounts.js';
import type { FactorOwner } from './owner.js';
import { factorParameters } from './parameters.js';
import { secondFactors } from './table.js';

const { placeholder } = sql;

/** By the clock of the database, which has set all three times. */
const graceOf = (audience: FactorOwner['audience'], accounts: AccountTable) =>
  renderQuery((reading: Reading) =>
    reading
      .select({
        isWithin: sql<boolean>`greatest(${accounts.createdAt}, ${secondFactors.resetAt}, ${systemParameters.updatedAt})
          + make_interval(days => ${placeholder('days')}::text::int) > now()`,
      })
      .from(accounts.table)
      .leftJoin(
        secondFactors,
        and(eq(secondFactors.audience, sql.raw(`'${audience}'`)), eq(secondFactors.subject, accounts.id)),
      )
      .leftJoin(systemParameters, eq(systemParameters.key, sql.raw(`'${factorParameters[audience].mode.key}'`)))
      .where(eq(accounts.id, placeholder('subject')))
      .prepare(UNNAMED),
  );

/** Decides whether an account may still enrol its first factor with the password alone. */
export type GraceCheck = (owner: Pick<FactorOwner, 'audience' | 'subject'>, graceDays: number) => Promise<boolean>;

/**
 * The password suffices for some days after the creation of the account, its reset, or the last write of the mode,
 * which is the switch to REQUIRED (MFA-2).
 */
export function createGraceCheck({ reading }: ReadableDatabase, accounts: AccountTables): GraceCheck {
  const select = { admin: graceOf('admin', accounts.admin), app: graceOf('app', accounts.app) };
  return async ({ audience, subject }, graceDays) => {
    const [row] = await withinLimit(select[audience](reading, { subject, days: String(graceDays) }));
    return row?.isWithin === true;
  };
}
