import { describe, expect, it } from 'vitest';
import { CaptchaProviderUnavailableError, type ExternalAnswer } from '../src/index.js';
import { captchaWorld } from './captcha-world.js';

const login = { kind: 'external', purpose: 'login' } as const;

async function redeemWith(verify: (answer: ExternalAnswer) => unknown, proof: string | undefined = 'token') {
  const { engine } = captchaWorld({ external: { verify: verify as never, timeoutMillis: 30 } });
  const { key } = await engine.issue(login);
  const answered = { purpose: 'login', kinds: ['external'] as const, key, proof, clientIp: '192.0.2.1' };
  return {
    outcome: await engine.redeem(answered).catch((error: unknown) => error),
    again: await engine.redeem(answered),
  };
}

describe('external captchas', () => {
  it('CAP-1 ask the provider once, with token, address and purpose', async () => {
    const asked: ExternalAnswer[] = [];
    const { outcome, again } = await redeemWith((answer) => asked.push(answer) === 1);
    expect([outcome, again]).toEqual([true, false]);
    expect(asked).toEqual([
      { token: 'token', clientIp: '192.0.2.1', purpose: 'login', signal: expect.any(AbortSignal) },
    ]);
  });

  it.each([false, null, undefined, 1, 'yes', {}])('CAP-1 an answer %j is no yes', async (said) => {
    expect((await redeemWith(async () => said)).outcome).toBe(false);
  });

  it('CAP-1 no token is wrong without a question', async () => {
    const unasked = () => expect.unreachable();
    expect((await redeemWith(unasked, '')).outcome).toBe(false);
  });

  it('CAP-1 a provider that fails or gives no answer in time lets nobody through, and 503 says so', async () => {
    const reason = new Error('ECONNREFUSED');
    const hangs = () => new Promise(() => {});
    const throws = () => {
      throw reason;
    };
    for (const verify of [hangs, throws, () => Promise.reject(reason)]) {
      const { outcome, again } = await redeemWith(verify);
      expect(outcome).toBeInstanceOf(CaptchaProviderUnavailableError);
      expect(outcome).toMatchObject({ statusCode: 503, code: 'CAPTCHA_PROVIDER_UNAVAILABLE' });
      if (verify !== hangs) expect(outcome).toMatchObject({ cause: reason });
      expect(again).toBe(false);
    }
  });

  it('CAP-1 the signal aborts when the time is over', async () => {
    let given: AbortSignal | undefined;
    await redeemWith(({ signal }) => {
      given = signal;
      return new Promise(() => {});
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(given?.aborted).toBe(true);
  });
});
