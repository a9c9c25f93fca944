import { sql } from 'drizzle-orm';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import { auditChainHeads, auditRecords, auditSignedHeads } from '../../src/postgres.js';

const COLUMNS = [
  'occurred_at',
  'action',
  'outcome',
  'duration_millis',
  'parameters',
  'extra',
  'previous',
  'mac',
  'key_id',
] as const;

const KEPT = { kept_records: auditRecords, kept_heads: auditChainHeads, kept_notes: auditSignedHeads } as const;

/**
 * Keeps a log that is about to be attacked. Resolves to a function that restores it. It restores the signed heads only
 * `withNotes`, since a sink that is still open writes them.
 */
export async function keepLog(database: DrizzleDatabase, { withNotes = false } = {}): Promise<() => Promise<void>> {
  const { kept_notes, ...others } = KEPT;
  const tables = Object.entries(withNotes ? KEPT : others);
  // An attacker who can change rows can also drop constraints.
  for (const column of COLUMNS)
    await database.execute(sql`alter table ${auditRecords} alter column ${sql.identifier(column)} drop not null`);
  for (const [kept, table] of tables)
    await database.execute(sql`create table ${sql.identifier(kept)} as table ${table}`);

  return async function restore() {
    const names = tables.map(([, table]) => sql`${table}`);
    await database.execute(sql`truncate ${sql.join(names, sql`, `)}`);
    for (const [kept, table] of tables) await database.execute(sql`insert into ${table} table ${sql.identifier(kept)}`);
  };
}
