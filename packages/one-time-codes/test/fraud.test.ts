import { describe, expect, it } from 'vitest';
import { address, freshRecipient, no, other, timedCodes } from './test-codes.js';

const regions = {
  regionOf: (recipient: string) => (recipient.startsWith('+86') ? 'CN' : 'GB'),
  prefixOf: (recipient: string) => recipient.slice(0, -5),
};

/** A number of a range that fraudsters own. */
const premium = (index: number) => `+449011${String(index).padStart(5, '0')}`;

describe('toll fraud', () => {
  it('OTC-3 a region has a budget per hour; half of it is for recipients that have signed in before', async () => {
    const { send, sending, signsIn, pass, events } = timedCodes({ regionHourlyLimit: 40, captchaAfter: 5 }, regions);
    const known = Array.from({ length: 30 }, freshRecipient);
    for (const [index, recipient] of known.entries()) {
      const { handle, code } = await send(recipient, { from: address(index) });
      await signsIn(recipient, code!, { handle });
      pass(300);
    }
    pass(3600);
    const outcomes = [];
    for (let i = 0; i < 60; i += 1) outcomes.push(await sending(freshRecipient(), { from: address(1000 + i) }));
    expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(20);
    for (const recipient of known.slice(0, 20))
      expect(await sending(recipient, { from: address(500) })).not.toBe('no message');
    // Another region is not touched.
    expect(await sending(premium(1), { from: address(7) })).toBe('sent');
    expect(events).toContainEqual({ type: 'budget-used-up', scope: 'region:CN', for: 'new-recipients' });
  });

  it('OTC-3 a few networks that send much leave half of the open budget to everyone else', async () => {
    const { sending } = timedCodes({ regionHourlyLimit: 400 }, regions);
    const pump = [];
    for (let i = 0; i < 400; i += 1) pump.push(await sending(freshRecipient(), { from: address(i % 4) }));
    expect(pump.filter((outcome) => outcome === 'sent')).toHaveLength(100);
    // Once a quarter of the budget is used, each send needs a captcha.
    expect(await sending(freshRecipient(), { from: address(999), captcha: no })).toBe('CAPTCHA_REQUIRED');
    for (let i = 0; i < 100; i += 1) expect(await sending(freshRecipient(), { from: address(1000 + i) })).toBe('sent');
    expect(await sending(freshRecipient(), { from: address(5000) })).toBe('no message');
  });

  it('OTC-3 where few codes are used, each send needs a captcha and an event says so once; with use it ends', async () => {
    const { send, sending, signsIn, events, pass } = timedCodes({}, regions);
    for (let i = 0; i < 60; i += 1) await send(premium(i), { from: address(i) });
    expect(await sending(premium(900), { from: address(900), captcha: no })).toBe('sent');
    pass(1200);
    // Judged with the first send after the slice is complete.
    expect(await sending(premium(901), { from: address(901), captcha: no })).toBe('sent');
    expect(await sending(premium(902), { from: address(902), captcha: no })).toBe('CAPTCHA_REQUIRED');
    expect(await sending(premium(902), { from: address(902) })).toBe('sent');
    expect(await sending(freshRecipient(), { from: address(903), captcha: no })).toBe('sent');
    expect(events).toEqual([
      { type: 'low-use', scope: 'region:GB', sent: 61, used: 0 },
      { type: 'low-use', scope: 'prefix:+449011', sent: 61, used: 0 },
    ]);

    for (let i = 0; i < 60; i += 1) {
      const { handle, code } = await send(premium(2000 + i), { from: address(i) });
      if (i % 3 !== 0) await signsIn(premium(2000 + i), code!, { handle });
    }
    pass(1200);
    await send(premium(3000), { from: address(1) });
    expect(events.slice(2).map(({ type }) => type)).toEqual(['use-recovered', 'use-recovered']);
    expect(await sending(premium(3001), { from: address(2), captcha: no })).toBe('sent');
  });

  it('OTC-3 a share between the two bounds changes nothing, and a small sample says nothing', async () => {
    const { send, signsIn, events, pass } = timedCodes({}, regions);
    for (let i = 0; i < 49; i += 1) await send(premium(i), { from: address(i) });
    pass(1800);
    for (let i = 0; i < 60; i += 1) {
      const { handle, code } = await send(premium(i + 100), { from: address(i) });
      if (i % 5 < 2) await signsIn(premium(i + 100), code!, { handle });
    }
    pass(1800);
    await send(premium(500), { from: address(1) });
    expect(events).toEqual([]);
  });

  it('OTC-3 an event that is refused by its receiver refuses no send, and is logged', async () => {
    const logged: unknown[] = [];
    const more = {
      onEvent: async () => Promise.reject(new Error('the log is away')),
      log: { error: (details: object) => void logged.push(details) },
    };
    const { send, outcome } = timedCodes({ wrongCaptchaAfter: 1 }, more);
    const recipient = freshRecipient();
    const { code } = await send(recipient);
    expect(await outcome(recipient, other(code!))).toBe('wrong');
    expect(logged).toEqual([{ err: expect.any(Error), event: 'recipient-guessed' }]);
  });
});

describe('spraying', () => {
  it('OTC-3 over all recipients no more guesses meet a code of six digits than the limit, from however many addresses', async () => {
    const { send, outcome, events, pass } = timedCodes({ overallWrongDailyLimit: 400 });
    let compared = 0;
    const outcomes = new Set<string>();
    for (let i = 0; i < 150; i += 1) {
      const victim = freshRecipient();
      const { handle, code } = await send(victim, { from: address(i) });
      const isLong = code!.length > 6;
      for (let guess = 0; guess < 5; guess += 1) {
        const met = await outcome(victim, other(code!.slice(0, 6)), { from: address(i), handle });
        outcomes.add(met);
        if (met === 'wrong' && !isLong) compared += 1;
      }
    }
    // From half of it new codes are long: the guesses that were under way end below the limit.
    expect(compared).toBe(200);
    expect([...outcomes]).toEqual(['wrong']);
    expect(events).toEqual([{ type: 'guesses-overall', wrongCodes: 200, consequence: 'long-codes' }]);
    const owner = freshRecipient();
    const long = await send(owner, { from: address(9000), captcha: no });
    expect(long.code).toMatch(/^[0-9]{12}$/);
    expect(await outcome(owner, long.code!, { from: address(9000), handle: long.handle, captcha: no })).toBe('in');
    pass(86_400);
    expect((await send(freshRecipient(), { from: address(9001) })).code).toMatch(/^[0-9]{6}$/);
  });

  it('OTC-3 guesses at codes that were sent before are refused beyond the limit, and their owners ask for a new one', async () => {
    const { send, outcome, events, pass } = timedCodes({ overallWrongDailyLimit: 400 });
    const victims = [];
    for (let i = 0; i < 150; i += 1) {
      const victim = freshRecipient();
      victims.push({ victim, ...(await send(victim, { from: address(i) })) });
    }
    const outcomes = [];
    for (const [i, { victim, handle, code }] of victims.entries()) {
      for (let guess = 0; guess < 5; guess += 1) {
        outcomes.push(await outcome(victim, other(code!), { from: address(i), handle }));
      }
    }
    expect(outcomes.filter((each) => each === 'wrong')).toHaveLength(400);
    expect(outcomes.filter((each) => each === 'NEW_CODE_REQUIRED')).toHaveLength(350);
    expect(events.at(-1)).toEqual({ type: 'guesses-overall', wrongCodes: 400, consequence: 'long-codes-only' });
    const { victim } = victims.at(-1)!;
    pass(60);
    const { handle, code } = await send(victim);
    expect(await outcome(victim, code!, { handle })).toBe('in');
  });

  it('OTC-3 a guess without a handle counts once for each code that it could meet', async () => {
    const { send, outcome, store, pass } = timedCodes();
    const victim = freshRecipient();
    for (let i = 0; i < 3; i += 1) {
      await send(victim, { from: address(i) });
      pass(60);
    }
    expect(await outcome(victim, '12345678', { from: address(9) })).toBe('wrong');
    expect(await store.get('one-time-codes:wrong-overall')).toBeNull();
    while ((await outcome(victim, '000000', { from: address(10) })) === 'in');
    expect(await store.get('one-time-codes:wrong-overall')).toBe('3');
    await outcome(freshRecipient(), '000000', { from: address(10) });
    expect(await store.get('one-time-codes:wrong-overall')).toBe('3');
  });

  it('OTC-3 signing in with a number of his own gives an attacker no guess at others', async () => {
    const { send, outcome, store } = timedCodes();
    const [victim, own] = [freshRecipient(), freshRecipient()];
    const target = await send(victim, { from: address(1) });
    for (let i = 0; i < 4; i += 1)
      await outcome(victim, other(target.code!), { from: address(1), handle: target.handle });
    for (let round = 0; round < 5; round += 1) {
      const mine = await send(own, { from: address(2) });
      for (const guess of [other(mine.code!), '1', '123456789012', '0']) {
        await outcome(own, guess, { from: address(2), handle: mine.handle });
      }
      expect(await outcome(own, mine.code!, { from: address(2), handle: mine.handle })).toBe('in');
    }
    expect(await store.get('one-time-codes:wrong-overall')).toBe('4');
  });

  it('OTC-3 a client network has 50 wrong codes a day without a captcha, which its right ones give back', async () => {
    const { engine, send, outcome } = timedCodes();
    const from = '192.0.2.1';
    const mistake = async (captcha = no) => outcome(freshRecipient(), '000000', { from, captcha });
    for (let i = 0; i < 50; i += 1) expect(await mistake()).toBe('wrong');
    expect(await mistake()).toBe('CAPTCHA_REQUIRED');
    expect(await engine.needsCaptcha({ clientIp: from })).toEqual({ send: false, check: true });
    const recipient = freshRecipient();
    const { handle, code } = await send(recipient, { from });
    expect(await outcome(recipient, code!, { from, handle })).toBe('in');
    expect(await mistake()).toBe('wrong');
    expect(await mistake()).toBe('CAPTCHA_REQUIRED');
  });
});
