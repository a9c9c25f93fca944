import { describe, expect, it } from 'vitest';
import { address, freshRecipient, no, timedCodes } from './test-codes.js';

const OWNER = '198.51.100.1';

describe('owners whom strangers want to shut out', () => {
  it('OTC-2 codes that strangers ask for all day, for another purpose, do not keep the owner from his', async () => {
    const { send, check, messages, pass } = timedCodes();
    const recipient = freshRecipient();
    const owner = { from: OWNER, purpose: 'login' };
    const outcomes = new Set<boolean>();
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      await send(recipient, { from: address(minute), purpose: 'recover' });
      if (minute % 10 === 5) {
        const { handle } = await send(recipient, owner);
        const code = messages.findLast(({ purpose }) => purpose === 'login')?.code ?? '';
        outcomes.add((await check(recipient, code, { ...owner, handle })) !== null);
      }
      pass(60);
    }
    expect(outcomes).toEqual(new Set([true]));
    expect(messages.length).toBeLessThanOrEqual(10 + 2 * 49);
  });

  it('OTC-2 the codes of one purpose leave a place to another one', async () => {
    const { engine, send, sending, pass } = timedCodes({ resendSeconds: 1 });
    const recipient = freshRecipient();
    for (let i = 0; i < 3; i += 1) {
      await send(recipient, { from: address(i), purpose: 'recover' });
      pass(1);
    }
    expect((await engine.explain(recipient)).liveCodes).toBe(2);
    expect(await sending(recipient, { purpose: 'login' })).toBe('sent');
    expect(await sending(recipient)).toBe('no message');
    expect((await engine.explain(recipient)).liveCodes).toBe(3);
  });

  it('OTC-2 a clear frees a number whose three codes live: the oldest gives its place to a new one', async () => {
    const { engine, send, sending, outcome, pass } = timedCodes();
    const recipient = freshRecipient();
    const lost = [];
    for (let i = 0; i < 3; i += 1) {
      lost.push(await send(recipient));
      pass(61);
    }
    expect(await sending(recipient)).toBe('no message');
    expect(await engine.clear(recipient)).toEqual({ endedCodes: 1 });
    expect((await engine.explain(recipient)).liveCodes).toBe(2);
    const { code, handle } = await send(recipient);
    expect((await engine.explain(recipient)).liveCodes).toBe(3);
    expect(await outcome(recipient, lost[0]!.code!, { handle: lost[0]!.handle })).toBe('wrong');
    expect(await outcome(recipient, lost[2]!.code!, { handle: lost[2]!.handle })).toBe('in');
    expect(await outcome(recipient, code!, { handle })).toBe('in');
    expect(await engine.clear(recipient)).toEqual({ endedCodes: 0 });
  });

  it('OTC-2 a clear makes a place for every purpose, and ends no code beyond that', async () => {
    const { engine, send, sending, outcome, pass } = timedCodes();
    const recipient = freshRecipient();
    const recovery = await send(recipient, { purpose: 'recover' });
    for (let i = 0; i < 2; i += 1) {
      pass(61);
      await send(recipient, { purpose: 'login' });
    }
    pass(61);
    expect(await sending(recipient, { purpose: 'login' })).toBe('no message');
    expect(await engine.clear(recipient)).toEqual({ endedCodes: 1 });
    expect(await sending(recipient, { purpose: 'login' })).toBe('sent');
    expect(await outcome(recipient, recovery.code!, { handle: recovery.handle, purpose: 'recover' })).toBe('in');
  });

  it('OTC-2 a clear, and a sign-in, end the intervals of every purpose', async () => {
    const { engine, send, sending, signsIn } = timedCodes();
    const recipient = freshRecipient();
    const first = await send(recipient, { purpose: 'recover' });
    const second = await send(recipient, { purpose: 'login' });
    expect(await sending(recipient, { purpose: 'recover' })).toBe('no message');
    await signsIn(recipient, second.code!, { handle: second.handle, purpose: 'login' });
    const third = await send(recipient, { purpose: 'recover' });
    expect(third.code).not.toBeNull();
    await signsIn(recipient, first.code!, { handle: first.handle, purpose: 'recover' });
    await send(recipient, { purpose: 'login' });
    await engine.clear(recipient);
    expect(await sending(recipient, { purpose: 'login', captcha: no })).toBe('sent');
  });

  it.each([
    { sends: 3, seconds: 60, name: 'in every place' },
    { sends: 11, seconds: 100, name: 'in a slow half hour' },
  ])(
    'OTC-1 after 100 wrong codes the owner gets a long code at once: short codes $name',
    async ({ sends, seconds }) => {
      const { send, outcome, pass } = timedCodes();
      const recipient = freshRecipient();
      for (let i = 0; i < sends; i += 1) {
        await send(recipient, { from: address(i) });
        pass(seconds);
      }
      for (let i = 0; i < 100; i += 1) await outcome(recipient, '00000x', { from: address(100 + i) });
      const { handle, code } = await send(recipient, { from: OWNER });
      expect(code).toMatch(/^[0-9]{12}$/);
      expect(await outcome(recipient, code!, { from: OWNER, handle })).toBe('in');
    },
  );

  it('OTC-2 messages to a few numbers of his own, which have signed in, do not let an attacker block a shared address', async () => {
    const { send, sending, signsIn, pass } = timedCodes();
    const carrier = '192.0.2.7';
    const owner = freshRecipient();
    const own = Array.from({ length: 6 }, freshRecipient);
    for (const recipient of [owner, ...own]) {
      const { handle, code } = await send(recipient, { from: address(1) });
      await signsIn(recipient, code!, { handle });
    }
    pass(90_000);
    for (let i = 0; i < 150; i += 1) await sending(freshRecipient(), { from: carrier });
    let messages = 0;
    for (let minute = 0; minute < 58; minute += 1) {
      for (const recipient of own) {
        const sent = await send(recipient, { from: carrier }).catch(() => null);
        if (sent === null || sent.code === null) continue;
        messages += 1;
        // Signing in gives his number its budget back.
        if (messages % 10 === 0) await signsIn(recipient, sent.code, { handle: sent.handle });
      }
      pass(60);
    }
    expect(await sending(own[0]!, { from: carrier })).toMatch(/^CODE_SEND_LIMITED/);
    expect(await sending(owner, { from: carrier })).toBe('sent');
  });

  it('OTC-1 checks whose captchas are still being checked refuse no code of the owner', async () => {
    const { send, outcome } = timedCodes();
    const recipient = freshRecipient();
    const { handle, code } = await send(recipient, { from: OWNER });
    for (let i = 0; i < 50; i += 1) await outcome(recipient, '00000x', { from: address(i) });
    const answers: ((isAnswered: boolean) => void)[] = [];
    const captcha = () => new Promise<boolean>((resolve) => answers.push(resolve));
    const waiting: Promise<string>[] = [];
    for (let i = 0; i < 60; i += 1) {
      waiting.push(outcome(recipient, '00000x', { from: address(100 + i), captcha }));
      // It is in front of its captcha, or refused.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await outcome(recipient, code!, { from: OWNER, handle })).toBe('in');
    for (const answer of answers) answer(false);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['CAPTCHA_REQUIRED']));
  });
});
