import fc from 'fast-check';
import postgres from 'postgres';
import { expect, inject, it } from 'vitest';
import { createClientIp } from '../src/index.js';
import { forgery, proxy, trustedProxies } from './arbitraries.js';

it('AU-12 PostgreSQL accepts every result as inet, so no audit row is lost', async () => {
  const engine = createClientIp({ trustedProxies });
  const requests = fc.sample(fc.tuple(fc.option(proxy, { nil: undefined }), forgery), 2000);
  const results = requests.map(([peer, forged]) => engine.resolve(peer, { 'x-forwarded-for': forged }));
  const sql = postgres(inject('databaseUrl'), { max: 1 });
  try {
    const [row] = await sql`select count(address::inet)::int as accepted from unnest(${results}::text[]) as address`;
    expect(row?.accepted).toBe(results.length);
  } finally {
    await sql.end();
  }
});
