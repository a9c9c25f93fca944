import { renderStatement } from '@sallyport/plugin-kit/postgres';
import { type SQL, sql } from 'drizzle-orm';
import type { PasswordLimits } from '../passwords/index.js';
import { appUsers } from './table.js';

const { placeholder } = sql;

const reasonOf = renderStatement<'id' | 'days'>(sql`
  select case
    when ${appUsers.passwordChangedAt} <= now() - make_interval(days => ${placeholder('days')}::int) then 'age'
  end
  from ${appUsers} where ${appUsers.id} = ${placeholder('id')}::uuid and ${appUsers.passwordHash} is not null`);

/**
 * A query for the reason why an app user has to change the password first, or null (PWD-7). One without a password has
 * none to change, and nobody else sets one. Null if no rule is in force.
 */
export function appPasswordDutyOf(id: string, { appMaxAgeDays }: PasswordLimits): SQL | null {
  return appMaxAgeDays === 0 ? null : reasonOf({ id, days: String(appMaxAgeDays) });
}
