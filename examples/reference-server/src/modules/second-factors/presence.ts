import { renderStatement } from '@sallyport/plugin-kit/postgres';
import { type SQL, sql } from 'drizzle-orm';
import type { FactorOwner } from './owner.js';
import { secondFactors } from './table.js';

const { placeholder } = sql;

const isEnrolled = renderStatement<'audience' | 'subject'>(sql`
  select exists (
    select from ${secondFactors}
    where ${secondFactors.audience} = ${placeholder('audience')} and ${secondFactors.subject} = ${placeholder('subject')}::uuid
      and ${secondFactors.isEnrolled})`);

/** A query for whether the account has a factor, for a statement that reads more. */
export function isEnrolledQuery({ audience, subject }: Pick<FactorOwner, 'audience' | 'subject'>): SQL {
  return isEnrolled({ audience, subject });
}
