import type { TtlStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import { freshRecipient, timedCodes } from './test-codes.js';

/** Counts the calls of a verb from now on. */
function countCalls(store: TtlStore, verb: 'changeAll' | 'increment' | 'setIfAbsent'): () => number {
  const original = store[verb] as (...args: unknown[]) => Promise<unknown>;
  let calls = 0;
  Object.assign(store, {
    [verb]: (...args: unknown[]) => {
      calls += 1;
      return Reflect.apply(original, store, args);
    },
  });
  return () => calls;
}

describe('calls of the store', () => {
  it('PRF-13 OTC-2 a send draws its budgets in one call, and makes its code in another', async () => {
    const { sending, store } = timedCodes();
    const changes = countCalls(store, 'changeAll');
    const writes = countCalls(store, 'setIfAbsent');
    expect(await sending(freshRecipient())).toBe('sent');
    expect([changes(), writes()]).toEqual([2, 0]);
  });

  it('PRF-13 OTC-2 sends of a network that is over its limit count for nobody else', async () => {
    const { sending, engine } = timedCodes({ ipHourlyLimit: 2, overallHourlyLimit: 8, captchaAfter: 100 });
    const many = Array.from({ length: 20 }, () => sending(freshRecipient()));
    const outcomes = await Promise.all(many);
    expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.startsWith('CODE_SEND_LIMITED'))).toHaveLength(18);
    expect((await engine.needsCaptcha({ clientIp: '198.51.100.7' })).send).toBe(false);
    expect(await sending(freshRecipient(), { from: '198.51.100.7' })).toBe('sent');
  });

  it.each([true, false])(
    'PRF-13 OTC-2 of parallel sends one makes a code, and none is lost: changeAll %s',
    async (has) => {
      const { engine, sending } = timedCodes({ recipientCaptchaAfter: 100 }, {}, has);
      const recipient = freshRecipient();
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => sending(recipient)));
      expect(outcomes.filter((outcome) => outcome === 'sent').length).toBeGreaterThanOrEqual(1);
      expect(await engine.explain(recipient)).toMatchObject({ messages: 1, liveCodes: 1 });
    },
  );

  it.each([true, false])(
    'PRF-13 OTC-1 of parallel guesses exactly the attempts are compared: changeAll %s',
    async (has) => {
      const { engine, send, outcome } = timedCodes({ maxAttempts: 3 }, {}, has);
      const recipient = freshRecipient();
      const { handle } = await send(recipient);
      await Promise.all(Array.from({ length: 20 }, () => outcome(recipient, 'abcdef', { handle })));
      expect((await engine.explain(recipient)).wrongCodes).toBe(3);
    },
  );

  it.each([true, false])('PRF-13 OTC-2 a message that is not sent counts nowhere: changeAll %s', async (has) => {
    const send = () => Promise.reject(new Error('no gateway'));
    const { engine, sending } = timedCodes({}, { send }, has);
    const recipient = freshRecipient();
    await sending(recipient).catch(() => {});
    expect(await engine.explain(recipient)).toMatchObject({ messages: 0, liveCodes: 0, limits: [] });
  });
});
