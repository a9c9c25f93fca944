import { describe, expect, it } from 'vitest';
import { address, freshRecipient, no, testCodes, timedCodes, yes } from './test-codes.js';

describe('sends', () => {
  it('OTC-2 OTC-4 the fourth code for a recipient within an hour needs a captcha, from whatever address', async () => {
    const { engine, sending, pass } = timedCodes();
    const recipient = freshRecipient();
    const question = { clientIp: address(1), recipient };
    for (let i = 0; i < 3; i += 1) {
      expect(await engine.needsCaptcha(question)).toEqual({ send: false, check: false });
      expect(await sending(recipient, { captcha: no })).toBe('sent');
      pass(301);
    }
    expect(await engine.needsCaptcha(question)).toEqual({ send: true, check: false });
    expect(await engine.needsCaptcha({ clientIp: address(1) })).toEqual({ send: false, check: false });
    expect(await sending(recipient, { from: address(1), captcha: no })).toBe('CAPTCHA_REQUIRED');
    expect(await sending(recipient, { from: address(1), captcha: yes })).toBe('sent');
    pass(3600);
    expect(await engine.needsCaptcha(question)).toEqual({ send: false, check: false });
    expect(await sending(recipient, { captcha: no })).toBe('sent');
  });

  it('OTC-2 a sign-in gives the recipient its budget back', async () => {
    const { send, sending, signsIn } = timedCodes();
    const recipient = freshRecipient();
    const { handle, code } = await send(recipient);
    expect(await signsIn(recipient, code!, { handle })).toBe(true);
    expect(await sending(recipient, { captcha: no })).toBe('sent');
  });

  it('OTC-2 sign-ins give it back ten times a day: who owns a number can not have messages without an end', async () => {
    const { send, signsIn, messages, pass } = timedCodes({ slowResendSeconds: 1800 });
    const recipient = freshRecipient();
    for (let i = 0; i < 500; i += 1) {
      const { handle, code } = await send(recipient);
      if (code !== null) await signsIn(recipient, code, { handle });
      pass(60);
    }
    // Ten that were given back, ten of the budget, and one each half hour of 500 minutes.
    expect(messages.length).toBeGreaterThan(20);
    expect(messages.length).toBeLessThanOrEqual(10 + 10 + 1 + 500 / 30);
  });

  it('OTC-2 a send of a stranger within the minute does not refuse the owner: his handle accepts the message on his phone', async () => {
    const { send, outcome, messages } = timedCodes();
    const recipient = freshRecipient();
    await send(recipient, { from: address(1) });
    const owners = await send(recipient, { from: address(2) });
    expect(owners).toMatchObject({ code: null, validSeconds: 300, resendSeconds: 60 });
    expect(await outcome(recipient, messages[0]!.code, { from: address(2), handle: owners.handle })).toBe('in');
  });

  it('OTC-2 after ten messages of a day they become slow, and the recipient always has a code that works', async () => {
    const { send, outcome, messages, pass } = timedCodes();
    const recipient = freshRecipient();
    for (let i = 0; i < 24 * 60; i += 1) {
      await send(recipient, { from: address(i) });
      pass(60);
    }
    expect(messages.length).toBeGreaterThan(30);
    expect(messages.length).toBeLessThanOrEqual(10 + 48 + 1);
    const owners = await send(recipient, { from: address(9999) });
    expect(await outcome(recipient, messages.at(-1)!.code, { from: address(9999), handle: owners.handle })).toBe('in');
    // And then his next one is not slow.
    expect(await send(recipient, { from: address(9999) })).toMatchObject({ code: expect.any(String) });
  });

  it('OTC-2 a client network has 200 sends an hour that led to no sign-in; from 20 on a captcha is needed', async () => {
    const { engine, sending, signsIn, send } = timedCodes();
    for (let i = 0; i < 20; i += 1) {
      expect(await engine.needsCaptcha({ clientIp: '192.0.2.1' })).toEqual({ send: false, check: false });
      expect(await sending(freshRecipient(), { captcha: no })).toBe('sent');
    }
    expect(await engine.needsCaptcha({ clientIp: '192.0.2.1' })).toMatchObject({ send: true });
    expect(await sending(freshRecipient(), { captcha: no })).toBe('CAPTCHA_REQUIRED');
    expect(await sending(freshRecipient(), { from: '192.0.2.2', captcha: no })).toBe('sent');
    // What is used is not counted.
    for (let i = 0; i < 300; i += 1) {
      const recipient = freshRecipient();
      const { handle, code } = await send(recipient);
      expect(await signsIn(recipient, code!, { handle })).toBe(true);
    }
    for (let i = 20; i < 100; i += 1) expect(await sending(freshRecipient())).toBe('sent');
    expect(await sending(freshRecipient())).toBe('no message');
  });

  it('OTC-2 the limits count IPv6 by /64 and by /48', async () => {
    const { sending, send } = testCodes({ captchaAfter: 3 });
    const ask = (from: string) => sending(freshRecipient(), { from, captcha: no });
    for (let i = 0; i < 3; i += 1) expect(await ask(`2001:db8:1:1::${i}`)).toBe('sent');
    expect(await ask('2001:db8:1:1::9')).toBe('CAPTCHA_REQUIRED');
    expect(await ask('2001:db8:1:2::9')).toBe('CAPTCHA_REQUIRED');
    expect(await ask('2001:db8:2::9')).toBe('sent');
    expect(await ask('64:ff9b::192.0.2.1')).toBe('sent');
    expect(await ask('64:ff9b::192.0.2.2')).toBe('sent');
    await expect(send(freshRecipient(), { from: 'nowhere' })).rejects.toThrow(TypeError);
  });

  it('OTC-2 half of a budget is for recipients that have signed in before, and strangers are not told who that is', async () => {
    const { send, sending, signsIn, events, pass } = timedCodes({ ipHourlyLimit: 10 });
    const known = Array.from({ length: 6 }, freshRecipient);
    for (const recipient of known) {
      const { handle, code } = await send(recipient, { from: address(1) });
      await signsIn(recipient, code!, { handle, from: address(1) });
    }
    pass(3600);
    for (let i = 0; i < 5; i += 1) expect(await sending(freshRecipient())).toBe('sent');
    for (let i = 0; i < 50; i += 1) expect(await sending(freshRecipient())).toBe('no message');
    for (const recipient of known.slice(0, 5)) expect(await sending(recipient)).toBe('sent');
    expect(await sending(known[5]!)).toBe('CODE_SEND_LIMITED 3600');
    expect(await sending(freshRecipient())).toBe('CODE_SEND_LIMITED 3600');
    expect(events).toEqual([]);
  });

  it('OTC-2 a failed delivery counts nowhere, and its code is withdrawn', async () => {
    let isAway = true;
    const sent: string[] = [];
    const { engine, store, outcome, sending } = timedCodes(
      {},
      {
        send: ({ code }) => {
          sent.push(code);
          if (isAway) throw Object.assign(new Error('away'), { code: 'AWAY' });
        },
      },
    );
    const recipient = freshRecipient();
    for (let i = 0; i < 30; i += 1) expect(await sending(recipient, { captcha: no })).toBe('AWAY');
    expect(await engine.explain(recipient)).toMatchObject({ liveCodes: 0, messages: 0, limits: [] });
    for (const code of sent.slice(0, 4)) expect(await outcome(recipient, code)).toBe('wrong');
    isAway = false;
    await engine.send({ recipient, clientIp: '192.0.2.1', hasCaptcha: no, context: undefined });
    expect(await engine.explain(recipient)).toMatchObject({ liveCodes: 1, messages: 1 });
    expect(await store.get('one-time-codes:overall')).toBe('1');
  });

  it('OTC-2 a send without its captcha counts nowhere, also across the end of a window', async () => {
    const { sending, pass } = timedCodes({ ipHourlyLimit: 4, captchaAfter: 0 });
    const late = async () => {
      pass(3600);
      return false;
    };
    for (let i = 0; i < 3; i += 1) expect(await sending(freshRecipient(), { captcha: late })).toBe('CAPTCHA_REQUIRED');
    const outcomes = [];
    for (let i = 0; i < 3; i += 1) outcomes.push(await sending(freshRecipient()));
    expect(outcomes).toEqual(['sent', 'sent', 'no message']);
  });

  it('OTC-1 OTC-2 explain says what limits a recipient, and until when', async () => {
    const { engine, send, outcome, pass, now } = timedCodes();
    const recipient = freshRecipient();
    const start = now();
    expect(await engine.explain(recipient)).toEqual({
      recipient,
      hasSignedIn: false,
      liveCodes: 0,
      messages: 0,
      wrongCodes: 0,
      limits: [],
    });
    for (let i = 0; i < 10; i += 1) {
      await send(recipient, { from: address(i) });
      pass(300);
    }
    const { handle } = await send(recipient);
    for (let i = 0; i < 100; i += 1)
      await outcome(recipient, '000000', { from: address(i), handle: i < 5 ? handle : '' });
    const { limits, messages, wrongCodes } = await engine.explain(recipient);
    expect({ messages, wrongCodes }).toEqual({ messages: 11, wrongCodes: 100 });
    expect(limits).toEqual([
      { limit: 'send-captcha', until: start + 3_600_000 },
      { limit: 'slow-messages', until: start + 86_400_000 },
      { limit: 'message-interval', until: start + 3_000_000 + 1_800_000 },
      { limit: 'check-captcha', until: start + 3_000_000 + 86_400_000 },
      { limit: 'long-codes-only', until: start + 3_000_000 + 86_400_000 },
    ]);
    await engine.clear(recipient);
    expect(await engine.explain(recipient)).toMatchObject({ limits: [], messages: 0, wrongCodes: 0, liveCodes: 1 });
  });

  it('OTC-2 a clear frees codes without a handle too', async () => {
    const { engine, send, outcome } = timedCodes();
    const recipient = freshRecipient();
    const { code } = await send(recipient);
    for (let i = 0; i < 5; i += 1) await outcome(recipient, '000000x');
    expect(await outcome(recipient, code!)).toBe('wrong');
    await engine.clear(recipient);
    for (let i = 0; i < 5; i += 1) await outcome(recipient, '000000x');
    // The clock stands still: each clear frees them, also two within a millisecond.
    await engine.clear(recipient);
    expect(await outcome(recipient, code!)).toBe('in');
  });
});
