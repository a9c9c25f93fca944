import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { checkMessages } from '../../../faults/messages-checker.js';
import { reportTable } from '../../../faults/report-table.js';
import { rel9 } from '../../../faults/scenarios/rel-9.js';
import { SHORT_COUNTS } from '../../../faults/scenarios/scenario.js';

// Processes are restarted repeatedly, which is slow on a busy machine.
describe('notification workers in separate processes', { timeout: 240_000 }, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('REL-9 APP-4 killed between send and acknowledgement, twice: no message is lost, sent more than twice or sent late, and only the newest code is valid', async () => {
    const site = { databaseUrl: database.url, postgres: null, redis: null, store: 'postgres', say: () => {} } as const;
    // The third kill happens twice; `pnpm run faults rel-9 --kills 20` is the long run.
    const findings = await rel9.run(site, { ...SHORT_COUNTS, kills: 3 });
    expect(reportTable(findings)).not.toContain('VIOLATION');
    // Three numbers and a newer code in each round, and three codes that expire.
    expect(findings).toMatchObject([{ times: 3, keys: 15 }]);
  });

  it('REL-9 the check finds violations', async () => {
    const message = { id: 'm', state: 'sent', queuedAt: 0, expiresAt: 100 };
    const request = (at: number) => ({
      headers: { 'idempotency-key': 'm' },
      text: '',
      body: { mobile: '+1', code: '1' },
      at,
      answered: 200,
    });
    const kindsOf = async (messages: (typeof message)[], requests: ReturnType<typeof request>[], status: number) => {
      const run = { store: 'postgres', kills: 1, messages, requests, signIn: async () => ({ status }) };
      return (await checkMessages(run)).violations.map(({ kind }) => kind);
    };
    expect(await kindsOf([message], [request(1)], 200)).toEqual([]);
    expect(await kindsOf([message], [], 200)).toEqual(['message-lost']);
    expect(await kindsOf([message], [1, 2, 3].map(request), 200)).toEqual(['message-sent-thrice']);
    expect(await kindsOf([message], [request(100)], 200)).toEqual(['message-sent-late']);
    expect(await kindsOf([message], [request(1)], 401)).toEqual(['newest-code-refused']);
    const newer = { ...message, id: 'n', queuedAt: 5 };
    const both = [request(1), { ...request(6), headers: { 'idempotency-key': 'n' } }];
    expect(await kindsOf([message, newer], both, 200)).toEqual(['old-code-accepted']);
  });
});
