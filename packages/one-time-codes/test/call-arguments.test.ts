import { describe, expect, it } from 'vitest';
import { freshRecipient, testCodes } from './test-codes.js';

const client = { clientIp: '192.0.2.1' };
const typed = { ...client, recipient: freshRecipient(), code: '000000' };

describe('arguments of calls', () => {
  const { engine, messages } = testCodes();
  const calls = engine as unknown as Record<string, (argument: unknown) => Promise<unknown>>;

  it.each([
    ['send', { ...client, recipient: '+1', purpos: 'login' }, 'purpos', 'purpose'],
    ['send', { ...client, recipient: '+1', captcha: async () => true }, 'captcha', 'hasCaptcha'],
    ['check', { ...typed, handel: 'x' }, 'handel', 'handle'],
    ['redeem', { ...typed, handel: 'x' }, 'handel', 'handle'],
    ['needsCaptcha', { clientIP: '192.0.2.1' }, 'clientIP', 'clientIp'],
  ])('ADP-1 %s refuses a misspelt member: %j', async (call, argument, given, meant) => {
    const called = calls[call]?.(argument);
    await expect(called).rejects.toThrow(TypeError);
    await expect(called).rejects.toThrow(`oneTimeCodes.${call}: ${given} is not an option; did you mean ${meant}?`);
  });

  it.each([
    ['send', { ...client, recipient: '+1', hasCaptcha: true }, 'hasCaptcha must be a function, such as () => captchas'],
    ['check', { ...typed, hasCaptcha: Promise.resolve(true) }, 'hasCaptcha must be a function'],
    ['redeem', { ...typed, hasCaptcha: null }, 'hasCaptcha must be a function'],
    ['send', { ...client, recipient: '+1', purpose: 7 }, 'purpose must be a text, such as login, or null'],
    ['redeem', { ...typed, clientIp: undefined }, 'clientIp is required: an IP address, such as request.ip'],
    ['needsCaptcha', { clientIp: 'zz' }, 'clientIp must be an IP address, such as request.ip'],
    ['needsCaptcha', '192.0.2.1', 'the argument must be an object with clientIp'],
    ['send', undefined, 'the argument must be an object with recipient, clientIp, purpose, hasCaptcha, context'],
  ])('ADP-1 %s refuses a value of a wrong type at every call: %j', async (call, argument, message) => {
    const called = calls[call]?.(argument);
    await expect(called).rejects.toThrow(TypeError);
    await expect(called).rejects.toThrow(`oneTimeCodes.${call}: ${message}`);
  });

  it('ADP-1 nothing is sent or counted by a call that is refused', async () => {
    expect(messages).toEqual([]);
    expect(await engine.explain(typed.recipient)).toMatchObject({ messages: 0, wrongCodes: 0, limits: [] });
  });
});
