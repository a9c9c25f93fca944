import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountTables as accounts } from '../../src/modules/accounts/index.js';
import { openFactorEngines } from '../../src/modules/second-factors/index.js';
import { reencryptBatch } from '../../src/modules/second-factors/reencryption.js';
import { runOnBench } from '../modules/second-factors/command-on-bench.js';
import { type Authenticator, type FactorBench, openFactorBench } from '../modules/second-factors/factor-bench.js';
import type { Actor } from '../support/accounts.js';

const KEY = 'SERVICE_AUTH_SECOND_FACTOR_KEY';
const PREVIOUS = 'SERVICE_AUTH_SECOND_FACTOR_PREVIOUS_KEYS';
const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('the command second-factor reencrypt', { timeout: 60_000 }, () => {
  const [first, second, third] = ['2026-11', '2027-01', '2027-02'].map(keyOf) as [string, string, string];
  let its: FactorBench;
  const people: { person: Actor; phone: Authenticator }[] = [];
  beforeAll(async () => {
    its = await openFactorBench({ [KEY]: first });
    await its.setMode('OPTIONAL');
    for (let n = 0; n < 5; n += 1) {
      const person = await its.person();
      people.push({ person, phone: await its.enrol(person) });
    }
  });
  afterAll(() => its.close());

  const run = (keys: Record<string, string>, ...argv: readonly string[]) => runOnBench(its, argv, keys);

  /** The parts of the command, with the keys of this moment. */
  async function parts(keys: Record<string, string>) {
    const config = its.bench.config(keys);
    const { database, changes } = its.bench;
    const { sessions: store } = its.bench.resources(config).stores;
    return { changes, ...(await openFactorEngines({ config, database, accounts, store, now: its.now })) };
  }

  const keyIds = async () =>
    (await its.rows<{ record: string }>(sql`select record from second_factors order by subject`)).map(
      ({ record }) => JSON.parse(record).totp.secret.split(':')[1],
    );
  const countOf = async (id: string) => (await keyIds()).filter((each) => each === id).length;
  const records = () =>
    its.rows<{ actor: string; target: string; parameters: { detail: object } }>(sql`
      select actor, target, parameters from audit_records where action = 'second-factor.reencrypt' order by sequence`);
  const ROTATED = { [KEY]: second, [PREVIOUS]: first };

  it('MFA-1 a run that was killed leaves every secret readable, and is begun again', async () => {
    const given = await parts(ROTATED);
    const stopped = await reencryptBatch({ ...given, batchSize: 2 }, null);
    expect(stopped).toEqual({ reencrypted: 2, unreadable: [], next: expect.stringMatching(/^admin:/) });
    expect([await countOf('2026-11'), await countOf('2027-01')]).toEqual([3, 2]);
    const dying = {
      ...given.changes,
      change: ((subject, work) =>
        given.changes.change(subject, async (...of) => {
          await work(...of);
          throw new Error('killed before the commit');
        })) as typeof given.changes.change,
    };
    await expect(reencryptBatch({ ...given, changes: dying }, stopped.next)).rejects.toThrow('killed');
    expect([await countOf('2026-11'), await countOf('2027-01')]).toEqual([3, 2]);
    expect(await records()).toHaveLength(1);
  });

  it('MFA-1 a parallel use of a secret loses neither the used step nor the encryption', async () => {
    const given = await parts(ROTATED);
    const { person, phone } = people.at(-1)!;
    const event = { action: 'second-factor.verify', target: person.username };
    const { factors } = given.openEngines((work) => given.changes.change({ event }, work));
    const code = phone.next();
    const [proven] = await Promise.all([
      factors.verifyTotp({ principal: `admin:${person.id}`, code }),
      reencryptBatch(given, null),
      reencryptBatch(given, null),
    ]);
    expect(proven).toMatchObject({ kind: 'totp' });
    expect(await factors.verifyTotp({ principal: `admin:${person.id}`, code })).toBeNull();
    expect(await countOf('2027-01')).toBe(5);
  });

  it('MFA-1 the command encrypts all, records it without a secret, and does nothing the second time', async () => {
    const keys = { [KEY]: third, [PREVIOUS]: second };
    expect(await run(keys, 'reencrypt')).toEqual({
      status: 0,
      output: 'Encrypted with the present key: 5.\n',
      errors: '',
    });
    expect(await countOf('2027-02')).toBe(5);
    const before = await records();
    expect(before.at(-1)).toEqual({
      actor: 'command:second-factor',
      target: '2027-02',
      parameters: { detail: { reencrypted: 5, unreadable: [] } },
    });
    for (const { record } of await its.rows<{ record: string }>(sql`select record from second_factors`)) {
      expect(JSON.stringify(before)).not.toContain(JSON.parse(record).totp.secret.split(':')[2]);
    }
    expect((await run(keys, 'reencrypt')).output).toBe('Encrypted with the present key: 0.\n');
    expect(await records()).toEqual(before);
    // The earlier keys can be dropped, and the codes of the phones are right as before.
    const given = await parts({ [KEY]: third });
    for (const { person, phone } of people) {
      const event = { action: 'second-factor.verify', target: person.username };
      const { factors } = given.openEngines((work) => given.changes.change({ event }, work));
      expect(await factors.verifyTotp({ principal: `admin:${person.id}`, code: phone.next() })).not.toBeNull();
    }
    await its.bench.app({ [KEY]: third });
  });

  it('MFA-1 a secret that no key decrypts is named, left as it is, and keeps no other from its encryption', async () => {
    const { person } = people[0]!;
    const unknown = sql`replace(record, ':2027-02:', ':lost:')`;
    await its.rows(sql`update second_factors set record = ${unknown} where subject = ${person.id}`);
    const keys = { [KEY]: keyOf('2027-03'), [PREVIOUS]: third };
    const outcome = await run(keys, 'reencrypt');
    expect(outcome.status).toBe(2);
    expect(outcome.output).toBe('Encrypted with the present key: 4.\n');
    expect(outcome.errors).toBe(`No key decrypts the secret of: admin:${person.id}.\n`);
    expect([await countOf('lost'), await countOf('2027-03')]).toEqual([1, 4]);
  });

  it('MFA-1 the embedded database, which has one connection, is encrypted within its transaction', {
    timeout: 180_000,
  }, async () => {
    const other = await openFactorBench({ [KEY]: second, [PREVIOUS]: first }, 'embedded');
    try {
      await other.setMode('OPTIONAL');
      await other.enrol(await other.session(await other.person()));
      const keyId = async () => {
        const [row] = await other.rows<{ record: string }>(sql`select record from second_factors`);
        return JSON.parse(row!.record).totp.secret.split(':')[1];
      };
      const { database, changes } = other.bench;
      const { sessions: store } = other.bench.resources(other.bench.config()).stores;
      const encryptAllWith = async (keys: Record<string, string>) => {
        const config = other.bench.config(keys);
        const engines = await openFactorEngines({ config, database, accounts, store, now: other.now });
        return (await reencryptBatch({ changes, ...engines }, null)).reencrypted;
      };
      expect(await encryptAllWith({ [KEY]: first, [PREVIOUS]: second })).toBe(1);
      expect([await keyId(), await encryptAllWith(ROTATED), await keyId()]).toEqual(['2026-11', 1, '2027-01']);
    } finally {
      await other.close();
    }
  });

  it('MFA-1 the words of the command are checked', async () => {
    expect((await run({}, 'reencrypt', '--username', 'admin')).status).toBe(2);
    expect((await run({}, 'reencrypts')).errors).toContain('reencrypt');
    expect((await run({}, '--help')).output).toContain('second-factor.js reencrypt');
  });
});
