import postgres from 'postgres';
import type { Tables } from './history-checker.js';

/** Reads what a run wrote, with eyes of its own: not through the server, which may be what is wrong. */
export async function readTables(databaseUrl: string, run: string): Promise<Tables> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const payments = await sql<{ id: string; payee: string }[]>`
      select id, payee from payments where starts_with(payee, ${`${run} `})`;
    const [found] = await sql<{ there: boolean }[]>`select to_regclass('audit_records') is not null as there`;
    const audited = found?.there
      ? await sql<{ target: string }[]>`
          select target from audit_records where action = 'payment.create' and outcome = 'success'`
      : null;
    return {
      payments: payments.map(({ id, payee }) => ({ id, key: payee.slice(run.length + 1) })),
      audited: audited && new Set(audited.map(({ target }) => target)),
    };
  } finally {
    await sql.end();
  }
}
