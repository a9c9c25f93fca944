import { describe, expect, it } from 'vitest';
import { createTestEngine, inTurn, outcome, RIGHT, recordCalls } from './guesses.js';

const HOME = '192.0.2.7';
const PENDING = { isFinal: () => false };

type Engine = ReturnType<typeof createTestEngine>['engine'];

async function failuresOf(engine: Engine): Promise<Record<string, number | string>> {
  const { counters } = await engine.explain({ username: 'ada', clientIp: HOME });
  return Object.fromEntries(counters.map((it) => [it.counter, it.state === 'counting' ? it.failures : it.state]));
}

describe.each([true, false])('a sign-in in two steps, changeAll: %s', (hasChangeAll) => {
  it('MFA-2: a right password that is not final clears no counter and takes no place', async () => {
    const { engine } = createTestEngine({}, hasChangeAll);
    await inTurn(engine, 4);
    for (let n = 0; n < 20; n += 1) expect(await outcome(engine, {}, RIGHT, PENDING)).toBe('in');
    expect(await failuresOf(engine)).toEqual({ subject: 4, account: 4, ip: 4 });
    const { counters } = await engine.explain({ username: 'ada', clientIp: HOME });
    expect(counters.every((it) => it.state === 'locked' || it.inFlight === 0)).toBe(true);
    expect(await outcome(engine)).toBe('failed');
    expect(await outcome(engine, {}, RIGHT, PENDING)).toBe('LOGIN_LOCKED');
  });

  it('MFA-2: the last step forgets what a final success forgets, of name, address and device', async () => {
    const { engine } = createTestEngine({}, hasChangeAll);
    const deviceToken = await engine.issueDeviceToken({ username: 'ada' });
    await inTurn(engine, 3);
    await inTurn(engine, 1, { deviceToken });
    await inTurn(engine, 2, { clientIp: '198.51.100.1' });
    await engine.succeed({ username: ' ADA ', terminal: 'WEB', clientIp: HOME, deviceToken });
    // 2 of the other address stay, and what strangers can fill.
    expect(await failuresOf(engine)).toEqual({ subject: 0, account: 5, ip: 3 });
    expect(await outcome(engine, { deviceToken })).toBe('failed');
    expect(await outcome(engine, { clientIp: '198.51.100.1' })).toBe('failed');
    expect((await engine.explain({ username: 'ada', clientIp: '198.51.100.1' })).counters[0]).toMatchObject({
      failures: 3,
    });
  });

  it('MFA-2: the last step of another account forgives a device nothing', async () => {
    const { engine } = createTestEngine({}, hasChangeAll);
    const deviceToken = await engine.issueDeviceToken({ username: 'ada' });
    await engine.issueDeviceToken({ username: 'mallory' });
    const tries: string[] = [];
    // From ever new addresses, so that no other counter refuses before that of the device.
    for (let n = 0; n < 8; n += 1) {
      tries.push(await outcome(engine, { deviceToken, clientIp: `198.51.100.${n}` }));
      await engine.succeed({ username: 'mallory', terminal: 'web', clientIp: HOME, deviceToken });
    }
    // Five of the device. From there on they count as those of a stranger.
    expect(tries).toEqual(Array(8).fill('failed'));
    expect(await failuresOf(engine)).toMatchObject({ account: 3 });
  });

  it('MFA-2: the last step ends no lock', async () => {
    const { engine } = createTestEngine({}, hasChangeAll);
    await inTurn(engine, 5);
    await engine.succeed({ username: 'ada', terminal: 'web', clientIp: HOME });
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
  });

  it('MFA-2: a success is not final if isFinal fails, and nobody gets in', async () => {
    const { engine } = createTestEngine({}, hasChangeAll);
    await inTurn(engine, 2);
    const broken = new Error('broken');
    const throwing = () => {
      throw broken;
    };
    const promising = (async () => true) as never;
    for (const isFinal of [throwing, promising]) {
      expect(await outcome(engine, {}, RIGHT, { isFinal })).not.toBe('in');
    }
    expect(await failuresOf(engine)).toEqual({ subject: 2, account: 2, ip: 2 });
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
    expect(await failuresOf(engine)).toMatchObject({ subject: 0 });
  });
});

describe('succeed', () => {
  it('MFA-2: refuses what attempt refuses, and a misspelt call', async () => {
    const { engine } = createTestEngine();
    const subject = { username: 'ada', terminal: 'web', clientIp: HOME };
    await expect(engine.succeed({ ...subject, terminal: 'x' })).rejects.toMatchObject({
      code: 'LOGIN_TERMINAL_REFUSED',
    });
    await expect(engine.succeed({ ...subject, username: '' })).rejects.toMatchObject({ code: 'LOGIN_NAME_REFUSED' });
    await expect(engine.succeed({ ...subject, clientIp: 'x' })).rejects.toThrow(TypeError);
  });

  it('MFA-2: writes nothing where nothing is counted', async () => {
    const { engine, store } = createTestEngine();
    const calls = recordCalls(store);
    await engine.succeed({ username: 'ada', terminal: 'web', clientIp: HOME });
    expect(new Set(calls.map(({ verb }) => verb))).toEqual(new Set(['get']));
  });
});
