import { auditRecords } from '@sallyport/audit-log/postgres';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { reconciledTables } from '../../src/commands/reconcile/index.js';
import { type Actor, roomy, root } from '../support/accounts.js';
import { runReconcile } from '../support/reconcile.js';
import { openTestBench, type TestBench } from '../support/test-app.js';
import { writingRequests } from '../support/writing-requests.js';

/** The actions of writing operations that change no row of an audited table, and why. */
const ACTIONS_WITHOUT_ROW: Readonly<Record<string, string>> = {
  'auth.login': 'sessions are not in an audited table',
  'auth.logout': 'sessions are not in an audited table',
  'session.revoke': 'sessions are not in an audited table',
  'ticket.create': 'tickets are not in an audited table',
  'sms-code.send': 'codes and messages are not in an audited table',
  'auth.clear-login-limit': 'counters are not in an audited table',
  'password.recover': 'only the hash of a password, which no record has; its target is a masked number',
  'password.rehash': 'only the hash of a password, which no record has; its target is a name',
  'second-factor.begin': 'challenges are not in an audited table',
  'second-factor.challenge': 'challenges are not in an audited table',
  ...Object.fromEntries(
    [
      ...['auth.second-factor', 'second-factor.enrol', 'second-factor.remove', 'second-factor.recovery-codes'],
      ...['second-factor.reset', 'second-factor.enrolment-code'],
    ].map((action) => [action, 'second_factors is not compared, see reconciled-tables.test.ts']),
  ),
  'audit-record.verify': 'changes nothing',
  'upload.simulate': 'changes nothing',
};

let bench: TestBench;
let app: App;
let admin: Actor;
beforeAll(async () => {
  bench = await openTestBench();
  app = await bench.app(roomy);
  admin = await root(app);
});
afterAll(() => bench.close());

const AGREE = expect.stringMatching(/The audit log and the rows agree\.\n$/);

describe('a log and rows that only the server wrote', () => {
  it('AUD-16 agree after every operation that writes, each of which names its row or changes none', async () => {
    for (const [operation, prepare] of Object.entries(writingRequests)) {
      const response = await app.inject(await prepare({ app, bench, admin }));
      expect([operation, response.statusCode < 300]).toEqual([operation, true]);
    }
    const { status, output } = await runReconcile(bench);
    expect([status, output]).toEqual([0, AGREE]);
    expect(output).not.toContain('that name no row');
    for (const line of output.split('\n').slice(0, reconciledTables.length)) {
      expect(line).toMatch(/^\w+: rows [1-9]\d*, records [1-9]\d*, differences 0;/);
    }

    const done = await bench.database.orm
      .selectDistinct({ action: auditRecords.action })
      .from(auditRecords)
      .where(eq(auditRecords.outcome, 'success'));
    const reconciled = new Set(reconciledTables.flatMap(({ actions }) => Object.keys(actions)));
    const reads = /\.(?:list|read|download|export)$/;
    const unknown = done
      .map(({ action }) => action)
      .filter((action) => !reconciled.has(action) && !(action in ACTIONS_WITHOUT_ROW) && !reads.test(action));
    expect(unknown).toEqual([]);
  }, 120_000);
});
