import { sql } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { version as uuidVersion } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../../scripts/test-database.js';
import type { App } from '../../../src/app.js';
import { openPostgres } from '../../../src/storage/postgres.js';
import { administrators, auditRecords } from '../../../src/storage/schema.js';
import { type Actor, roomy, root } from '../../support/accounts.js';
import { businessState, outcomesOf } from '../../support/business-state.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { writingOperations, writingRequests } from '../../support/writing-requests.js';

/** Every operation that may change something. */

/** Operations that change no business state: nothing, counters, or what a later request has to confirm. */
const HARMLESS = [
  'POST /auth/second-factor/options',
  'POST /auth/second-factors/totp',
  'POST /auth/second-factors/passkeys/options',
  'POST /admin/storage/simulate',
  'POST /admin/audit-records/verify',
  'POST /admin/auth/clearLoginLimit',
];

const TWICE = ['success', 'success'];

/** State that no transaction of the log carries. */
const OUTSIDE = ['sessions', 'tickets', 'messages'];

describe('no change without its record', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  /** Whether a record of the request was begun before its change: then the id of its completion has version 8. */
  async function wasBegun({ headers }: LightMyRequestResponse): Promise<boolean> {
    const ofRequest = sql`${auditRecords.extra} ->> 'requestId' = ${headers['x-request-id']}`;
    const records = await bench.database.orm.select().from(auditRecords).where(ofRequest);
    return records.some(({ id }) => uuidVersion(id) === 8);
  }

  it('AUD-8 every operation that writes has a request in test/support/writing-requests.ts', () => {
    expect(Object.keys(writingRequests).sort()).toEqual([...writingOperations].sort());
  });

  describe.each(writingOperations)('%s', (operation) => {
    const prepare = () => writingRequests[operation]!({ app, bench, admin });

    it('AUD-8 succeeds with one record', async () => {
      const request = await prepare();
      const before = await businessState(bench.database);
      const response = await app.inject(request);
      expect(response.statusCode).toBeLessThan(300);
      // A sign-in of a new user is two changes.
      expect(await outcomesOf(admin, response)).toEqual(operation === 'POST /app/auth/login' ? TWICE : ['success']);
      const after = await businessState(bench.database);
      if (HARMLESS.includes(operation)) expect(after).toEqual(before);
      else expect(after).not.toEqual(before);
      const changed = OUTSIDE.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
      if (changed.length > 0) expect([changed, await wasBegun(response)]).toEqual([changed, true]);
    });
  });
});

describe('the handle of the modules', () => {
  const write = (reading: object) =>
    (reading as { insert(table: object): { values(row: object): Promise<unknown> } })
      .insert(administrators)
      .values({ id: '0199f0b4-0000-7000-8000-000000000000', username: 'x', displayName: 'x', passwordHash: 'x' });

  it('AUD-8 can not write to the embedded database', async () => {
    const bench = await openTestBench();
    await expect(write(bench.database.reading)).rejects.toMatchObject({ cause: { code: '25006' } });
    expect(await bench.database.reading.select().from(auditRecords)).toEqual([]);
    await bench.close();
  });

  it('AUD-8 can not write to PostgreSQL, and reads while every connection that writes waits', async () => {
    const { url, drop } = await createTestDatabase();
    const database = await openPostgres(url);
    await expect(write(database.reading)).rejects.toMatchObject({ cause: { code: '25006' } });
    const busy = Array.from({ length: 10 }, () => database.orm.execute(sql`select pg_sleep(1)`));
    const read = database.reading.select().from(administrators);
    expect(await Promise.race([read, Promise.all(busy)])).toEqual([]);
    await Promise.all(busy);
    await database.close();
    await drop();
  });
});
