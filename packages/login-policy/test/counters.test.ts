import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTestEngine, inTurn, outcome, RIGHT, tally } from './guesses.js';

const vectorFile = new URL('../../client-ip/test/vectors/ip_counter_keys.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(vectorFile, 'utf8')) as {
  vectors: { name: string; group: string[]; rule: string }[];
};

/** The n-th of a million addresses, each in its own network. */
const address = (n: number) => `2001:db8:${(n >> 8).toString(16)}:${(n & 0xff).toString(16)}::1`;

describe('the counter of name, terminal and address', () => {
  it('LGN-6 LP-03 with include-ip another address is not locked', async () => {
    const { engine } = createTestEngine();
    await inTurn(engine, 5, { clientIp: '192.0.2.7' });
    expect(await outcome(engine, { clientIp: '192.0.2.7' }, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { clientIp: '192.0.2.8' }, RIGHT)).toBe('in');
  });

  it('LGN-6 LP-03 without include-ip all addresses are locked', async () => {
    const { engine } = createTestEngine({ policy: { failureIncludeIpEnabled: false } });
    expect(tally(await inTurn(engine, 6, (n) => ({ clientIp: address(n) })))).toEqual({ failed: 5, LOGIN_LOCKED: 1 });
    expect(await outcome(engine, { clientIp: '198.51.100.1' }, RIGHT)).toBe('LOGIN_LOCKED');
  });

  it('LGN-6 another name and another terminal are not locked', async () => {
    const { engine } = createTestEngine({ terminals: ['web', 'kiosk'] });
    await inTurn(engine, 5);
    expect(await outcome(engine, { username: 'bob' }, RIGHT)).toBe('in');
    expect(await outcome(engine, { terminal: 'kiosk' }, RIGHT)).toBe('in');
  });

  it.each(vectors)('LP-08 $name: $group', async ({ group, rule }) => {
    const { engine } = createTestEngine({ policy: { failureCount: group.length } });
    await inTurn(engine, group.length, (n) => ({ clientIp: group[n]! }));
    const next = await outcome(engine, { clientIp: group[0]! }, RIGHT);
    expect(next).toBe(rule === 'different-key' ? 'in' : 'LOGIN_LOCKED');
  });

  it('LP-08 every spelling of an IPv4 address is one counter, and translated IPv4 addresses are many', async () => {
    const { engine } = createTestEngine({ policy: { failureCount: 3 } });
    const spellings = ['1.2.3.4', '::ffff:1.2.3.4', '::ffff:0102:0304'];
    await inTurn(engine, 3, (n) => ({ clientIp: spellings[n]! }));
    for (const clientIp of spellings) expect(await outcome(engine, { clientIp }, RIGHT)).toBe('LOGIN_LOCKED');
    await inTurn(engine, 3, { clientIp: '64:ff9b::192.0.2.1' });
    expect(await outcome(engine, { clientIp: '64:ff9b::192.0.2.1' }, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { clientIp: '64:ff9b::192.0.2.2' }, RIGHT)).toBe('in');
  });

  it.each(['', 'localhost', '010.0.0.1', '1.2.3.4:80', 'fe80::1%eth0', '1.2.3', undefined, null, 7])(
    'LGN-6 a clientIp of %o is an error of the caller, and nobody is let in',
    async (clientIp) => {
      const { engine } = createTestEngine();
      const attempt = engine.attempt({ username: 'ada', terminal: 'web', clientIp: clientIp as string }, RIGHT);
      await expect(attempt).rejects.toThrow(/clientIp must be an IP address/);
    },
  );
});

describe('the account-wide counter', () => {
  it('LGN-6 LP-12 1000 guesses from 1000 addresses on one account stop at the limit', async () => {
    const { engine } = createTestEngine();
    let verified = 0;
    const guess = async () => {
      verified += 1;
      return null;
    };
    const outcomes = await inTurn(engine, 1000, (n) => ({ clientIp: address(n) }), guess);
    expect(tally(outcomes)).toEqual({ failed: 20, LOGIN_LOCKED: 980 });
    expect(verified).toBe(20);
    expect(await outcome(engine, { clientIp: '198.51.100.1' }, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { username: 'bob', clientIp: address(0) }, RIGHT)).toBe('in');
  });

  it('LGN-6 LP-12 of the same 1000 guesses in parallel exactly 20 are verified', async () => {
    const { engine } = createTestEngine();
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => outcome(engine, { clientIp: address(n) })),
    );
    expect(tally(outcomes)).toEqual({ failed: 20, LOGIN_LOCKED: 980 });
  });

  it('LGN-6 0 turns it off', async () => {
    const { engine } = createTestEngine({ policy: { accountFailureCount: 0 } });
    expect(tally(await inTurn(engine, 300, (n) => ({ clientIp: address(n) })))).toEqual({ failed: 300 });
  });

  it('LGN-6 LP-12 is not reset by a sign-in of the owner, which would give a botnet a new limit', async () => {
    const { engine } = createTestEngine();
    const outcomes: string[] = [];
    for (let n = 0; n < 40; n++) {
      outcomes.push(await outcome(engine, { clientIp: address(n) }));
      if (n < 19) expect(await outcome(engine, { clientIp: '198.51.100.1' }, RIGHT)).toBe('in');
    }
    expect(tally(outcomes)).toEqual({ failed: 20, LOGIN_LOCKED: 20 });
  });

  it('LGN-2 its lock ends like every lock, with the counter at zero', async () => {
    const { engine, clock } = createTestEngine();
    await inTurn(engine, 20, (n) => ({ clientIp: address(n) }));
    clock.advance(600);
    const outcomes = await inTurn(engine, 25, (n) => ({ clientIp: address(100 + n) }));
    expect(tally(outcomes)).toEqual({ failed: 20, LOGIN_LOCKED: 5 });
  });
});

describe('the counter of an address over all accounts', () => {
  it('LGN-6 stops an address that tries one password on many names', async () => {
    const { engine } = createTestEngine();
    const outcomes = await inTurn(engine, 300, (n) => ({ username: `user-${n}` }));
    expect(tally(outcomes)).toEqual({ failed: 100, LOGIN_LOCKED: 200 });
    expect(await outcome(engine, { clientIp: '192.0.2.8' }, RIGHT)).toBe('in');
  });

  it('LGN-6 is exact for parallel guesses', async () => {
    const { engine } = createTestEngine();
    const outcomes = await Promise.all(
      Array.from({ length: 300 }, (_, n) => outcome(engine, { username: `user-${n}` })),
    );
    expect(tally(outcomes)).toEqual({ failed: 100, LOGIN_LOCKED: 200 });
  });

  it('LGN-6 is not reset by an attacker who signs in with his own account', async () => {
    const { engine } = createTestEngine();
    const outcomes: string[] = [];
    for (let n = 0; n < 150; n++) {
      outcomes.push(await outcome(engine, { username: `user-${n}` }));
      if (n < 99) expect(await outcome(engine, { username: 'mallory' }, RIGHT)).toBe('in');
    }
    expect(tally(outcomes)).toEqual({ failed: 100, LOGIN_LOCKED: 50 });
  });

  it('LGN-6 0 turns it off', async () => {
    const { engine } = createTestEngine({ policy: { ipFailureCount: 0 } });
    expect(tally(await inTurn(engine, 300, (n) => ({ username: `user-${n}` })))).toEqual({ failed: 300 });
  });

  it('LGN-9 two engines with one prefix share it and no other counter', async () => {
    const { engine, clock, store } = createTestEngine({ policy: { ipFailureCount: 4 } });
    const { createLoginAttempts } = await import('../src/index.js');
    const app = createLoginAttempts({ store, now: clock.now, terminals: ['app'], policy: { ipFailureCount: 4 } });
    await inTurn(engine, 2, { terminal: 'web' });
    expect(tally(await inTurn(app, 3, { terminal: 'app' }))).toEqual({ failed: 2, LOGIN_LOCKED: 1 });
    expect(await outcome(app, { terminal: 'web' })).toBe('LOGIN_TERMINAL_REFUSED');
  });
});
