import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RateLimitedError } from '../../src/http/errors.js';
import { createTurns } from '../../src/storage/change-turns.js';

const LIMITS = { maxRunning: 3, maxRunningOfOwner: 2, maxWaitingOfOwner: 3 };

/** Works that say when they began, and end when they are told to. */
function openTurns() {
  const turns = createTurns(LIMITS);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  function take(name: string, owner: string | null = name.slice(0, 1), signal = new AbortController().signal) {
    return turns.take(owner, signal, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  }
  async function end(name: string) {
    ends.get(name)!();
    await nextTurn();
    return begun.splice(0);
  }
  return { take, end, begun: () => begun.splice(0) };
}

describe('the turns of changes', () => {
  it('TOK-13 one owner leaves a place to others, and the owners that wait have theirs in turn', async () => {
    const { take, end, begun } = openTurns();
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => take(name));
    expect(begun()).toEqual(['a1', 'a2', 'b1']);
    expect(await end('b1')).toEqual(['b2']);
    expect(await end('a1')).toEqual(['a3']);
    expect(await end('a2')).toEqual(['c1']);
    expect(await end('b2')).toEqual(['a4']);
    for (const name of ['a3', 'a4', 'c1']) await end(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
  });

  it('TOK-13 what nobody owns is bounded only with all others', async () => {
    const { take, end, begun } = openTurns();
    for (const name of ['1', '2', '3', '4', '5', '6', '7', '8', '9']) void take(name, null);
    expect(begun()).toEqual(['1', '2', '3']);
    expect(await end('2')).toEqual(['4']);
  });

  it('TOK-13 refuses what would wait for too long with 429, and leaves the others alone', async () => {
    const { take, end, begun } = openTurns();
    const taken = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => take(name));
    await expect(take('a6')).rejects.toThrow(RateLimitedError);
    void take('b1');
    expect(begun()).toEqual(['a1', 'a2', 'b1']);
    expect(await end('a1')).toEqual(['a3']);
    await expect(taken[0]).resolves.toBe('a1');
    void take('a6');
    expect(await end('a2')).toEqual(['a4']);
    expect(await end('a3')).toEqual(['a5']);
    expect(await end('a4')).toEqual(['a6']);
  });

  it('TOK-13 does not begin what was given up, and keeps the turn of what runs on', async () => {
    const { take, end, begun } = openTurns();
    const givenUp = new AbortController();
    const running = [take('a1', 'a', givenUp.signal), take('a2')];
    const waiting = take('a3', 'a', givenUp.signal);
    void take('a4');
    givenUp.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
    await expect(take('a5', 'a', givenUp.signal)).rejects.toThrow('given up');
    expect(begun()).toEqual(['a1', 'a2']);
    expect(await end('a1')).toEqual(['a4']);
    await expect(running[0]).resolves.toBe('a1');
  });

  it('TOK-13 a work that fails gives its turn to the next one', async () => {
    const turns = createTurns({ ...LIMITS, maxRunning: 1 });
    const { signal } = new AbortController();
    const fails = turns.take('a', signal, () => Promise.reject(new Error('failed')));
    const next = turns.take('b', signal, async () => 'next');
    await expect(fails).rejects.toThrow('failed');
    await expect(next).resolves.toBe('next');
  });
});
