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
    // A code works once.
    const once = () => {
      const used = new Set<string>();
      return async (_mobile: string, code: string) => {
        const status = used.has(code) ? 401 : 200;
        used.add(code);
        return { status };
      };
    };
    const always = (status: number) => async () => ({ status });
    const message = { id: 'm', state: 'sent', queuedAt: 0, expiresAt: 100 };
    const request = (at: number) => ({
      headers: { 'idempotency-key': 'm' },
      text: '',
      body: { mobile: '+1', code: '1' },
      at,
      answered: 200,
    });
    const kindsOf = async (messages: (typeof message)[], requests: ReturnType<typeof request>[], signIn = once()) => {
      const run = { store: 'postgres', kills: 1, messages, requests, signIn };
      return (await checkMessages(run)).violations.map(({ kind }) => kind);
    };
    expect(await kindsOf([message], [request(1)])).toEqual([]);
    expect(await kindsOf([message], [])).toEqual(['message-lost']);
    expect(await kindsOf([message], [1, 2, 3].map(request))).toEqual(['message-sent-thrice']);
    expect(await kindsOf([message], [request(100)])).toEqual(['message-sent-late']);
    expect(await kindsOf([message], [request(1)], always(401))).toEqual(['sent-code-refused']);
    expect(await kindsOf([message], [request(1)], always(200))).toEqual(['used-code-accepted']);
  });
});
