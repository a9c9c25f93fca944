import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { idempotencyRecords } from '../../src/storage/schema.js';
import { formWith } from '../modules/files/multipart.js';
import { type Actor, actor, roomy, root } from '../support/accounts.js';
import { businessState } from '../support/business-state.js';
import { endings, openHolding, readAnswer, senderOf } from '../support/held-requests.js';
import { openTestBench, type TestBench } from '../support/test-app.js';

/** Every operation is in held-requests.system.test.ts. */
describe('a request whose body is held back', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  let hold: Awaited<ReturnType<typeof openHolding>>;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
    hold = await openHolding(app);
  });
  afterAll(() => bench.close());

  const paymentOf = ({ headers }: Pick<Actor, 'headers'>) => ({
    method: 'POST' as const,
    url: '/admin/payments',
    headers: { ...headers, 'idempotency-key': randomUUID() },
    payload: { payee: `payee-${randomUUID()}`, amount: '12.50' },
  });

  it('TOK-13 a payment is made where nothing was ended meanwhile', async () => {
    const held = await hold(paymentOf(await actor(app, admin, ['*'])));
    expect(readAnswer(await held.release()).status).toBe(201);
  });

  it.each(['logout', 'disabling', 'the loss of all roles'])(
    'TOK-13 a payment is not made after %s, reserves no key, and is recorded as refused',
    async (way) => {
      const payment = paymentOf(await actor(app, admin, ['api:admin:payments:create']));
      const held = await hold(payment);
      expect(await endings[way]!.end(admin, senderOf(payment)!, app)).toBeLessThan(300);
      const before = await businessState(bench.database);
      const { status, code, requestId } = readAnswer(await held.release());
      expect([status, code]).toEqual(
        way === 'the loss of all roles'
          ? [403, 'PERMISSION_DENIED']
          : [401, expect.stringMatching(/SESSION|PASSWORD|ACCOUNT/)],
      );
      expect(await businessState(bench.database)).toEqual(before);
      const records = (await admin.call('GET', `/admin/audit-records?requestId=${requestId}`)).json().data;
      expect(records).toEqual([
        expect.objectContaining({ outcome: 'refused', reason: code, actor: `admin:${senderOf(payment)!.subject}` }),
      ]);
      const keys = await bench.database.orm.select().from(idempotencyRecords);
      expect(keys.filter(({ state }) => state === 'PROCESSING')).toEqual([]);
    },
  );

  it('TOK-13 an upload after a logout learns of its session, and not what is wrong with its file', async () => {
    const { headers } = await actor(app, admin, ['*']);
    const form = formWith({ name: 'tool.exe', type: 'application/octet-stream', content: Buffer.from('MZ') });
    const upload = () => ({
      method: 'POST' as const,
      url: '/admin/storage/files',
      headers: { ...headers, ...form.headers, 'idempotency-key': randomUUID() },
      payload: form.payload,
    });
    // The name of the file is not among the first bytes.
    const heldBytes = form.payload.length - 3;
    const refused = await hold(upload(), heldBytes);
    expect(readAnswer(await refused.release())).toMatchObject({ status: 415, code: 'UPLOAD_TYPE_REFUSED' });

    const held = await hold(upload(), heldBytes);
    // On another node: this one cuts what is open within 2 s, and not at once.
    await endings.logout!.end(admin, senderOf(upload())!, await bench.app(roomy));
    expect(readAnswer(await held.release())).toMatchObject({ status: 401, code: 'SESSION_REVOKED' });
  });
});
