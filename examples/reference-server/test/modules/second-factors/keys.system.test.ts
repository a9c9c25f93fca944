import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountTables as accounts } from '../../../src/modules/accounts/index.js';
import { openSecondFactors } from '../../../src/modules/second-factors/index.js';
import { type FactorBench, openFactorBench } from './factor-bench.js';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const KEY = 'SERVICE_AUTH_SECOND_FACTOR_KEY';
const PREVIOUS = 'SERVICE_AUTH_SECOND_FACTOR_PREVIOUS_KEYS';

describe('the keys of second factors', () => {
  const first = key('2026-11');
  let its: FactorBench;
  beforeAll(async () => {
    its = await openFactorBench({ [KEY]: first });
    await its.setMode('OPTIONAL');
    await its.enrol(await its.session(await its.person()));
  });
  afterAll(() => its.close());

  const start = async (environment: Record<string, string>) => its.bench.app(environment);
  /** The store that remembers fingerprints was lost. */
  const loseStore = () => its.rows(sql`delete from ttl_entries where key like '%second-factor:key:%'`);

  it('MFA-1 another key under the same id refuses the start, also after the store was lost', async () => {
    const fault = /SERVICE_AUTH_SECOND_FACTOR_KEY.*(?:another secret was used|has another key under the id 2026-11)/;
    await expect(start({ [KEY]: key('2026-11') })).rejects.toThrow(fault);
    await loseStore();
    await expect(start({ [KEY]: key('2026-11') })).rejects.toThrow(fault);
    await loseStore();
    await start({ [KEY]: first });
  });

  it('MFA-1 a missing earlier key refuses the start, and so does a wrong one', async () => {
    const second = key('2027-01');
    await expect(start({ [KEY]: second })).rejects.toThrow(/PREVIOUS_KEYS lacks the key 2026-11/);
    await loseStore();
    const wrong = { [KEY]: second, [PREVIOUS]: key('2026-11') };
    await expect(start(wrong)).rejects.toThrow(/SERVICE_AUTH_SECOND_FACTOR_PREVIOUS_KEYS/);
    await loseStore();
    await start({ [KEY]: second, [PREVIOUS]: first });
  });

  it('MFA-1 an ill-formed name in a record keeps no server from starting', async () => {
    const owner = await its.session(await its.person());
    await its.enrol(owner);
    await its.rows(sql`update second_factors set record = replace(record, '"Phone"', '"\\ud800"')
      where subject = ${(await owner.call('GET', '/admin/profile')).json().data.id}`);
    await loseStore();
    await start({ [KEY]: first });
    await loseStore();
    await expect(start({ [KEY]: key('2027-01') })).rejects.toThrow(/PREVIOUS_KEYS lacks the key 2026-11/);
    await loseStore();
    for (const name of ['\ud800', 'a\udc00']) {
      const begun = await its.admin.call('POST', '/auth/second-factors/totp', { name });
      expect(begun.json().code).toBe('VALIDATION_FAILED');
    }
  });

  it('MFA-1 a key that is not 32 random bytes is refused with its fix, and not shown', async () => {
    for (const bad of ['2026-11', `2026-11:${randomBytes(16).toString('base64')}`, `x:${'A'.repeat(43)}=`]) {
      const message = await start({ [KEY]: bad }).then(
        () => '',
        (error: Error) => error.message,
      );
      expect(message).toMatch(/SERVICE_AUTH_SECOND_FACTOR_KEY .*openssl rand -base64 32/);
      expect(message).not.toContain(bad);
    }
  });

  it('MFA-1 the next use of a secret encrypts it with the present key', async () => {
    const previous = key('earlier');
    const other = await openFactorBench({ [KEY]: previous });
    try {
      await other.setMode('OPTIONAL');
      const person = await other.person();
      const { next } = await other.enrol(await other.session(person));
      const present = key('later');
      const config = other.bench.config({ [KEY]: present, [PREVIOUS]: previous });
      const resources = other.bench.resources(config);
      const { log, systemParameters, metrics } = other.app;
      const app = { log, systemParameters, metrics };
      const parts = { config, database: other.bench.database, changes: other.bench.changes, accounts };
      const factors = await openSecondFactors(app, { ...parts, store: resources.stores.sessions, now: other.now });
      const keyOf = async () =>
        (await other.rows<{ record: string }>(sql`select record from second_factors where subject = ${person.id}`))[0]!
          .record;
      expect(await keyOf()).toContain('"v1:earlier:');
      const event = { action: 'second-factor.verify', target: person.username };
      const { factors: engine } = factors.openEngines((work) => other.bench.changes.change({ event }, work));
      expect(await engine.verifyTotp({ principal: `admin:${person.id}`, code: next() })).not.toBeNull();
      expect(await keyOf()).toContain('"v1:later:');
    } finally {
      await other.close();
    }
  });
});
