import { type SQL, sql } from 'drizzle-orm';

const ownSchema = sql`current_schema()`;

/**
 * The key of an advisory lock of one server. Advisory locks belong to the whole database. With the number alone,
 * servers in two schemas would wait for each other (OPS-11). In `public` the key is the number, as in releases without
 * other schemas, so that old and new nodes exclude each other during a rolling upgrade.
 *
 * @param lock a positive number below 2^31
 * @param schema default: the schema of the connection
 */
export function advisoryLockKey(lock: number, schema: SQL | string = ownSchema): SQL {
  const name = sql`${schema}::text`;
  return sql`case when ${name} = 'public' then ${lock}::bigint
    else (${lock}::bigint << 32) | (hashtext(${name})::bigint & 4294967295) end`;
}
