import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { isAmount } from '../../../src/modules/payments/payments.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

const RENT = { payee: 'Ada Lovelace', amount: '12.50' };

describe('payments', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  beforeEach(async () => {
    await bench.database.orm.execute(sql`delete from payments`);
  });
  afterAll(() => bench.close());

  const pay = ({ headers }: Actor, payload: object) =>
    app.inject({
      method: 'POST',
      url: '/admin/payments',
      headers: { ...headers, 'idempotency-key': randomUUID() },
      payload,
    });

  it('HTTP-1 a payment is created, read and listed with its exact amount, latest first', async () => {
    const made = await pay(admin, RENT);
    expect(made.statusCode).toBe(201);
    const { data } = made.json();
    expect(data).toEqual({
      ...RENT,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      createdBy: admin.id,
      createdAt: expect.any(Number),
    });
    expect((await admin.call('GET', `/admin/payments/${data.id}`)).json()).toEqual({ data });
    const later = (await pay(admin, { payee: '王伟', amount: '0.01' })).json().data;
    expect((await admin.call('GET', '/admin/payments?size=1')).json()).toEqual({
      data: [later],
      page: { number: 1, size: 1, total: 2, next: later.id },
    });
    expect((await admin.call('GET', '/admin/payments?page=2&size=1')).json().data).toEqual([data]);
  });

  it('TOK-8 each of the three needs its own permission', async () => {
    const { id } = (await pay(admin, RENT)).json().data;
    const requests = {
      list: ['GET', '/admin/payments', 200],
      create: ['POST', '/admin/payments', 201],
      read: ['GET', `/admin/payments/${id}`, 200],
    } as const;
    for (const [right, [, , status]] of Object.entries(requests)) {
      const holder = await actor(app, admin, [`api:admin:payments:${right}`]);
      for (const [asked, [method, url]] of Object.entries(requests)) {
        const answer = method === 'POST' ? await pay(holder, RENT) : await holder.call(method, url);
        expect(answer.statusCode).toBe(asked === right ? status : 403);
      }
    }
    expect((await app.inject('/admin/payments')).statusCode).toBe(401);
  });

  it('HTTP-4 an invalid payment is refused with a pointer to the fault, and nothing is created', async () => {
    const amounts = [
      '',
      '0',
      '0.00',
      '-1',
      '+1',
      '1.',
      '.5',
      '1.234',
      '01',
      '1e3',
      '1,5',
      ' 1',
      '1\n',
      '１',
      '10000000000',
    ];
    for (const amount of [...amounts, 'Infinity', 'NaN', '0x10', 12.5, 12, null, ['1'], true]) {
      const refused = await pay(admin, { ...RENT, amount });
      expect([amount, refused.statusCode, refused.json().code]).toEqual([amount, 400, 'VALIDATION_FAILED']);
      expect(refused.json().errors[0].pointer).toBe('/amount');
    }
    for (const payee of ['', '   ', 'a\nb', 'a\0b', 'a\u202eb', '\ud800', 'x'.repeat(129), 7]) {
      const refused = await pay(admin, { ...RENT, payee });
      expect([payee, refused.statusCode]).toEqual([payee, 400]);
    }
    expect((await pay(admin, { ...RENT, createdBy: admin.id })).statusCode).toBe(400);
    expect((await admin.call('GET', '/admin/payments')).json().page.total).toBe(0);
    for (const id of ['x', '00000000-0000-7000-8000-000000000000'])
      expect((await admin.call('GET', `/admin/payments/${id}`)).json().code).toBe('NOT_FOUND');
  });

  it('HTTP-4 every amount from 0.01 to 9999999999.99 is accepted and returned exactly', () => {
    const text = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 999_999_999_999n }), (cents) => {
        expect(isAmount(text(cents))).toBe(true);
        expect(isAmount(`${text(cents)}0`)).toBe(false);
        expect(isAmount(`-${text(cents)}`)).toBe(false);
      }),
    );
    expect(['0.00', '10000000000.00'].map(isAmount)).toEqual([false, false]);
  });

  it('HTTP-1 amounts with fewer decimals are returned with two; the largest keeps every digit', async () => {
    const shown = async (amount: string) => (await pay(admin, { ...RENT, amount })).json().data.amount;
    expect([await shown('7'), await shown('7.5'), await shown('9999999999.99')]).toEqual([
      '7.00',
      '7.50',
      '9999999999.99',
    ]);
  });
});
