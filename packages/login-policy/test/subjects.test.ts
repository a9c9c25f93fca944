import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestEngine, type Guess, inTurn, outcome, RIGHT, recordCalls, tally, WRONG } from './guesses.js';

/** How many failures the account-wide counter of this name and terminal holds. */
async function failuresOf(
  engine: ReturnType<typeof createTestEngine>['engine'],
  { username = 'ada', terminal = 'web' }: Guess,
): Promise<number> {
  const { counters } = await engine.explain({ username, terminal });
  const [account] = counters.filter(({ counter }) => counter === 'account');
  return account?.state === 'counting' ? account.failures : Number.NaN;
}

describe('terminals', () => {
  it('LGN-4 LP-13 a terminal in any case is one counter, and any other text is refused with 400', async () => {
    const { engine } = createTestEngine();
    const texts = ['web', 'WEB', 'Web', 'wEb', 'weB'];
    expect(tally(await inTurn(engine, 5, (n) => ({ terminal: texts[n]! })))).toEqual({ failed: 5 });
    for (const terminal of texts) expect(await outcome(engine, { terminal }, RIGHT)).toBe('LOGIN_LOCKED');
    const others = ['Web ', ' web', 'x1', 'x2', '', 'app', 'web:x', 'web\0', 'constructor', 'w'.repeat(1_000_000)];
    for (const terminal of others) expect(await outcome(engine, { terminal }, RIGHT)).toBe('LOGIN_TERMINAL_REFUSED');
  });

  it('LGN-4 LP-13 a refused terminal opens no counter and verifies nothing', async () => {
    const { engine, store } = createTestEngine();
    const verify = () => Promise.reject(new Error('verified'));
    for (const name of Object.keys(store)) Object.assign(store, { [name]: () => Promise.reject(new Error('asked')) });
    for (const terminal of [undefined, null, 1, {}, ['web'], 'x1']) {
      expect(await outcome(engine, { terminal: (terminal ?? 'x') as string }, verify)).toBe('LOGIN_TERMINAL_REFUSED');
    }
  });
});

describe('names', () => {
  it('LGN-4 are normalised: NFKC, trimmed, lower case', async () => {
    const { engine } = createTestEngine();
    const spellings = ['zoë', 'ZOË', ' zoë\t', 'zoe\u0308', 'Ｚoë'];
    expect(tally(await inTurn(engine, 5, (n) => ({ username: spellings[n]! })))).toEqual({ failed: 5 });
    for (const username of spellings) expect(await outcome(engine, { username }, RIGHT)).toBe('LOGIN_LOCKED');
  });

  it('LGN-4 every Unicode spelling of a name shares its counter', async () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 12 })
      .map((text) => text.replaceAll(/\p{Cc}/gu, ''))
      .filter((text) => text.normalize('NFKC').trim() !== '');
    await fc.assert(
      fc.asyncProperty(name, async (username) => {
        const { engine } = createTestEngine();
        await outcome(engine, { username });
        for (const spelling of [` ${username} `, username.normalize('NFD'), username.normalize('NFKC')]) {
          expect(await failuresOf(engine, { username: spelling })).toBe(1);
        }
      }),
    );
  });

  it('LP-54 no two accounts share a counter: ("a:web", "x") is not ("a", "web:x")', async () => {
    const { engine } = createTestEngine({ terminals: ['web', 'x', 'web:x', 'x","y', ':', '::'] });
    const texts = ['a', 'a:web', 'a:', ':', 'a","web', 'a\\', 'a\\","', '*', '["a"]', '{"$ne":1}', "a' or 1=1--"];
    const terminals = ['web', 'x', 'web:x', 'x","y', ':', '::'];
    const pairs = texts.flatMap((username) => terminals.map((terminal) => ({ username, terminal })));
    for (const pair of pairs) {
      expect(await failuresOf(engine, pair)).toBe(0);
      await outcome(engine, { ...pair, clientIp: `198.51.100.${pairs.indexOf(pair)}` });
      expect(await failuresOf(engine, pair)).toBe(1);
    }
  });

  it.each([
    ['an object', { $ne: 1 }],
    ['a list', ['ada']],
    ['a number', 1],
    ['nothing', null],
    ['empty', ''],
    ['blank', ' \t\u3000'],
    ['1 MB', 'a'.repeat(1_000_000)],
    ['a NUL', 'a\0da'],
    ['a line break', 'ada\nbob'],
    ['a lone surrogate', 'ada\ud800'],
  ])('LP-54 a name that is %s is refused with 400, and nothing is verified', async (_what, username) => {
    const { engine } = createTestEngine();
    const verify = () => Promise.reject(new Error('verified'));
    const attempt = engine.attempt({ username: username as string, terminal: 'web', clientIp: '192.0.2.7' }, verify);
    await expect(attempt).rejects.toMatchObject({ code: 'LOGIN_NAME_REFUSED', statusCode: 400 });
  });

  it('LP-54 keys in the store have one length, and contain neither names nor addresses', async () => {
    const { engine, store } = createTestEngine();
    const calls = recordCalls(store);
    await outcome(engine, { username: 'correct horse battery staple' }, WRONG);
    await outcome(engine, { username: '*' }, WRONG);
    const keys = [...new Set(calls.flatMap(({ key }) => key.split(' ')))];
    expect(keys).toHaveLength(2 * (2 + 2 + 1) + 2);
    for (const key of keys) {
      expect(key).toMatch(/^login-policy:(?:(?:subject|account|ip):[\w-]{43}(?::[\da-f-]{36})?|generation:[\w-]{43})$/);
    }
  });
});
