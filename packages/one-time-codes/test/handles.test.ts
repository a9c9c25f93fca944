import { describe, expect, it } from 'vitest';
import { address, freshRecipient, no, other, timedCodes } from './test-codes.js';

describe('handles and attempts', () => {
  it('OTC-1 three codes are live at most, and a new one ends no other', async () => {
    const { send, signsIn, pass } = timedCodes();
    const recipient = freshRecipient();
    const codes = [];
    for (let i = 0; i < 4; i += 1) {
      codes.push(await send(recipient, { from: address(i) }));
      pass(60);
    }
    expect(codes.map(({ code }) => code !== null)).toEqual([true, true, true, false]);
    // The fourth handle stands for the codes that are live.
    expect(await signsIn(recipient, codes[0]!.code!, { handle: codes[3]!.handle })).toBe(true);
    expect(await signsIn(recipient, codes[1]!.code!, { handle: codes[1]!.handle })).toBe(true);
    expect(await signsIn(recipient, codes[2]!.code!)).toBe(true);
  });

  it('OTC-1 a handle accepts the code of its own send only', async () => {
    const { send, outcome, pass } = timedCodes();
    const recipient = freshRecipient();
    const strangers = await send(recipient, { from: address(1) });
    pass(60);
    const owners = await send(recipient, { from: address(2) });
    if (strangers.code !== owners.code) {
      expect(await outcome(recipient, owners.code!, { handle: strangers.handle })).toBe('wrong');
    }
    expect(await outcome(recipient, owners.code!, { handle: owners.handle })).toBe('in');
  });

  it('OTC-1 with requireHandle a code is accepted with the handle of its own send alone', async () => {
    const { send, outcome, pass } = timedCodes({ requireHandle: true });
    const recipient = freshRecipient();
    const first = await send(recipient);
    const repeated = await send(recipient);
    expect(repeated.code).toBeNull();
    pass(60);
    const second = await send(recipient);
    expect(await outcome(recipient, first.code!)).toBe('wrong');
    for (const handle of [repeated.handle, second.handle, 'unknown', '']) {
      if (first.code !== second.code) expect(await outcome(recipient, first.code!, { handle })).toBe('wrong');
    }
    expect(await outcome(recipient, second.code!, { handle: second.handle })).toBe('in');
    expect(await outcome(recipient, first.code!, { handle: first.handle })).toBe('in');
    expect(await outcome(recipient, first.code!, { handle: first.handle })).toBe('wrong');
  });

  it('OTC-1 strangers who use up their attempts, with and without a handle, do not touch the handle of the owner', async () => {
    const { send, outcome, pass } = timedCodes();
    const recipient = freshRecipient();
    const owners = await send(recipient, { from: address(1) });
    pass(60);
    const strangers = await send(recipient, { from: address(2) });
    const guess = other(owners.code!);
    // Also from the address of the owner: a carrier has one for thousands.
    for (const from of [address(1), address(2), address(3)]) {
      for (let i = 0; i < 6; i += 1) await outcome(recipient, guess, { from });
    }
    for (let i = 0; i < 6; i += 1) await outcome(recipient, guess, { from: address(2), handle: strangers.handle });
    expect(await outcome(recipient, owners.code!, { from: address(1), handle: owners.handle, captcha: no })).toBe('in');
  });

  it('OTC-1 without a handle the attempts count by recipient and client network, and end there only', async () => {
    const { send, outcome, pass } = timedCodes();
    const recipient = freshRecipient();
    const { code } = await send(recipient);
    for (let i = 0; i < 5; i += 1)
      expect(await outcome(recipient, other(code!), { from: `2001:db8::${i}` })).toBe('wrong');
    expect(await outcome(recipient, code!, { from: '2001:db8::ffff' })).toBe('wrong');
    expect(await outcome(recipient, code!, { from: '2001:db8:0:1::1' })).toBe('in');
    const again = await send(freshRecipient());
    expect(again.code).not.toBeNull();
    pass(300);
    const { code: next } = await send(recipient);
    expect(await outcome(recipient, next!, { from: '2001:db8::ffff' })).toBe('in');
  });

  it('OTC-1 an unknown handle, and one of another recipient, count as none', async () => {
    const { send, outcome } = timedCodes();
    const [mine, theirs] = [freshRecipient(), freshRecipient()];
    const { code } = await send(mine);
    const { handle } = await send(theirs, { from: address(1) });
    for (const bogus of ['A'.repeat(22), handle, 'x', '\0', 'A'.repeat(500)]) {
      expect(await outcome(mine, other(code!), { handle: bogus })).toBe('wrong');
    }
    expect(await outcome(mine, code!, { handle: 'B'.repeat(22) })).toBe('wrong');
    expect(await outcome(mine, code!, { from: address(9), handle })).toBe('in');
  });

  it('OTC-1 after 50 wrong codes of a day a code needs a captcha, and an answered one lets the owner in', async () => {
    const { send, outcome, pass, events } = timedCodes();
    const recipient = freshRecipient();
    const owners = await send(recipient, { from: address(1) });
    for (let i = 0; i < 50; i += 1)
      expect(await outcome(recipient, other(owners.code!), { from: address(10 + i), captcha: no })).toBe('wrong');
    const guess = { from: address(100), captcha: no };
    expect(await outcome(recipient, other(owners.code!), guess)).toBe('CAPTCHA_REQUIRED');
    const mine = { from: address(1), handle: owners.handle };
    expect(await outcome(recipient, owners.code!, { ...mine, captcha: no })).toBe('CAPTCHA_REQUIRED');
    expect(await outcome(recipient, owners.code!, mine)).toBe('in');
    expect(events).toContainEqual({ type: 'recipient-guessed', recipient, wrongCodes: 50, consequence: 'captcha' });
    pass(86_400);
    const next = await send(recipient, { from: address(1) });
    expect(await outcome(recipient, next.code!, { handle: next.handle, captcha: no })).toBe('in');
  });

  it('OTC-1 after 100 wrong codes of a day no code of six digits is compared, and a new code is long and accepted', async () => {
    const { engine, send, outcome, pass, events } = timedCodes();
    const recipient = freshRecipient();
    const owners = await send(recipient, { from: address(1) });
    for (let i = 0; i < 100; i += 1) await outcome(recipient, other(owners.code!), { from: address(10 + i) });
    expect(await outcome(recipient, owners.code!, { from: address(1), handle: owners.handle })).toBe(
      'NEW_CODE_REQUIRED',
    );
    expect(await outcome(recipient, '000000', { from: address(500) })).toBe('NEW_CODE_REQUIRED');
    expect((await engine.explain(recipient)).wrongCodes).toBe(100);
    pass(60);
    const next = await send(recipient, { from: address(1) });
    expect(next.code).toMatch(/^[0-9]{12}$/);
    expect(await outcome(recipient, other(next.code!), { from: address(500) })).toBe('wrong');
    expect(await outcome(recipient, next.code!, { from: address(1), handle: next.handle })).toBe('in');
    expect(events.map((event) => 'consequence' in event && event.consequence)).toEqual(['captcha', 'long-codes-only']);
  });

  it('OTC-1 an owner who asks again while he is guessed at has a code that outlives the hundredth guess', async () => {
    const { send, outcome } = timedCodes();
    const recipient = freshRecipient();
    for (let i = 0; i < 60; i += 1) await outcome(recipient, '000000', { from: address(10 + i) });
    const owners = await send(recipient, { from: address(1) });
    for (let i = 0; i < 60; i += 1) await outcome(recipient, '000000', { from: address(200 + i) });
    expect(await outcome(recipient, owners.code!, { from: address(1), handle: owners.handle })).toBe('in');
  });

  it('OTC-1 the mistakes of someone who then signs in are no wrong codes', async () => {
    const { engine, send, outcome } = timedCodes();
    const recipient = freshRecipient();
    const { handle, code } = await send(recipient);
    for (let i = 0; i < 4; i += 1) await outcome(recipient, other(code!), { handle });
    expect((await engine.explain(recipient)).wrongCodes).toBe(4);
    expect(await outcome(recipient, code!, { handle })).toBe('in');
    expect((await engine.explain(recipient)).wrongCodes).toBe(0);
  });

  it('OTC-1 a right code that is not redeemed is no wrong code, but an attempt', async () => {
    const { engine, send, check, outcome } = timedCodes();
    const recipient = freshRecipient();
    const { handle, code } = await send(recipient);
    for (let i = 0; i < 5; i += 1) expect(await check(recipient, code!, { handle })).not.toBeNull();
    expect((await engine.explain(recipient)).wrongCodes).toBe(0);
    expect(await outcome(recipient, code!, { handle })).toBe('wrong');
  });

  it('OTC-1 a check that lacks its captcha uses up no attempt', async () => {
    const { send, outcome } = timedCodes({ wrongCaptchaAfter: 0 });
    const recipient = freshRecipient();
    const { handle, code } = await send(recipient);
    for (let i = 0; i < 9; i += 1)
      expect(await outcome(recipient, code!, { handle, captcha: no })).toBe('CAPTCHA_REQUIRED');
    expect(await outcome(recipient, code!, { handle })).toBe('in');
  });

  it('OTC-1 attempts are counted for the lifetime of a code, even if the parameter is lowered meanwhile', async () => {
    let validSeconds = 3600;
    const { send, outcome, pass } = timedCodes(() => ({ validSeconds }));
    const recipient = freshRecipient();
    const { handle, code } = await send(recipient);
    validSeconds = 1;
    for (let i = 0; i < 5; i += 1) await outcome(recipient, other(code!), { handle });
    pass(3500);
    expect(await outcome(recipient, code!, { handle })).toBe('wrong');
  });

  it('OTC-1 LP-40 a code expires, is valid for its recipient only, and is accepted as typed', async () => {
    const { engine, send, outcome, pass } = timedCodes();
    const [mine, theirs] = [freshRecipient(), freshRecipient()];
    const first = await send(mine);
    const foreign = await send(theirs, { from: address(1) });
    if (first.code !== foreign.code) expect(await outcome(mine, foreign.code!)).toBe('wrong');
    const wide = [...first.code!].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
    expect(await outcome(mine, ` ${wide} `)).toBe('in');
    expect(await engine.isLive(theirs, foreign.id!)).toBe(true);
    pass(300);
    expect(await engine.isLive(theirs, foreign.id!)).toBe(false);
    expect(await outcome(theirs, foreign.code!, { handle: foreign.handle })).toBe('wrong');
  });

  it('USR-5 OTC-1 a code with a purpose serves this one only; one without serves every purpose', async () => {
    const { send, outcome } = timedCodes();
    const [one, two] = [freshRecipient(), freshRecipient()];
    const bound = await send(one, { purpose: 'recover' });
    for (const purpose of [null, 'login']) {
      expect(await outcome(one, bound.code!, { handle: bound.handle, purpose })).toBe('wrong');
    }
    expect(await outcome(one, bound.code!, { handle: bound.handle, purpose: 'recover' })).toBe('in');
    const free = await send(two, { from: address(1) });
    expect(await outcome(two, free.code!, { purpose: 'recover' })).toBe('in');
  });

  it('OTC-1 the store holds neither code nor recipient nor handle', async () => {
    const written: string[] = [];
    const { store } = timedCodes();
    const watched = Object.fromEntries(
      Object.entries(store).map(([verb, call]) => [
        verb,
        typeof call !== 'function'
          ? call
          : (...given: unknown[]) => {
              written.push(...given.map(String));
              return (call as (...all: unknown[]) => unknown)(...given);
            },
      ]),
    ) as unknown as typeof store;
    const { send, outcome } = timedCodes({ codeLength: 10 }, { store: watched });
    const recipient = freshRecipient();
    const { handle, code } = await send(recipient);
    await outcome(recipient, other(code!), { handle });
    expect(await outcome(recipient, code!, { handle })).toBe('in');
    for (const secret of [code!, recipient.slice(1), handle]) expect(written.join(' ')).not.toContain(secret);
  });
});
