import { renderStatement } from '@sallyport/plugin-kit/postgres';
import { type SQL, sql } from 'drizzle-orm';
import type { PasswordLimits } from '../passwords/index.js';
import { administrators } from './table.js';

const { placeholder } = sql;

const reasonOf = renderStatement<'id' | 'isForced' | 'days'>(sql`
  select case
    when ${placeholder('isForced')}::text = 'true' and ${administrators.passwordIsInitial} then 'initial'
    when ${placeholder('days')}::int > 0
      and ${administrators.passwordChangedAt} <= now() - make_interval(days => ${placeholder('days')}::int) then 'age'
  end
  from ${administrators} where ${administrators.id} = ${placeholder('id')}::uuid`);

/**
 * A query for the reason why an administrator has to change the password first, or null (PWD-7). By the clock of the
 * database, which has set the time of the last change. Null if no rule is in force.
 */
export function passwordDutyOf(id: string, { forceFirstChange, adminMaxAgeDays }: PasswordLimits): SQL | null {
  if (!forceFirstChange && adminMaxAgeDays === 0) return null;
  return reasonOf({ id, isForced: String(forceFirstChange), days: String(adminMaxAgeDays) });
}
