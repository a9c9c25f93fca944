import { describe, expect, it } from 'vitest';
import { createLoginAttempts } from '../src/index.js';
import { createTestEngine, inTurn, outcome, RIGHT, recordCalls, tally } from './guesses.js';

const DAY_SECONDS = 86_400;
const HOME = '192.0.2.7';

/** An engine, and a token of `ada`. */
async function withDevice(options: Parameters<typeof createTestEngine>[0] = {}) {
  const bench = createTestEngine(options);
  return { ...bench, deviceToken: await bench.engine.issueDeviceToken({ username: 'ada' }) };
}

/** Twenty guesses of strangers at `ada`, each from an address of its own. */
const strangers = (engine: Parameters<typeof inTurn>[0], count = 20) =>
  inTurn(engine, count, (n) => ({ clientIp: `198.51.100.${n}` }));

describe('a known device', () => {
  it('LGN-12 signs in while strangers have filled the account-wide counter and that of the address', async () => {
    const { engine, deviceToken } = await withDevice({ policy: { ipFailureCount: 10 } });
    await strangers(engine);
    await inTurn(engine, 10, (n) => ({ username: `colleague-${n}`, clientIp: HOME }));
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { clientIp: '203.0.113.1' }, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('in');
    expect(await outcome(engine, { deviceToken, clientIp: '203.0.113.1' }, RIGHT)).toBe('in');
  });

  it('LGN-12 is refused by the lock of name, terminal and address, and by the whitelist, like everybody', async () => {
    const { engine, deviceToken } = await withDevice();
    await inTurn(engine, 5);
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { deviceToken, clientIp: '192.0.2.8' }, RIGHT)).toBe('in');
    const closed = await withDevice({ policy: { ipWhitelistEnabled: true } });
    expect(await outcome(closed.engine, { deviceToken: closed.deviceToken }, RIGHT)).toBe('LOGIN_IP_REFUSED');
  });

  it('LGN-12 is refused without include-ip by failures that strangers made, as the interface document has it', async () => {
    const { engine, deviceToken } = await withDevice({ policy: { failureIncludeIpEnabled: false } });
    await strangers(engine, 5);
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('LOGIN_LOCKED');
  });

  it('LGN-12 has five failures, then counts as unknown until the lock ends', async () => {
    const { engine, clock, deviceToken } = await withDevice();
    await strangers(engine);
    const thief = (n: number) => ({ deviceToken, clientIp: `203.0.113.${n}` });
    expect(tally(await inTurn(engine, 9, thief))).toEqual({ failed: 5, LOGIN_LOCKED: 4 });
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(599);
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(1);
    expect(tally(await inTurn(engine, 5, thief))).toEqual({ failed: 5 });
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('in');
  });

  it('LGN-12 counts its failures nowhere else than in its counter and that of the subject', async () => {
    const { engine, deviceToken } = await withDevice();
    await inTurn(engine, 3, { deviceToken });
    const { counters } = await engine.explain({ username: 'ada', clientIp: HOME });
    const failures = counters.map((report) => [report.counter, report.state === 'counting' && report.failures]);
    expect(failures).toEqual([
      ['subject', 3],
      ['account', 0],
      ['ip', 0],
    ]);
  });

  it('LGN-12 LGN-5 of 60 parallel guesses with one token five pass its counter, and twenty that of the account', async () => {
    const { engine, deviceToken } = await withDevice();
    const guesses = Array.from({ length: 60 }, (_, n) => outcome(engine, { deviceToken, clientIp: `203.0.113.${n}` }));
    expect(tally(await Promise.all(guesses))).toEqual({ failed: 25, LOGIN_LOCKED: 35 });
  });

  it('LGN-12 reports the lock of its counter once, also with two nodes', async () => {
    const locks: string[] = [];
    const onEvent = (event: { type: string; counter?: string }) => {
      if (event.type === 'locked') locks.push(String(event.counter));
    };
    const { engine, store, clock, deviceToken } = await withDevice({ onEvent });
    const other = createLoginAttempts({ store, now: clock.now, onEvent });
    const guesses = Array.from({ length: 5 }, (_, n) =>
      outcome([engine, other][n % 2]!, { deviceToken, clientIp: `203.0.113.${n}` }),
    );
    await Promise.all(guesses);
    expect(locks).toEqual(['device']);
  });

  it('LGN-12 a sign-in ends the failures of its device, but not those of the account', async () => {
    const { engine, deviceToken } = await withDevice();
    await strangers(engine, 19);
    for (let round = 0; round < 3; round += 1) {
      expect(await inTurn(engine, 4, { deviceToken })).toEqual(['failed', 'failed', 'failed', 'failed']);
      expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('in');
    }
    expect(await inTurn(engine, 2, { clientIp: '203.0.113.1' })).toEqual(['failed', 'LOGIN_LOCKED']);
  });
});

describe('a device token', () => {
  it('LGN-12 is bound to name and audience, and valid for all terminals of the audience', async () => {
    const { engine, store, clock, deviceToken } = await withDevice({
      terminals: ['web', 'kiosk'],
      policy: { accountFailureCount: 1 },
    });
    const appLogins = createLoginAttempts({
      store,
      now: clock.now,
      terminals: ['app'],
      policy: { accountFailureCount: 1 },
    });
    const guesses = ['web', 'kiosk', 'app'].flatMap((terminal) =>
      ['ada', 'bob'].map((username) => ({ username, terminal, clientIp: '203.0.113.1' })),
    );
    const outcomes: string[] = [];
    for (const guess of guesses) {
      const owner = guess.terminal === 'app' ? appLogins : engine;
      await outcome(owner, guess);
      outcomes.push(await outcome(owner, { ...guess, clientIp: HOME, deviceToken }, RIGHT));
    }
    expect(outcomes).toEqual(['in', 'LOGIN_LOCKED', 'in', 'LOGIN_LOCKED', 'LOGIN_LOCKED', 'LOGIN_LOCKED']);
  });

  it('LGN-12 has one count for all terminals, whatever was cleared before', async () => {
    const { engine } = createTestEngine({ terminals: ['web', 'kiosk'], policy: { failureCount: 100 } });
    await engine.clear({ username: 'ada', terminal: 'web' });
    await engine.clear({ username: 'ada', terminal: 'kiosk' });
    const deviceToken = await engine.issueDeviceToken({ username: 'ada', terminal: 'kiosk' });
    await inTurn(engine, 5, (n) => ({ deviceToken, terminal: ['web', 'kiosk'][n % 2]! }));
    expect((await engine.explain({ username: 'ada' })).devices).toEqual({ known: 1, locked: 1 });
  });

  it('LGN-12 lives 90 days', async () => {
    const { engine, clock, deviceToken } = await withDevice();
    clock.advance(90 * DAY_SECONDS - 1);
    await engine.issueDeviceToken({ username: 'ada' });
    await strangers(engine);
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('in');
    clock.advance(1);
    await strangers(engine);
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('LOGIN_LOCKED');
  });

  it('LGN-12 one that is given back is replaced: a stolen copy ends ten minutes after the next sign-in', async () => {
    const { engine, clock, deviceToken } = await withDevice();
    const next = await engine.issueDeviceToken({ username: ' ADA ', terminal: 'Web', replaces: deviceToken });
    clock.advance(600);
    await strangers(engine);
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { deviceToken: next }, RIGHT)).toBe('in');
    expect((await engine.explain({ username: 'ada' })).devices.known).toBe(1);
  });

  it('LGN-12 a lost reply, or two pages at once, take no device from the owner, and give it no more time', async () => {
    const { engine, clock, deviceToken } = await withDevice();
    await strangers(engine);
    const replace = () => engine.issueDeviceToken({ username: 'ada', replaces: deviceToken });
    const [, second] = await Promise.all([replace(), replace()]);
    clock.advance(599);
    await strangers(engine);
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('in');
    await replace();
    expect((await engine.explain({ username: 'ada' })).devices.known).toBe(3);
    clock.advance(1);
    await strangers(engine);
    expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, { deviceToken: second }, RIGHT)).toBe('in');
  });

  it('LGN-12 ten devices stay, also when they get new tokens: those that were replaced go first', async () => {
    const { engine, store, deviceToken } = await withDevice();
    const calls = recordCalls(store);
    const tokens = [deviceToken];
    for (let n = 1; n < 10; n += 1) tokens.push(await engine.issueDeviceToken({ username: 'ada' }));
    for (const [n, replaces] of tokens.entries()) {
      tokens[n] = await engine.issueDeviceToken({ username: 'ada', replaces });
    }
    await strangers(engine);
    expect((await engine.explain({ username: 'ada' })).devices.known).toBe(10);
    for (const each of tokens) expect(await outcome(engine, { deviceToken: each }, RIGHT)).toBe('in');
    expect((await store.get(calls[0]!.key))!.length).toBeLessThan(1024);
  });

  it('LGN-12 of a hundred parallel sign-ins to one account each gets its token', async () => {
    const { engine } = createTestEngine();
    const issued = Array.from({ length: 100 }, () => engine.issueDeviceToken({ username: 'ada' }));
    expect(new Set(await Promise.all(issued)).size).toBe(100);
  });

  it('LGN-12 there are at most ten for a name: the oldest goes, also when they are made in parallel', async () => {
    const { engine, store } = await withDevice();
    const first = await engine.issueDeviceToken({ username: 'ada' });
    const more = await Promise.all(Array.from({ length: 9 }, () => engine.issueDeviceToken({ username: 'ada' })));
    await strangers(engine);
    expect((await engine.explain({ username: 'ada' })).devices.known).toBe(10);
    for (const deviceToken of [first, ...more]) expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('in');
    await engine.issueDeviceToken({ username: 'ada' });
    expect(await outcome(engine, { deviceToken: first }, RIGHT)).toBe('LOGIN_LOCKED');
    const calls = recordCalls(store);
    await engine.issueDeviceToken({ username: 'ada' });
    const record = await store.get(calls[0]!.key);
    expect(record!.length).toBeLessThan(1024);
    for (const deviceToken of more) expect(record).not.toContain(deviceToken);
  });

  it.each([
    [
      'forgetDevices',
      (engine: ReturnType<typeof createTestEngine>['engine']) => engine.forgetDevices({ username: 'Ada' }),
    ],
    ['clear', (engine: ReturnType<typeof createTestEngine>['engine']) => engine.clear({ username: 'ada' })],
  ])('LGN-12 %s ends all of a name, and those of no other name', async (_how, end) => {
    const { engine, store, deviceToken } = await withDevice();
    const other = await engine.issueDeviceToken({ username: 'ada' });
    const bobs = await engine.issueDeviceToken({ username: 'bob' });
    const calls = recordCalls(store);
    await end(engine);
    expect(calls.filter(({ verb, key }) => verb !== 'get' && key.includes('devices:'))).toHaveLength(1);
    await strangers(engine);
    await inTurn(engine, 20, (n) => ({ username: 'bob', clientIp: `198.51.100.${n}` }));
    for (const token of [deviceToken, other]) {
      expect(await outcome(engine, { deviceToken: token }, RIGHT)).toBe('LOGIN_LOCKED');
    }
    expect(await outcome(engine, { username: 'bob', deviceToken: bobs }, RIGHT)).toBe('in');
  });

  it.each([true, false])(
    'LGN-12 one that is made while all are forgotten brings no other one back (%s)',
    async (has) => {
      const { engine, store } = createTestEngine({}, has);
      const deviceToken = await engine.issueDeviceToken({ username: 'ada' });
      const verb = has ? 'changeAll' : 'compareAndSet';
      const write = store[verb] as (...args: unknown[]) => Promise<unknown>;
      let isFirst = true;
      Object.assign(store, {
        async [verb](...args: unknown[]) {
          if (isFirst) {
            isFirst = false;
            await engine.forgetDevices({ username: 'ada' });
          }
          return write(...args);
        },
      });
      const late = await engine.issueDeviceToken({ username: 'ada' });
      await strangers(engine);
      expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('LOGIN_LOCKED');
      expect(await outcome(engine, { deviceToken: late }, RIGHT)).toBe('in');
    },
  );

  it('LGN-12 a forged, malformed or unreadable one is as good as none: same outcomes, no further writes or turns', async () => {
    const { engine, store } = createTestEngine();
    await outcome(engine, { username: 'zoe' });
    const calls = recordCalls(store);
    await outcome(engine, {});
    const without = calls.splice(0).filter(({ verb }) => verb !== 'get');
    const forged = ['A'.repeat(43), 'A'.repeat(42), '', '!', 'x'.repeat(1_000_000), null, 7, { a: 1 }] as string[];
    for (const [n, deviceToken] of forged.entries()) {
      expect(await outcome(engine, { username: `user-${n}`, deviceToken })).toBe('failed');
      const writes = calls.splice(0).filter(({ verb }) => verb !== 'get');
      expect(writes.map(({ verb }) => verb)).toEqual(without.map(({ verb }) => verb));
    }
    expect(tally(await inTurn(engine, 6, { username: 'eve', deviceToken: 'A'.repeat(43) }))).toEqual({
      failed: 5,
      LOGIN_LOCKED: 1,
    });
    await engine.issueDeviceToken({ username: 'ada' });
    const { key } = calls.find((call) => call.key.includes('devices:') && call.verb === 'changeAll')!;
    for (const text of ['{', '{}', '[{}]', '[null]', 'null']) {
      await store.set(key, text, 60_000);
      expect(await outcome(engine, { clientIp: '203.0.113.1', deviceToken: 'A'.repeat(43) }, RIGHT)).toBe('in');
    }
    expect(await engine.issueDeviceToken({ username: 'ada' })).toMatch(/^[\w-]{43}$/);
  });

  it('PRF-13 gets its token by one call of the store, and by one more after a write of another node', async () => {
    const { engine, clock, store } = createTestEngine();
    const other = createLoginAttempts({ store, now: clock.now });
    const calls = recordCalls(store);
    const issue = async (by: typeof engine) => {
      const token = await by.issueDeviceToken({ username: 'ada' });
      return { token, verbs: calls.splice(0).map(({ verb }) => verb) };
    };
    const issued = [
      await issue(engine),
      await issue(engine),
      await issue(other),
      await issue(other),
      await issue(engine),
    ];
    const [one, two] = [['changeAll'], ['changeAll', 'changeAll']];
    expect(issued.map(({ verbs }) => verbs)).toEqual([one, one, two, one, two]);
    await strangers(engine);
    for (const { token } of issued) expect(await outcome(engine, { deviceToken: token }, RIGHT)).toBe('in');
    await other.forgetDevices({ username: 'ada' });
    const { token } = await issue(engine);
    await strangers(engine);
    expect(await outcome(engine, { deviceToken: token }, RIGHT)).toBe('in');
    expect(await outcome(engine, { deviceToken: issued[4]!.token }, RIGHT)).toBe('LOGIN_LOCKED');
  });

  it.each([true, false])(
    'LGN-12 of many that sign in at once each gets a token that counts (changeAll: %s)',
    async (has) => {
      const { engine, clock, store } = createTestEngine({}, has);
      const nodes = [engine, createLoginAttempts({ store, now: clock.now })];
      const tokens = await Promise.all(
        Array.from({ length: 10 }, (_, n) => nodes[n % 2]!.issueDeviceToken({ username: 'ada' })),
      );
      await strangers(engine);
      for (const deviceToken of tokens) expect(await outcome(engine, { deviceToken }, RIGHT)).toBe('in');
    },
  );

  it('LGN-12 is for a name and terminal that can sign in: others are refused with 400', async () => {
    const { engine } = createTestEngine();
    await expect(engine.issueDeviceToken({ username: 'ada', terminal: 'x' })).rejects.toMatchObject({
      statusCode: 400,
    });
    await expect(engine.forgetDevices({ username: '' })).rejects.toMatchObject({ code: 'LOGIN_NAME_REFUSED' });
  });
});
