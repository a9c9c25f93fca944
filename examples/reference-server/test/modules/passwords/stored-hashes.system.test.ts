import { Writable } from 'node:stream';
import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import bcrypt from 'bcryptjs';
import { eq } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, composeApp, createApp } from '../../../src/app.js';
import { checkAppPassword } from '../../../src/modules/app-users/sign-in.js';
import { checkSignIn } from '../../../src/modules/sign-in/sign-in.js';
import { administrators, appUsers } from '../../../src/storage/schema.js';
import { OTHER_PASSWORD, PASSWORD, roomy } from '../../support/accounts.js';
import { appSignIn, freshMobile } from '../../support/app-accounts.js';
import { addAdministrator } from '../../support/granted-administrator.js';
import { openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const RIGHT = bcrypt.hashSync(PASSWORD, 4);
const UNUSABLE = ['', 'x', RIGHT.replace('$2b$', '$2x$'), RIGHT.replace('$04$', '$31$'), RIGHT.slice(0, -1)];
const WRONG = 'f'.repeat(64);

/** An account, by its password. */
interface Account {
  /** What a failure answers. */
  readonly failed: readonly [number, string];
  setHash(passwordHash: string): Promise<unknown>;
  /** Uses a password at the place that is tested. */
  attempt(password: string, remoteAddress?: string): Promise<LightMyRequestResponse>;
  signIn(password: string, remoteAddress?: string): Promise<LightMyRequestResponse>;
}

describe('stored password hashes', () => {
  let bench: TestBench;
  let app: App;
  let lines: string[] = [];
  let number = 0;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await node();
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  async function node(environment: Record<string, string> = {}): Promise<App> {
    const config = bench.config({ ...roomy, SERVICE_LOG_LEVEL: 'error', ...environment });
    const log = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const built = createApp(config, log);
    await composeApp(built, config, bench.resources(config));
    await built.ready();
    return built;
  }

  async function administrator(): Promise<Account> {
    const username = `account-${++number}`;
    await addAdministrator(bench.database, { username, passwordHash: RIGHT });
    const byPassword: Account['attempt'] = (password, remoteAddress = '192.0.2.1') =>
      signIn(app, { username, password, terminal: 'web' }, { remoteAddress });
    return {
      failed: [401, 'LOGIN_FAILED'],
      setHash: (passwordHash) =>
        bench.database.orm.update(administrators).set({ passwordHash }).where(eq(administrators.username, username)),
      attempt: byPassword,
      signIn: byPassword,
    };
  }

  async function appUser(): Promise<Account> {
    const mobile = freshMobile();
    await bench.database.orm.insert(appUsers).values({ id: crypto.randomUUID(), mobile, passwordHash: RIGHT });
    const byPassword: Account['attempt'] = (password, remoteAddress = '192.0.2.2') =>
      appSignIn(app, { mobile, password }, { remoteAddress });
    return {
      failed: [401, 'LOGIN_FAILED'],
      setHash: (passwordHash) =>
        bench.database.orm.update(appUsers).set({ passwordHash }).where(eq(appUsers.mobile, mobile)),
      attempt: byPassword,
      signIn: byPassword,
    };
  }

  /** The same account, whose old password is used in the change of the own password, with a session. */
  async function withSession(url: string, account: Account): Promise<Account> {
    const { token } = (await account.signIn(PASSWORD)).json().data;
    return {
      ...account,
      failed: [400, 'OLD_PASSWORD_WRONG'],
      attempt: (oldPassword, remoteAddress = '192.0.2.3') =>
        app.inject({
          method: 'PUT',
          url,
          headers: { authorization: `Bearer ${token}` },
          payload: { oldPassword, newPassword: OTHER_PASSWORD },
          remoteAddress,
        }),
    };
  }

  const ownPassword = async () => withSession('/admin/profile/password', await administrator());
  const appPassword = async () => withSession('/app/profile/password', await appUser());

  it.each([
    ['the sign-in of administrators', administrator],
    ['the sign-in of app users', appUser],
    ['the change of the own password', ownPassword],
    ['the change of an app user’s password', appPassword],
  ] as const)(
    'PWD-3 one that cannot be verified fails in %s as a wrong password does: answered, counted, and an error in the log',
    async (_place, open) => {
      const account = await open();
      lines = [];
      for (const stored of UNUSABLE) {
        await account.setHash(stored);
        const refused = await account.attempt(PASSWORD);
        expect([refused.statusCode, refused.json().code]).toEqual(account.failed);
      }
      await account.setHash(RIGHT);
      expect((await account.attempt(PASSWORD)).json()).toMatchObject({ status: 429, code: 'LOGIN_LOCKED' });
      expect(lines).toHaveLength(UNUSABLE.length);
      for (const line of lines) {
        expect(line).toMatch(/"level":50.*A stored password hash /);
        expect(line).not.toMatch(new RegExp(`${PASSWORD}|${RIGHT.slice(10, 25).replace(/\W/g, '.')}`));
      }
    },
  );

  it.each([
    ['an administrator', ownPassword],
    ['an app user', appPassword],
  ] as const)(
    'USR-2 LGN-2 five wrong old passwords with a stolen session of %s lock the name at that address',
    async (_whose, open) => {
      const account = await open();
      for (let guess = 0; guess < 5; guess += 1) expect((await account.attempt(WRONG)).statusCode).toBe(400);
      const locked = await account.attempt(PASSWORD);
      expect(locked.json()).toMatchObject({ status: 429, code: 'LOGIN_LOCKED', retryAfterSeconds: expect.any(Number) });
      expect((await account.signIn(PASSWORD, '192.0.2.3')).json()).toMatchObject({ code: 'LOGIN_LOCKED' });
      // The owner, elsewhere.
      expect((await account.signIn(PASSWORD, '192.0.2.77')).statusCode).toBe(200);
      expect((await account.attempt(PASSWORD, '192.0.2.77')).statusCode).toBe(204);
      expect((await account.signIn(OTHER_PASSWORD, '192.0.2.77')).statusCode).toBe(200);
    },
  );

  it.each([
    ['an administrator', ownPassword],
    ['an app user', appPassword],
  ] as const)(
    'USR-2 LGN-2 the right old password of %s forgets the failures before it, as a sign-in does',
    async (_whose, open) => {
      const account = await open();
      for (let guess = 0; guess < 4; guess += 1) {
        expect((await account.signIn(WRONG, '192.0.2.3')).statusCode).toBe(401);
      }
      expect((await account.attempt(PASSWORD)).statusCode).toBe(204);
      for (let guess = 0; guess < 4; guess += 1) {
        expect((await account.signIn(WRONG, '192.0.2.3')).statusCode).toBe(401);
      }
      expect((await account.signIn(OTHER_PASSWORD, '192.0.2.3')).statusCode).toBe(200);
    },
  );

  it('ADM-7 after the cost has risen, parallel sign-ins of one account all succeed', async () => {
    const earlier = app;
    app = await node({ SERVICE_AUTH_PASSWORD_BCRYPT_COST: '5' });
    try {
      for (const account of [await administrator(), await appUser()]) {
        const answers = await Promise.all(Array.from({ length: 4 }, () => account.signIn(PASSWORD)));
        expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
        expect((await account.signIn(PASSWORD)).statusCode).toBe(200);
      }
    } finally {
      await app.close();
      app = earlier;
    }
  });

  it('ADM-7 PWD-3 a rehash that the busy workers refuse leaves the sign-in with the right password as it is', async () => {
    const passwords = {
      verify: async () => true,
      isOutdated: () => true,
      hash: async (): Promise<string> => {
        throw new PasswordHashingBusyError();
      },
    };
    const account = { id: '1', username: 'ada', displayName: 'Ada', passwordHash: RIGHT, disabled: false };
    const neverChanges = (): never => {
      throw new Error('nothing changes');
    };
    const found = async () => account as never;
    const administrator = await checkSignIn(
      {
        administrators: { findByUsername: found, findById: found, replaceHash: neverChanges },
        passwords,
        runEvent: neverChanges,
      },
      { username: 'ada', password: PASSWORD },
      'a client',
    );
    expect(administrator).toEqual(account);
    const user = await checkAppPassword(
      {
        users: { findByMobile: found, findById: found, add: neverChanges, replaceHash: neverChanges },
        passwords,
        runEvent: neverChanges,
      },
      { mobile: '+8613900000000', password: PASSWORD },
      'a client',
    );
    expect(user).toEqual(account);
  });
});
