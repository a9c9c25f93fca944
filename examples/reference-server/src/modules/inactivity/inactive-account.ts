import { systemParameters } from '@sallyport/system-parameters/postgres';
import { eq, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { inactivityParameters } from './parameters.js';

const { key, value, updatedAt } = systemParameters;

/**
 * Whether the account may not sign in: it is disabled, or was not used for too long (PWD-7). By the clock of the
 * database, and in the statement that finds the account. An unusable value counts as a day, since the rule was meant to
 * be on.
 */
export function isRefused(
  audience: keyof typeof inactivityParameters,
  { disabled, lastSignedInAt }: { readonly disabled: AnyPgColumn; readonly lastSignedInAt: AnyPgColumn },
): SQL<boolean> {
  const days = sql`case when ${value} ~ '^[0-9]{1,4}$' then ${value}::int else 1 end`;
  return sql<boolean>`(${disabled} or exists (
    select from ${systemParameters}
    where ${eq(key, sql.raw(`'${inactivityParameters[audience].key}'`))} and ${days} > 0
      and greatest(${lastSignedInAt}, ${updatedAt}) <= now() - make_interval(days => ${days})))`;
}
