import { createMemoryStore } from '@sallyport/ttl-store';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoizeParser } from '../../src/sessions/parsed-records.js';
import { emptyRecord } from '../../src/sessions/session-state.js';
import { closeApps, createTestApp, storeClockOf, TestClock } from '../test-app.js';

afterEach(closeApps);

const session = { id: 'A'.repeat(24), issuedAt: 1, lastSeenAt: 1, expiresAt: 2, keyId: 'k' };
const textOf = (lastSeenAt: number) => JSON.stringify({ ...emptyRecord, live: [{ ...session, lastSeenAt }] });
const parse = () => vi.fn((text: string) => JSON.parse(text));

describe('parsed session records', () => {
  it('TOK-3 are parsed once for the same text, and again for every other', () => {
    const parser = parse();
    const { parse: parseOnce } = memoizeParser(parser);
    for (const at of [1, 1, 2, 1]) expect(parseOnce('u-1', textOf(at)).live[0]?.lastSeenAt).toBe(at);
    expect(parseOnce('u-2', textOf(1)).live).toHaveLength(1);
    expect(parser).toHaveBeenCalledTimes(4);
  });

  it('TOK-11 are not cached if the text is unreadable', () => {
    const parser = parse();
    const { parse: parseOnce } = memoizeParser(parser);
    for (let i = 0; i < 2; i += 1) expect(() => parseOnce('u-1', '{')).toThrow();
    expect(parser).toHaveBeenCalledTimes(2);
  });

  it('PRF-13 of a name are the last ones, and none after a text that is too long to keep', () => {
    const { parse: parseOnce, last } = memoizeParser(parse());
    expect(last('u-1')).toBeUndefined();
    parseOnce('u-1', textOf(1));
    parseOnce('u-1', textOf(2));
    expect(last('u-1')).toMatchObject({ text: textOf(2), record: { live: [{ lastSeenAt: 2 }] } });
    parseOnce('u-1', `${textOf(3)}${' '.repeat(8192)}`);
    expect(last('u-1')).toBeUndefined();
  });

  it('TOK-3 are frozen at every depth', () => {
    const record = memoizeParser(parse()).parse('u-1', textOf(1));
    expect([record, record.live, record.live[0], record.ended].map(Object.isFrozen)).toEqual([true, true, true, true]);
  });

  it('TOK-3 are bounded in number, and in the length of their texts', () => {
    const parser = parse();
    const { parse: parseOnce } = memoizeParser(parser);
    parseOnce('quiet', textOf(1));
    for (let i = 0; i < 5000; i += 1) parseOnce(`other-${i}`, textOf(1));
    parseOnce('quiet', textOf(1));
    expect(parser).toHaveBeenCalledTimes(5002);
    const long = JSON.stringify({ ...emptyRecord, live: [{ ...session, userAgent: 'a'.repeat(9000) }] });
    for (let i = 0; i < 2; i += 1) parseOnce('long', long);
    expect(parser).toHaveBeenCalledTimes(5004);
  });

  it('TOK-2 TOK-3 every request reads the store, and sees that another node ended the session', async () => {
    const store = createMemoryStore();
    const get = vi.fn(store.get);
    const other = await createTestApp({ store });
    const node = await createTestApp({ store: { ...store, get } }, {}, other.clock);
    const token = await other.signIn();
    for (let i = 0; i < 3; i += 1) expect(await node.code('/admin', token)).toBe('200');
    expect(get).toHaveBeenCalledTimes(3);
    const { sessionId } = await other.app.authTokens.check(token);
    await other.app.authTokens.revoke(sessionId);
    expect(await node.code('/admin', token)).toBe('401 SESSION_REVOKED');
    expect(get).toHaveBeenCalledTimes(4);
  });
});

describe('activity', () => {
  it('PRF-3 TOK-5 concurrent requests write it once', async () => {
    const memory = createMemoryStore();
    const compareAndSet = vi.fn(memory.compareAndSet);
    const { clock, code, signIn } = await createTestApp({ store: { ...memory, compareAndSet } });
    const token = await signIn();
    for (const seconds of [61, 120]) {
      clock.advance(seconds);
      compareAndSet.mockClear();
      const answers = await Promise.all(Array.from({ length: 20 }, () => code('/admin', token)));
      expect(new Set(answers)).toEqual(new Set(['200']));
      expect(compareAndSet).toHaveBeenCalledTimes(1);
    }
  });
});

describe('the hook authenticate', () => {
  it('TOK-2 lets nobody through, whatever value a function of the application throws', async () => {
    for (const thrown of [undefined, null, 0, '', false]) {
      const clock = new TestClock();
      let isBroken = false;
      function orThrow<Value>(value: Value): Value {
        if (isBroken) throw thrown;
        return value;
      }
      const lifetime = { idleSeconds: 60, absoluteSeconds: 60 };
      const broken = [
        await createTestApp({ clock: { ...storeClockOf(clock), read: () => orThrow(clock.now()) } }, {}, clock),
        await createTestApp({ lifetimes: () => orThrow({ admin: lifetime, app: lifetime }) }, {}, clock),
        await createTestApp({ lifetimes: async () => orThrow({ admin: lifetime, app: lifetime }) }, {}, clock),
      ];
      const tokens = await Promise.all(broken.map(({ signIn }) => signIn()));
      isBroken = true;
      const answers = await Promise.all(broken.map(({ get }, index) => get('/admin', tokens[index])));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503]);
    }
  });
});

describe('a session of an account that the node knows', () => {
  /** Two nodes, and the verbs with which one of them opens a session, apart from the list of sessions. */
  async function openNodes() {
    const store = createMemoryStore();
    const verbs: string[] = [];
    for (const verb of ['get', 'compareAndSet', 'changeAll'] as const) {
      const original = store[verb] as (...args: unknown[]) => unknown;
      Object.assign(store, {
        [verb]: (...args: unknown[]) => {
          verbs.push(verb);
          return original(...args);
        },
      });
    }
    const [here, there] = [await createTestApp({ store }), await createTestApp({ store })];
    const owner = { audience: 'admin', subject: 'u-1' };
    async function open({ app }: typeof here, more: object = {}) {
      verbs.length = 0;
      await app.authTokens.issue({ ...owner, ...more });
      return [...verbs];
    }
    const count = async () => (await here.app.authTokens.sessions(owner)).length;
    return { here, there, open, count };
  }

  it('PRF-13 is opened by one write, and by one more if another node has changed the record', async () => {
    const { here, there, open, count } = await openNodes();
    expect(await open(here)).toEqual(['get', 'compareAndSet']);
    expect(await open(here)).toEqual(['changeAll']);
    expect(await open(there)).toEqual(['get', 'compareAndSet']);
    expect(await open(here)).toEqual(['changeAll', 'compareAndSet']);
    expect(await open(here)).toEqual(['changeAll']);
    expect(await count()).toBe(5);
  });

  it('TOK-12 is opened after a read if that ends another session, which must not end in vain', async () => {
    const { here, open, count } = await openNodes();
    for (let session = 0; session < 20; session += 1) await open(here);
    expect(await open(here)).toEqual(['get', 'compareAndSet']);
    expect(await count()).toBe(20);
  });

  it('TOK-6 is not opened in a record from before the end of all sessions', async () => {
    const { here, there, open, count } = await openNodes();
    await open(here);
    await there.app.authTokens.revokeAll({ audience: 'admin', subject: 'u-1' });
    expect(await open(here)).toEqual(['changeAll', 'compareAndSet']);
    expect(await count()).toBe(1);
  });
});
