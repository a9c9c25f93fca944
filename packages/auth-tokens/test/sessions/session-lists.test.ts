import { createMemoryStore, type StoreLists, type TtlStore } from '@sallyport/ttl-store';
import { afterEach, describe, expect, it } from 'vitest';
import type { SessionQuery } from '../../src/index.js';
import { closeApps, createTestApp, type TestApp, TestClock } from '../test-app.js';

afterEach(closeApps);

const MINUTE = 60_000;

/** `audience:subject` of the sessions that are found, in pages of this size. */
async function found({ app }: TestApp, query: SessionQuery = {}, limit = 2): Promise<string[]> {
  const names: string[] = [];
  let after: string | null = null;
  do {
    const page = await app.authTokens.findSessions({ ...query, after, limit });
    expect(page.sessions.length).toBeLessThanOrEqual(limit);
    names.push(...page.sessions.map(({ audience, subject }) => `${audience}:${subject}`));
    after = page.next;
  } while (after !== null);
  return names;
}

/** A store whose lists are these, with the calls that a test changes. */
function storeWith(clock: TestClock, change: (lists: StoreLists, store: TtlStore) => Partial<TtlStore>): TtlStore {
  const store = createMemoryStore({ now: clock.now });
  return { ...store, ...change(store.lists as StoreLists, store) };
}

async function open(test: TestApp, subject: string, audience = 'admin', clientIp?: string) {
  test.clock.advance(1);
  return test.app.authTokens.issue({ subject, audience, ...(clientIp !== undefined && { clientIp }) });
}

describe('sessions of all subjects', () => {
  it('API-4 finds them page by page, the newest first, by audience, owner and address', async () => {
    const test = await createTestApp();
    await open(test, 'u-1', 'admin', '203.0.113.7');
    await open(test, 'u-2', 'app', '203.0.113.7');
    await open(test, 'u-3', 'admin', '2001:db8::1');
    await open(test, 'u-1', 'app');
    await open(test, 'u-1', 'admin');
    for (const limit of [1, 2, 5, 200]) {
      expect(await found(test, {}, limit)).toEqual(['admin:u-1', 'app:u-1', 'admin:u-3', 'app:u-2', 'admin:u-1']);
    }
    expect(await found(test, { audience: 'app' }, 1)).toEqual(['app:u-1', 'app:u-2']);
    expect(await found(test, { clientIp: '203.0.113.7' }, 1)).toEqual(['app:u-2', 'admin:u-1']);
    expect(await found(test, { clientIp: '203.0.113.7', audience: 'admin' })).toEqual(['admin:u-1']);
    expect(await found(test, { owners: [{ audience: 'admin', subject: 'u-1' }] }, 1)).toEqual([
      'admin:u-1',
      'admin:u-1',
    ]);
    const both = ['admin', 'app'].map((audience) => ({ audience, subject: 'u-1' }));
    expect(await found(test, { owners: both }, 2)).toEqual(['admin:u-1', 'app:u-1', 'admin:u-1']);
    expect(await found(test, { owners: both, audience: 'app' })).toEqual(['app:u-1']);
    expect(await found(test, { owners: both, clientIp: '203.0.113.7' })).toEqual(['admin:u-1']);
    expect(await found(test, { owners: [] })).toEqual([]);
    expect(await found(test, { clientIp: '198.51.100.9' })).toEqual([]);
  });

  it('API-4 those of one audience are found among any number of another one from the same address', async () => {
    const test = await createTestApp();
    await open(test, 'u-0', 'admin', '203.0.113.7');
    for (let index = 0; index < 30; index += 1) await open(test, `u-${index}`, 'app', '203.0.113.7');
    const query = { clientIp: '203.0.113.7', audience: 'admin', limit: 1 };
    expect((await test.app.authTokens.findSessions(query)).sessions).toMatchObject([{ subject: 'u-0' }]);
  });

  it('API-4 shows what sessions of one subject show, and no key of a token', async () => {
    const test = await createTestApp();
    await test.app.authTokens.issue({ subject: 'u-1', audience: 'admin', terminal: 'web', clientIp: '203.0.113.7' });
    const { sessions } = await test.app.authTokens.findSessions();
    expect(sessions).toEqual(await test.app.authTokens.sessions({ subject: 'u-1', audience: 'admin' }));
    expect(JSON.stringify(sessions)).not.toContain('keyId');
  });

  it('API-4 pages do not shift while sessions begin and end', async () => {
    const test = await createTestApp();
    for (const subject of ['u-1', 'u-2', 'u-3', 'u-4']) await open(test, subject);
    const { sessions, next } = await test.app.authTokens.findSessions({ limit: 2 });
    await open(test, 'u-5');
    await test.app.authTokens.revoke(sessions[1]!.sessionId);
    expect((await test.app.authTokens.findSessions({ after: next, limit: 2 })).sessions).toMatchObject([
      { subject: 'u-2' },
      { subject: 'u-1' },
    ]);
  });

  it('API-4 an ended, a superseded and an expired session vanishes', async () => {
    const test = await createTestApp({ maxSessionsPerSubject: 1 });
    const store = test.store.lists as StoreLists;
    const { sessionId } = await open(test, 'u-1', 'admin', '203.0.113.7');
    await open(test, 'u-2', 'admin', '203.0.113.7');
    await open(test, 'u-2');
    await open(test, 'u-3', 'app');
    await test.app.authTokens.revoke(sessionId);
    expect(await found(test)).toEqual(['app:u-3', 'admin:u-2']);
    expect((await store.read('auth-tokens:sessions-from:admin:203.0.113.7', null, 10)).items).toEqual([]);
    await test.app.authTokens.revokeAll({ audience: 'app', subject: 'u-3' });
    expect((await store.read('auth-tokens:sessions:app', null, 10)).items).toEqual([]);
    test.clock.advance(30 * 60);
    expect(await found(test)).toEqual([]);
    test.clock.advance(12 * 3600);
    expect((await store.read('auth-tokens:sessions:admin', null, 10)).items).toEqual([]);
  });

  it('API-4 a session that was listed and never recorded is not shown, and forgotten after a minute', async () => {
    const clock = new TestClock();
    let isCrashing = true;
    const store = storeWith(clock, (_lists, { compareAndSet }) => ({
      compareAndSet: async (...call) => {
        if (isCrashing) throw new Error('crashed between the two writes');
        return compareAndSet(...call);
      },
    }));
    const test = await createTestApp({ store }, {}, clock);
    await expect(open(test, 'u-1')).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
    isCrashing = false;
    const items = async () => (await store.lists!.read('auth-tokens:sessions:admin', null, 10)).items.length;
    expect([await found(test), await items()]).toEqual([[], 1]);
    clock.advance(61);
    expect([await found(test), await items()]).toEqual([[], 0]);
  });

  it('API-4 a session whose end was recorded and not listed is not shown', async () => {
    const clock = new TestClock();
    const store = storeWith(clock, (lists) => ({
      lists: { ...lists, remove: () => Promise.reject(new Error('crashed between the two writes')) },
    }));
    const test = await createTestApp({ store }, {}, clock);
    const { sessionId } = await open(test, 'u-1');
    expect(await test.app.authTokens.revoke(sessionId)).toBe(true);
    expect(await found(test)).toEqual([]);
  });

  it('API-4 a session that no list has, such as one of an earlier release, is listed with its next activity', async () => {
    const clock = new TestClock();
    const memory = createMemoryStore({ now: clock.now });
    const { lists: _none, ...without } = memory;
    const earlier = await createTestApp({ store: without }, {}, clock);
    const token = await earlier.signIn('u-1');
    await expect(earlier.app.authTokens.findSessions()).rejects.toThrow(/no lists/);
    const test = await createTestApp({ store: memory }, {}, clock);
    expect(await found(test)).toEqual([]);
    clock.advance(MINUTE / 1000);
    expect(await test.code('/admin', token)).toBe('200');
    expect(await found(test)).toEqual(['admin:u-1']);
  });

  it('API-4 a sign-in needs its item, and activity does not', async () => {
    const clock = new TestClock();
    let isFull = false;
    const store = storeWith(clock, (lists) => ({
      lists: { ...lists, put: (...call) => (isFull ? Promise.reject(new Error('full')) : lists.put(...call)) },
    }));
    const test = await createTestApp({ store }, {}, clock);
    const token = await test.signIn();
    isFull = true;
    await expect(open(test, 'u-2')).rejects.toMatchObject({ statusCode: 503 });
    clock.advance(MINUTE / 1000);
    expect(await test.code('/admin', token)).toBe('200');
  });

  it('API-4 PRF-13 a sign-in that is not listed leaves no session, and ends none of the others', async () => {
    const clock = new TestClock();
    let isFull = false;
    const store = storeWith(clock, (lists) => ({
      lists: { ...lists, put: (...call) => (isFull ? Promise.reject(new Error('full')) : lists.put(...call)) },
    }));
    const test = await createTestApp({ store, maxSessionsPerSubject: 2 }, {}, clock);
    const sessions = () => test.app.authTokens.sessions({ audience: 'admin', subject: 'u-1' });
    await open(test, 'u-1');
    isFull = true;
    await expect(open(test, 'u-1')).rejects.toMatchObject({ statusCode: 503 });
    expect(await sessions()).toHaveLength(1);
    isFull = false;
    const { sessionId } = await open(test, 'u-1');
    const two = await sessions();
    isFull = true;
    await expect(open(test, 'u-1')).rejects.toMatchObject({ statusCode: 503 });
    expect(await sessions()).toEqual(two);
    expect(await test.app.authTokens.isLive(sessionId)).toBe(true);
  });

  it('API-4 after any number of sign-ins and endings at once, the lists have the live sessions', async () => {
    const test = await createTestApp({ maxSessionsPerSubject: 3 });
    const subjects = Array.from({ length: 10 }, (_, index) => `u-${index % 4}`);
    const opened = await Promise.all(subjects.map((subject) => open(test, subject)));
    await Promise.all([
      ...opened.slice(0, 5).map(({ sessionId }) => test.app.authTokens.revoke(sessionId)),
      test.app.authTokens.revokeAll({ audience: 'admin', subject: 'u-1' }),
      ...subjects.map((subject) => open(test, subject)),
    ]);
    const live = await Promise.all(
      [0, 1, 2, 3].map((index) => test.app.authTokens.sessions({ audience: 'admin', subject: `u-${index}` })),
    );
    const { sessions } = await test.app.authTokens.findSessions({ limit: 200 });
    const ids = (list: readonly { readonly sessionId: string }[]) => list.map(({ sessionId }) => sessionId).sort();
    expect(ids(sessions)).toEqual(ids(live.flat()));
    expect((await test.store.lists!.read('auth-tokens:sessions:admin', null, 200)).items).toHaveLength(sessions.length);
  });

  it('API-4 takes a key prefix of any text', async () => {
    const test = await createTestApp({ keyPrefix: '会话:'.repeat(10) });
    await open(test, 'u-1', 'admin', 'ünknown');
    expect(await found(test)).toEqual(['admin:u-1']);
  });

  it('API-4 refuses a query that it would misread', async () => {
    const { app } = await createTestApp();
    const owner = { audience: 'admin', subject: 'u-1' };
    const wrong: SessionQuery[] = [
      ...[{ limit: 0 }, { limit: 201 }, { audience: 'other' }],
      ...[{ owners: [{ ...owner, audience: 'other' }] }, { owners: Array.from({ length: 101 }, () => owner) }],
    ];
    for (const query of wrong) await expect(app.authTokens.findSessions(query)).rejects.toThrow(TypeError);
  });
});
