import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { appSignIn, freshMobile, newAppUser } from '../../support/app-accounts.js';
import { credentials, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const WRONG = 'f'.repeat(64);

interface Lock {
  readonly username: string | null;
  readonly clientIp: string;
}

describe('GET /admin/login-policy/locks', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  const list = async (query = '') => (await admin.call('GET', `/admin/login-policy/locks${query}`)).json();
  const locks = async (query = ''): Promise<Lock[]> => (await list(query)).data;
  const of = async (username: string) => (await locks()).filter((lock) => lock.username === username);
  const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 5000, interval: 10 });

  async function lock(username: string, remoteAddress: string, terminal = credentials.terminal): Promise<void> {
    for (let i = 0; i < 8; i += 1) {
      await signIn(app, { username, password: WRONG, terminal }, { remoteAddress });
    }
  }

  it('API-5: it lists who is locked now, and no longer once the lock was cleared', async () => {
    const owner = await actor(app, admin, []);
    expect(await of(owner.username)).toEqual([]);
    await lock(owner.username, '203.0.113.7');
    await until(async () =>
      expect(await of(owner.username)).toEqual([
        {
          audience: 'admin',
          username: owner.username,
          terminal: 'web',
          clientIp: '203.0.113.7',
          scope: 'subject',
          lockedUntil: expect.any(Number),
        },
      ]),
    );
    expect(await locks('?terminal=WEB')).toContainEqual(expect.objectContaining({ username: owner.username }));
    expect(await locks('?terminal=app')).toEqual([]);
    const cleared = await admin.call('POST', '/admin/auth/clearLoginLimit', { username: owner.username });
    expect(cleared.statusCode).toBe(200);
    expect(await of(owner.username)).toEqual([]);
  });

  it('API-5: a name that no account has is not listed, since it may be a password', async () => {
    const [secret, owner] = [`hunter2-${randomUUID()}`, await actor(app, admin, [])];
    await lock(secret, '203.0.113.8');
    await lock(owner.username, '203.0.113.8');
    await until(async () => expect(await of(owner.username)).toHaveLength(1));
    expect(JSON.stringify(await list())).not.toContain('hunter2');
  });

  it('API-5: numbers of app users are masked', async () => {
    const mobile = freshMobile();
    await newAppUser(app, mobile);
    for (let i = 0; i < 8; i += 1) {
      await appSignIn(app, { mobile, password: WRONG, terminal: 'app' }, { remoteAddress: '203.0.113.9' });
    }
    await until(async () =>
      expect(await locks('?terminal=app')).toContainEqual(
        expect.objectContaining({ username: `${mobile.slice(0, 5)}****${mobile.slice(-2)}`, clientIp: '203.0.113.9' }),
      ),
    );
    expect(JSON.stringify(await list())).not.toContain(mobile.slice(5, -2));
  });

  it('API-5: its pages are complete, and it needs the permission', async () => {
    const owners = [await actor(app, admin, []), await actor(app, admin, [])];
    for (const { username } of owners) await lock(username, '203.0.113.10');
    await until(async () => {
      for (const { username } of owners) expect(await of(username)).toHaveLength(1);
    });
    const found: Lock[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const { data, page } = await list(`?size=1${after && `&after=${encodeURIComponent(after)}`}`);
      found.push(...data);
      after = page.next;
    }
    expect(found).toEqual(await locks());
    expect((await list(`?after=${encodeURIComponent('\u00e9')}`)).code).toBe('VALIDATION_FAILED');
    expect((await owners[0]!.call('GET', '/admin/login-policy/locks')).statusCode).toBe(403);
  });
});
