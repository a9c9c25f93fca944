import { describe, expect, it } from 'vitest';
import { createTestEngine, inTurn, outcome, recordCalls } from './guesses.js';

const START = Date.UTC(2026, 10, 21, 12);

describe('explain', () => {
  it('LGN-10 reports an unknown name as the account-wide counter at zero, without a lock', async () => {
    const { engine } = createTestEngine();
    expect(await engine.explain({ username: ' Ada ', terminal: 'WEB' })).toEqual({
      username: 'ada',
      terminal: 'web',
      lockedUntil: null,
      counters: [
        {
          counter: 'account',
          address: null,
          limit: 20,
          state: 'counting',
          failures: 0,
          inFlight: 0,
          windowEndsAt: null,
        },
      ],
      devices: { known: 0, locked: 0 },
    });
  });

  it('LGN-10 reports for a name alone which counters refuse it, from which address, until when', async () => {
    const { engine, clock } = createTestEngine();
    await inTurn(engine, 5, { clientIp: '192.0.2.7' });
    clock.advance(60);
    await inTurn(engine, 5, { clientIp: '2001:db8:1:2::3' });
    await inTurn(engine, 2, { clientIp: '192.0.2.9' });
    expect(await engine.explain({ username: 'ada' })).toEqual({
      username: 'ada',
      terminal: 'web',
      lockedUntil: START + 660_000,
      counters: [
        { counter: 'subject', address: '2001:db8:1:2::/64', limit: 5, state: 'locked', lockedUntil: START + 660_000 },
        { counter: 'subject', address: '192.0.2.7', limit: 5, state: 'locked', lockedUntil: START + 600_000 },
        {
          counter: 'account',
          address: null,
          limit: 20,
          state: 'counting',
          failures: 12,
          inFlight: 0,
          windowEndsAt: START + 600_000,
        },
      ],
      devices: { known: 0, locked: 0 },
    });
    clock.advance(540);
    const { counters } = await engine.explain({ username: 'ada' });
    expect(counters.map(({ counter, address, state }) => [counter, address, state])).toEqual([
      ['subject', '2001:db8:1:2::/64', 'locked'],
      ['account', null, 'counting'],
    ]);
  });

  it('LGN-10 reports all three counters of an address', async () => {
    const { engine } = createTestEngine();
    await inTurn(engine, 3);
    const never = () => new Promise<null>(() => {});
    void outcome(engine, {}, never);
    await new Promise(setImmediate);
    const { counters, lockedUntil } = await engine.explain({ username: 'ada', clientIp: '::ffff:192.0.2.7' });
    expect(lockedUntil).toBeNull();
    const counting = { state: 'counting', failures: 3, inFlight: 1, windowEndsAt: START + 600_000 };
    expect(counters).toEqual([
      { counter: 'subject', address: '192.0.2.7', limit: 5, ...counting },
      { counter: 'account', address: null, limit: 20, ...counting },
      { counter: 'ip', address: '192.0.2.7', limit: 100, ...counting },
    ]);
  });

  it('LGN-10 without include-ip reports the one counter of the name, and no counter that is off', async () => {
    const policy = { failureIncludeIpEnabled: false, accountFailureCount: 0, ipFailureCount: 0 };
    const { engine } = createTestEngine({ policy });
    await inTurn(engine, 5);
    expect((await engine.explain({ username: 'ada', clientIp: '192.0.2.8' })).counters).toEqual([
      { counter: 'subject', address: null, limit: 5, state: 'locked', lockedUntil: START + 600_000 },
    ]);
  });

  it('LGN-10 LGN-7 reports nothing from before a clear', async () => {
    const { engine } = createTestEngine();
    await inTurn(engine, 5);
    await engine.clear({ username: 'ada' });
    const { counters, lockedUntil } = await engine.explain({ username: 'ada' });
    expect(lockedUntil).toBeNull();
    expect(counters.map((report) => report.state === 'counting' && report.failures)).toEqual([0]);
  });

  it('LGN-10 keeps the newest 20 locked addresses of an account', async () => {
    const { engine } = createTestEngine({ policy: { failureCount: 1, accountFailureCount: 0 } });
    await inTurn(engine, 50, (n) => ({ clientIp: `192.0.2.${n}` }));
    const { counters } = await engine.explain({ username: 'ada' });
    expect(counters.map(({ address }) => address)).toEqual(Array.from({ length: 20 }, (_, n) => `192.0.2.${49 - n}`));
  });

  it('LGN-10 LGN-11 reports for a name alone that an address which refused it is locked over all names', async () => {
    const { engine } = createTestEngine({ policy: { ipFailureCount: 3 } });
    await inTurn(engine, 3, (n) => ({ username: `somebody-${n}`, clientIp: '192.0.2.9' }));
    expect((await engine.explain({ username: 'ada' })).lockedUntil).toBeNull();
    expect(await outcome(engine, { clientIp: '192.0.2.9' })).toBe('LOGIN_LOCKED');
    const { counters, lockedUntil } = await engine.explain({ username: 'ada' });
    expect(lockedUntil).toBe(START + 600_000);
    expect(counters[0]).toEqual({
      ...{ counter: 'ip', address: '192.0.2.9', limit: 3 },
      ...{ state: 'locked', lockedUntil: START + 600_000 },
    });
  });

  it('LGN-10 LGN-12 reports how many devices are known, and how many of them are used up', async () => {
    const { engine } = createTestEngine({ policy: { failureCount: 100 } });
    await engine.issueDeviceToken({ username: 'ada' });
    const deviceToken = await engine.issueDeviceToken({ username: 'ada' });
    await inTurn(engine, 4, { deviceToken });
    expect((await engine.explain({ username: 'ada' })).devices).toEqual({ known: 2, locked: 0 });
    await inTurn(engine, 1, { deviceToken });
    const explanation = await engine.explain({ username: 'ada', clientIp: '192.0.2.7' });
    expect(explanation.devices).toEqual({ known: 2, locked: 1 });
    expect(JSON.stringify(explanation)).not.toContain(deviceToken);
  });

  it('LGN-10 only reads the store', async () => {
    const { engine, store } = createTestEngine();
    await inTurn(engine, 5);
    const calls = recordCalls(store);
    await engine.explain({ username: 'ada' });
    await engine.explain({ username: 'ada', clientIp: '192.0.2.7' });
    await engine.explain({ username: 'bob', clientIp: '192.0.2.7' });
    expect(new Set(calls.map(({ verb }) => verb))).toEqual(new Set(['get']));
  });

  it('LGN-10 refuses an unknown terminal and an impossible address', async () => {
    const { engine } = createTestEngine();
    await expect(engine.explain({ username: 'ada', terminal: 'x' })).rejects.toMatchObject({ statusCode: 400 });
    await expect(engine.explain({ username: 'ada', clientIp: 'x' })).rejects.toThrow('clientIp must be an IP address');
  });
});
