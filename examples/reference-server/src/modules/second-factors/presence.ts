import { renderStatement } from '@sallyport/plugin-kit/postgres';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Queries } from '../../storage/database.js';
import type { FactorOwner } from './owner.js';
import { secondFactors } from './table.js';

type Owner = Pick<FactorOwner, 'audience' | 'subject'>;

const { placeholder } = sql;
const { audience, subject } = secondFactors;

/**
 * The id of the key that encrypts the secret of a row. Null: it has none. Not parsed as JSON, which PostgreSQL refuses
 * for one ill-formed name, with every other row. Quotation marks in a name are escaped, so that none looks like this.
 */
export const keyIdOfRow = sql<string | null>`substring(${secondFactors.record} from '"secret":"v1:([A-Za-z0-9._-]+):')`;

const presence = renderStatement<'audience' | 'subject'>(sql`
  select exists (
    select from ${secondFactors}
    where ${audience} = ${placeholder('audience')} and ${subject} = ${placeholder('subject')}::uuid
      and ${secondFactors.isEnrolled})`);

/** A query for whether the account has a factor, for a statement that reads more. */
export function isEnrolledQuery(owner: Owner): SQL {
  return presence({ audience: owner.audience, subject: owner.subject });
}

/**
 * Whether the account has a factor, in the transaction.
 *
 * @param lock `locked`: other changes of its factors wait for this one
 */
export async function isEnrolled(transaction: Queries, owner: Owner, lock?: 'locked'): Promise<boolean> {
  const found = transaction
    .select({ isEnrolled: secondFactors.isEnrolled })
    .from(secondFactors)
    .where(and(eq(audience, owner.audience), eq(subject, owner.subject)));
  const [row] = await (lock === undefined ? found : found.for('update'));
  return row?.isEnrolled === true;
}
