import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLosingStore, type LosingStore } from '../../../../scripts/losing-store.js';
import {
  type AuthTokensOptions,
  isEndedByAll,
  type OwnerEnd,
  type Principal,
  type SessionEnd,
  type SessionEnds,
} from '../../src/index.js';
import { closeApps, createTestApp, TestClock } from '../test-app.js';

const owner = { audience: 'admin', subject: 'u-1' };

/** A store of ends that nodes share. */
const createEnds = (now: () => number): TtlStore => ({ ...createMemoryStore({ now }), lifetime: 'shared' });

async function openNode(more: Partial<AuthTokensOptions> = {}) {
  const clock = new TestClock();
  const losing = createLosingStore(clock.now);
  const node = await createTestApp({ store: losing.store, ends: createEnds(clock.now), ...more }, {}, clock);
  const tokens = node.app.authTokens;
  const principalOf = async (token: string): Promise<Principal> => (await node.get('/any', token)).json().principal;
  /** Time in which the node looks at the mark of the store. */
  async function pass(seconds: number): Promise<void> {
    clock.advance(seconds);
    await vi.advanceTimersByTimeAsync(seconds * 1000);
  }
  return { ...node, clock, losing, tokens, principalOf, pass };
}

/** Loses what was written since `copy`, in a running store. */
async function restore({ losing, pass }: Awaited<ReturnType<typeof openNode>>, copy: ReturnType<LosingStore['copy']>) {
  await pass(2);
  losing.become(copy, false);
  await pass(2);
}

/** Ends that belong to a change which is not committed. */
const uncommitted: SessionEnds = { write: async () => {} };

describe('an end of sessions that the store does not show', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(async () => {
    await closeApps();
    vi.useRealTimers();
  });

  it('TOK-15 holds after a flush, when the older snapshot returns', async () => {
    const opened = await openNode();
    const { losing, tokens, signIn, code, principalOf, pass } = opened;
    const [all, one] = [await signIn('u-1'), await signIn('u-2')];
    const { sessionId } = await principalOf(one);
    await pass(2);
    const copy = losing.copy();
    await pass(2);
    losing.become(losing.nothing, false);
    expect([await tokens.revokeAll(owner, 'ACCOUNT_DISABLED'), await tokens.revoke(sessionId)]).toEqual([0, false]);
    await restore(opened, copy);
    expect(await code('/any', all)).toBe('401 ACCOUNT_DISABLED');
    expect(await code('/any', one)).toBe('401 SESSION_REVOKED');
  });

  it('TOK-15 holds where an earlier end was not committed, and was repeated', async () => {
    const opened = await openNode();
    const { losing, tokens, signIn, code, pass } = opened;
    const token = await signIn();
    await pass(2);
    const copy = losing.copy();
    expect(await tokens.revokeAll(owner, 'PASSWORD_CHANGED', uncommitted)).toBe(1);
    expect(await tokens.revokeAll(owner, 'PASSWORD_CHANGED')).toBe(0);
    await restore(opened, copy);
    expect(await code('/any', token)).toBe('401 PASSWORD_CHANGED');
  });

  it('TOK-15 TOK-6 lets a sign-in of the same moment live, before and after a loss', async () => {
    const opened = await openNode();
    const { losing, tokens, signIn, code, pass, principalOf } = opened;
    losing.become(losing.nothing, false);
    await tokens.revokeAll(owner);
    await tokens.revokeAll(owner);
    const token = await signIn();
    expect(await code('/any', token)).toBe('200');
    await pass(2);
    const copy = losing.copy();
    await restore(opened, copy);
    expect(await code('/any', token)).toBe('200');
    // Whose end came later, the record of that copy does not know.
    await tokens.revoke((await principalOf(token)).sessionId);
    await restore(opened, copy);
    expect(await code('/any', token)).toBe('401 SESSION_REVOKED');
  });

  it('TOK-13 TOK-15 is told to a change by what was known of its session', async () => {
    const written: (readonly [readonly SessionEnd[], OwnerEnd | undefined])[] = [];
    const write: SessionEnds['write'] = async (_owner, ends, all) => void written.push([ends, all]);
    const { app, losing, tokens } = await openNode({ ends: { write } });
    const before = await tokens.check((await tokens.issue(owner)).token);
    losing.become(losing.nothing, false);
    await tokens.revokeAll(owner);
    const after = await tokens.check((await tokens.issue(owner)).token);
    const [[ends, all]] = written as [(typeof written)[number]];
    expect([ends, isEndedByAll(before, all!), isEndedByAll(after, all!)]).toEqual([[], true, false]);
    // Whether its proof still counts, as where a body follows its head, or not.
    for (const method of [null, 'factor']) {
      const issued = await tokens.issue({ ...owner, proof: { method: 'factor' } });
      const request = { principal: await tokens.check(issued.token), raw: {}, routeOptions: {}, is404: true };
      await tokens.prove(issued.sessionId, method);
      await tokens.confirm(request as never);
      expect([request.principal.proof?.method ?? null, isEndedByAll(request.principal, all!)]).toEqual([method, false]);
    }
    // Of a copy nothing is known.
    expect(isEndedByAll({ ...after }, all!)).toBe(true);
    await app.close();
  });

  it('TOK-15 is written until the last token expires, though lifetimes are not known', async () => {
    const written: number[] = [];
    let isAway = false;
    const { clock, tokens, losing } = await openNode({
      ends: {
        write: async (_owner, ends, all) => void written.push(...ends.map((end) => end.expiresAt), all!.expiresAt),
      },
      lifetimes() {
        if (isAway) throw new Error('away');
        return { admin: { idleSeconds: 60, absoluteSeconds: 600 }, app: { idleSeconds: 60, absoluteSeconds: 600 } };
      },
    });
    await tokens.issue(owner);
    const now = clock.now();
    await tokens.revokeAll(owner);
    losing.become(losing.nothing, false);
    isAway = true;
    await tokens.revokeAll(owner);
    expect(written.map((expiresAt) => (expiresAt - now) / 1000)).toEqual([600, 600, 365 * 24 * 3600]);
  });

  it('TOK-11 TOK-15 fails where it can not be written, with 503', async () => {
    const ends = { write: () => Promise.reject(new Error('away')) };
    const { tokens, signIn, principalOf, losing } = await openNode({ ends });
    const { sessionId } = await principalOf(await signIn());
    losing.become(losing.nothing, false);
    const refusal = { code: 'SESSION_STORE_UNAVAILABLE' };
    await expect(tokens.revoke(sessionId)).rejects.toMatchObject(refusal);
    await expect(tokens.revokeAll(owner)).rejects.toMatchObject(refusal);
  });

  it('TOK-15 TOK-7 holds for the session that a further sign-in ended', async () => {
    const opened = await openNode({ maxSessionsPerSubject: 1 });
    const { losing, signIn, code, pass } = opened;
    const token = await signIn();
    await pass(2);
    const copy = losing.copy();
    await signIn();
    await restore(opened, copy);
    expect(await code('/any', token)).toBe('401 SESSION_SUPERSEDED');
  });

  it('TOK-15 of two ends at the same time the later one stays, and a store without compareAndSet does', async () => {
    const { compareAndSet: _none, ...plain } = createEnds(new TestClock().now);
    for (const ends of [createEnds(new TestClock().now), plain]) {
      const opened = await openNode({ ends });
      const { losing, tokens, signIn, code, pass } = opened;
      await tokens.revokeAll(owner);
      const token = await signIn();
      await pass(2);
      const copy = losing.copy();
      losing.become(losing.nothing, false);
      await Promise.all([tokens.revokeAll(owner, 'PASSWORD_CHANGED'), tokens.revokeAll(owner, 'PASSWORD_CHANGED')]);
      await restore(opened, copy);
      expect(await code('/any', token)).toBe('401 PASSWORD_CHANGED');
    }
  });

  it('TOK-15 the start says that an object with find lacks findAll', async () => {
    const lines: string[] = [];
    const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } };
    const clock = new TestClock();
    const { store } = createLosingStore(clock.now);
    const find = async (): Promise<[]> => [];
    await createTestApp({ store, ends: { ...uncommitted, find, findAll: async () => null } }, { logger }, clock);
    expect(lines).toEqual([]);
    await createTestApp({ store, ends: { ...uncommitted, find } }, { logger }, clock);
    expect(lines.join('')).toContain('Give it findAll');
  });
});
