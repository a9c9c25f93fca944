import { type SQL, sql } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { AUDITED_TABLES } from '../../faults/shadow.js';
import type { Database } from '../../src/storage/database.js';
import { rowsOf } from '../../src/storage/schema-target.js';
import type { Actor } from './accounts.js';

/** The business state: the rows of the audited tables, the live sessions, the tickets and the queued messages. */
export async function businessState(database: Pick<Database, 'orm'>): Promise<Record<string, readonly string[]>> {
  const rows = async (query: SQL) => (await rowsOf<{ row: string }>(database.orm, query)).map(({ row }) => row);
  const tables = await Promise.all(
    AUDITED_TABLES.map(async (table) => [
      table,
      await rows(sql`select to_jsonb(one)::text as row from ${sql.identifier(table)} one order by 1`),
    ]),
  );
  const sessions = await rows(sql`select value as row from ttl_entries where key like '%session:%' order by key`);
  return {
    ...Object.fromEntries(tables),
    sessions: sessions.flatMap((row) =>
      JSON.parse(row).live.map(({ id, proof }: { id: string; proof?: object }) => JSON.stringify([id, proof])),
    ),
    tickets: await rows(sql`select key as row from ttl_entries where key like '%ticket:%' order by key`),
    messages: await rows(sql`select id::text as row from bullmq.job order by 1`),
  };
}

/** The outcomes that the log lists for a request. */
export async function outcomesOf(admin: Actor, { headers }: LightMyRequestResponse): Promise<string[]> {
  const { data } = (await admin.call('GET', `/admin/audit-records?requestId=${headers['x-request-id']}`)).json();
  return data.map(({ outcome }: { outcome: string }) => outcome);
}
