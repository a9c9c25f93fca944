import { createPasswordHashing, PasswordHashingBusyError } from '@sallyport/password-hashing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passwordToSend } from '../../../src/modules/administrators/development-account.js';
import { generateAccount } from '../../../src/modules/administrators/generated-account.js';
import { administrators } from '../../../src/storage/schema.js';
import { openTestBench, signIn, type TestBench } from '../../support/test-app.js';

describe('the account that the command creates', () => {
  let bench: TestBench;
  const passwords = createPasswordHashing({ cost: 4, threads: 1 });
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(async () => {
    await passwords.close();
    await bench.close();
  });

  it('USR-4 ADM-7 an empty database gets an administrator with every permission and a random password, stored as a hash', async () => {
    const { username, password } = await generateAccount(bench.changes, passwords, ' Root ');
    expect(username).toBe('root');
    expect(password).toMatch(/^[\w-]{20}$/);
    const [row] = await bench.database.orm.select().from(administrators);
    expect(JSON.stringify(row)).not.toContain(password);
    const app = await bench.app();
    const { data } = (await signIn(app, { username, password: passwordToSend(password), terminal: 'web' })).json();
    const headers = { authorization: `Bearer ${data.token}` };
    for (const url of ['/admin/administrators', '/admin/roles']) {
      expect((await app.inject({ url, headers })).statusCode).toBe(200);
    }
  });

  it('USR-4 PWD-3 a machine that is busy starting up delays the account and does not refuse it, and the wait has an end', async () => {
    let refusals = 14;
    let attempts = 0;
    const busy = {
      async hash(password: string) {
        attempts += 1;
        refusals -= 1;
        if (refusals >= 0) throw new PasswordHashingBusyError();
        return passwords.hash(password);
      },
    };
    expect((await generateAccount(bench.changes, busy, 'patient')).username).toBe('patient');
    expect(attempts).toBe(15);
    refusals = 15;
    await expect(generateAccount(bench.changes, busy, 'impatient')).rejects.toThrow(PasswordHashingBusyError);
  });

  it('USR-4 an existing account, in any spelling, is not changed; of parallel commands one creates it', async () => {
    const first = await generateAccount(bench.changes, passwords, 'taken');
    await expect(generateAccount(bench.changes, passwords, ' TAKEN')).rejects.toThrow(/already/);
    const app = await bench.app();
    const signedIn = await signIn(app, {
      username: 'taken',
      password: passwordToSend(first.password),
      terminal: 'web',
    });
    expect(signedIn.statusCode).toBe(200);
    const made = await Promise.allSettled(
      Array.from({ length: 5 }, () => generateAccount(bench.changes, passwords, 'raced')),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('USR-4 no account is created for a name that could not be typed', async () => {
    for (const name of ['', '  ', 'a\u200b', 'x'.repeat(65)]) {
      await expect(generateAccount(bench.changes, passwords, name)).rejects.toThrow(/1 to 64 characters/);
    }
  });
});
