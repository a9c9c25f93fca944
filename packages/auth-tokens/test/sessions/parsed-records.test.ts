import { createMemoryStore } from '@sallyport/ttl-store';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { rememberParsed } from '../../src/sessions/parsed-records.js';
import { emptyRecord } from '../../src/sessions/session-record.js';
import { closeApps, createTestApp } from '../test-app.js';

afterEach(closeApps);

const session = { id: 'A'.repeat(24), issuedAt: 1, lastSeenAt: 1, expiresAt: 2, keyId: 'k' };
const textOf = (lastSeenAt: number) => JSON.stringify({ ...emptyRecord, live: [{ ...session, lastSeenAt }] });
const parse = () => vi.fn((text: string) => JSON.parse(text));

describe('records of sessions that were parsed', () => {
  it('TOK-3 are parsed once for the same text, and anew for every other', () => {
    const parser = parse();
    const remembered = rememberParsed(parser);
    for (const at of [1, 1, 2, 1]) expect(remembered('u-1', textOf(at)).live[0]?.lastSeenAt).toBe(at);
    expect(remembered('u-2', textOf(1)).live).toHaveLength(1);
    expect(parser).toHaveBeenCalledTimes(4);
  });

  it('TOK-11 what cannot be read is never remembered', () => {
    const parser = parse();
    const remembered = rememberParsed(parser);
    for (let i = 0; i < 2; i += 1) expect(() => remembered('u-1', '{')).toThrow();
    expect(parser).toHaveBeenCalledTimes(2);
  });

  it('TOK-3 nobody can change what others will read, at any depth', () => {
    const record = rememberParsed(parse())('u-1', textOf(1));
    expect([record, record.live, record.live[0], record.ended].map(Object.isFrozen)).toEqual([true, true, true, true]);
  });

  it('TOK-3 memory is bounded: in number, and by no long text', () => {
    const parser = parse();
    const remembered = rememberParsed(parser);
    remembered('quiet', textOf(1));
    for (let i = 0; i < 5000; i += 1) remembered(`other-${i}`, textOf(1));
    remembered('quiet', textOf(1));
    expect(parser).toHaveBeenCalledTimes(5002);
    const long = JSON.stringify({ ...emptyRecord, live: [{ ...session, userAgent: 'a'.repeat(9000) }] });
    for (let i = 0; i < 2; i += 1) remembered('long', long);
    expect(parser).toHaveBeenCalledTimes(5004);
  });

  it('TOK-2 TOK-3 the store is asked at every request, and a session that another node ended is refused at the next', async () => {
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
  it('PRF-3 TOK-5 of requests that come together one writes it', async () => {
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

describe('a hook that waits for others', () => {
  it('TOK-2 lets nobody through whatever an application throws meanwhile', async () => {
    for (const thrown of [undefined, null, 0, '', false]) {
      const { get, signIn } = await createTestApp({
        onVerified: () => {
          throw thrown;
        },
      });
      expect((await get('/admin', await signIn())).statusCode).toBe(500);
    }
  });
});
