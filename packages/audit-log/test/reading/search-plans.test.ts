import { drizzle } from 'drizzle-orm/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEmbedded } from '../../../../scripts/test-embedded.js';
import { type AuditFilter, createAuditReader, createAuditTables } from '../../src/postgres.js';

type Client = Awaited<ReturnType<typeof openTestEmbedded>>;

const ROWS = 20_000;

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value));

describe('the plans of a search of the audit log', () => {
  let client: Client;

  beforeAll(async () => {
    client = await openTestEmbedded();
    await createAuditTables(drizzle(client));
    await client.exec(`
      insert into audit_records
      select n, gen_random_uuid(), '2026-01-01'::timestamptz + n * interval '1 second', 'admin:' || n % 500,
        case n % 2 when 0 then 'payment.create' else 'payment.read' end, 'target ' || n % 700,
        case n % 300 when 0 then 'failure' when 100 then 'refused' when 200 then 'unknown' else 'success' end, null, 1, '{}', '10.0.0.1', '{}', '', n::text, 'key'
      from generate_series(1, ${ROWS}) n;
      analyze audit_records;
      set plan_cache_mode = force_generic_plan`);
  });
  afterAll(() => client.close());

  /** The plans of the statements of a search, as a prepared statement has them: they don't know the values. */
  async function plansOf(filter: AuditFilter): Promise<string[]> {
    const sent: { query: string; values: readonly unknown[] }[] = [];
    const logger = { logQuery: (query: string, values: unknown[]) => void sent.push({ query, values }) };
    await createAuditReader({ database: drizzle(client, { logger }) }).search(filter);
    const plans = [];
    for (const { query, values } of sent) {
      await client.exec(`prepare searched as ${query}`);
      const { rows } = await client.query<Record<string, string>>(
        `explain (costs off) execute searched(${values.map(literal).join(', ')})`,
      );
      await client.exec('deallocate searched');
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans;
  }

  it.each<AuditFilter>([
    { outcome: 'failure' },
    { outcome: 'refused' },
    { outcome: 'unknown' },
    { outcome: 'failure', action: 'payment.create' },
  ])('PRF-11 a search for %j reads its page and its total from the index of outcomes', async (filter) => {
    const plans = await plansOf(filter);
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).toMatch(/audit_records_outcome_index/);
      expect(plan).not.toMatch(/Seq Scan on audit_records(?! completion)/);
    }
  });

  it('CON-8 PRF-11 a search for a target reads its page and its total from the index of targets', async () => {
    for (const target of ['target 7', ['target 7', 'target 8']])
      for (const plan of await plansOf({ target })) expect(plan).toMatch(/audit_records_target_index/);
  });

  it('PRF-11 an outcome that has no index is found as before', async () => {
    await client.exec(`update audit_records set outcome = 'odd' where sequence = 7`);
    const { page } = await createAuditReader({ database: drizzle(client) }).search({ outcome: 'odd' as 'failure' });
    expect(page.total).toBe(1);
  });
});
