import { systemParameters } from '@sallyport/system-parameters/postgres';
import { eq, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { inactivityParameters } from './parameters.js';

const { key, value, updatedAt } = systemParameters;

type Audience = keyof typeof inactivityParameters;

/**
 * Whether the account was not used for too long (PWD-7). By the clock of the database, and in the statement that finds
 * the account. An unusable value counts as a day, since the rule was meant to be on.
 */
export function isInactive(
  audience: Audience,
  { lastSignedInAt }: { readonly lastSignedInAt: AnyPgColumn },
): SQL<boolean> {
  const days = sql`case when ${value} ~ '^[0-9]{1,4}$' then ${value}::int else 1 end`;
  return sql<boolean>`exists (
    select from ${systemParameters}
    where ${eq(key, sql.raw(`'${inactivityParameters[audience].key}'`))} and ${days} > 0
      and greatest(${lastSignedInAt}, ${updatedAt}) <= now() - make_interval(days => ${days}))`;
}

/** Whether the account may not sign in: it is disabled, or was not used for too long. */
export function isRefused(
  audience: Audience,
  account: { readonly disabled: AnyPgColumn; readonly lastSignedInAt: AnyPgColumn },
): SQL<boolean> {
  return sql<boolean>`(${account.disabled} or ${isInactive(audience, account)})`;
}
