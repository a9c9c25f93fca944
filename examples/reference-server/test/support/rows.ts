import type { SQL } from 'drizzle-orm';
import type { Database } from '../../src/storage/database.js';

/** The rows that a statement of SQL returns, on either database: their drivers wrap them differently. */
export async function rowsOf<Row>({ orm }: Pick<Database, 'orm'>, statement: SQL | string): Promise<Row[]> {
  const result = (await orm.execute(statement)) as unknown as Row[] | { readonly rows: Row[] };
  return Array.isArray(result) ? [...result] : result.rows;
}
