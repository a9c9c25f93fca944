import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { type Actor, actor, roomy, root } from '../support/accounts.js';
import { businessState } from '../support/business-state.js';
import { endings, openHolding, readAnswer, senderOf } from '../support/held-requests.js';
import { openTestBench, type TestBench } from '../support/test-app.js';
import { writingOperations, writingRequests } from '../support/writing-requests.js';

/** Every operation that may change something. */

/** Nobody has signed in when they are called. */
const PUBLIC = [
  'POST /admin/auth/login',
  'POST /admin/auth/register',
  'POST /app/auth/sendSmsCode',
  'POST /app/auth/login',
  'POST /app/auth/recoverPassword',
];

/** They need no permission, or one that the handler asks for before it changes something. */
const WITHOUT_PERMISSION = [
  'POST /auth/logout',
  'POST /auth/second-factor',
  'DELETE /admin/sessions/:id',
  'POST /auth/tickets',
  'PUT /admin/profile',
  'PUT /admin/profile/password',
];

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

  it('TOK-13 the operations without a session are those of sign-in, registration and recovery', async () => {
    for (const operation of writingOperations) {
      const request = await writingRequests[operation]!({ app, bench, admin });
      expect([operation, senderOf(request) === null]).toEqual([operation, PUBLIC.includes(operation)]);
    }
  });

  describe.each(writingOperations.filter((operation) => !PUBLIC.includes(operation)))('%s', (operation) => {
    it.each(Object.keys(endings))('TOK-13 changes nothing after %s, and is recorded as refused', async (way) => {
      const { of, end } = endings[way]!;
      const sender = await actor(app, admin, ['*']);
      const request = await writingRequests[operation]!({ app, bench, admin: sender });
      const victim = senderOf(request)!;
      const isLoss = way === 'the loss of all roles';
      if (!of.includes(victim.audience) || (isLoss && WITHOUT_PERMISSION.includes(operation))) return;
      const held = await hold(request);
      expect(await end(admin, victim, app)).toBeLessThan(300);
      const before = await businessState(bench.database);
      const { status, code, requestId } = readAnswer(await held.release());
      expect([status, code]).toEqual(
        isLoss ? [403, 'PERMISSION_DENIED'] : [401, expect.stringMatching(/SESSION|PASSWORD|ACCOUNT/)],
      );
      expect(await businessState(bench.database)).toEqual(before);
      const records = (await admin.call('GET', `/admin/audit-records?requestId=${requestId}`)).json().data;
      expect(records).toEqual([expect.objectContaining({ outcome: 'refused', reason: code })]);
    });
  });
});
