import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

const SENT = 30;

/** The embedded database runs one transaction after the other. */
describe('an end on the embedded database', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench('embedded');
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  it('TOK-13 waits for the few changes that have begun, and not for those that wait', async () => {
    const { headers } = await actor(app, admin, ['api:admin:payments:create']);
    const pay = async () => {
      const payload = { payee: 'late', amount: '12.50' };
      const keyed = { ...headers, 'idempotency-key': randomUUID() };
      return (await app.inject({ method: 'POST', url: '/admin/payments', headers: keyed, payload })).statusCode;
    };
    const payments = Array.from({ length: SENT }, pay);
    await Promise.race(payments);
    expect((await app.inject({ method: 'POST', url: '/auth/logout', headers })).statusCode).toBe(204);
    const statuses = await Promise.all(payments);
    // On a slow machine some have waited for too long.
    expect(statuses.filter((status) => ![201, 401, 503].includes(status))).toEqual([]);
    expect(statuses.filter((status) => status === 201).length).toBeLessThan(SENT / 2);
  });
});
