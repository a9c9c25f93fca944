import { randomBytes } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import {
  CodeRecipientRefusedError,
  createOneTimeCodes,
  ONE_TIME_CODE_DEFAULTS,
  OneTimeCodesSetupError,
} from '../src/index.js';
import { freshRecipient, testCodes } from './test-codes.js';

const right = { store: createMemoryStore(), key: randomBytes(32), send: () => {} };

function faultsOf(more: object): readonly string[] {
  try {
    createOneTimeCodes({ ...right, ...more });
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(OneTimeCodesSetupError);
    return (error as OneTimeCodesSetupError).faults;
  }
}

describe('options', () => {
  it('ADP-1 a bad policy is refused with all its faults', () => {
    expect(faultsOf({ policy: { codeLength: 3, maxAttempts: 0, validSecond: 1 } })).toEqual([
      'policy.validSecond is not an option; did you mean policy.validSeconds?',
      'policy.codeLength must be a whole number of digits from 4 to 10',
      'policy.maxAttempts must be a whole number from 1 to 20',
    ]);
    expect(faultsOf({ policy: { codeLength: 10, longCodeLength: 10 } })).toEqual([
      'policy.longCodeLength must be more than codeLength',
    ]);
  });

  it('ADP-1 a key must be long', () => {
    for (const key of [randomBytes(31), 'x'.repeat(64)]) {
      expect(faultsOf({ key })).toEqual(['key must be a Uint8Array of at least 32 secret bytes']);
    }
  });

  it('OTC-1 a policy that goes bad refuses sends and checks with 503, and is not replaced by the defaults', async () => {
    const codes = createOneTimeCodes({ ...right, policy: () => ({ ...ONE_TIME_CODE_DEFAULTS, maxAttempts: 0 }) });
    const client = { recipient: freshRecipient(), clientIp: '192.0.2.1' };
    for (const call of [codes.send(client), codes.redeem({ ...client, code: '1' }), codes.explain(client.recipient)]) {
      await expect(call).rejects.toMatchObject({ code: 'ONE_TIME_CODES_UNAVAILABLE', statusCode: 503 });
    }
    const away = createOneTimeCodes({ ...right, policy: () => Promise.reject(new Error('away')) });
    await expect(away.send(client)).rejects.toThrow('away');
  });

  it('OTC-1 without hasCaptcha, and with an answer that is not true, none was answered', async () => {
    const { engine } = testCodes({ recipientCaptchaAfter: 0 });
    const client = { recipient: freshRecipient(), clientIp: '192.0.2.1' };
    for (const hasCaptcha of [undefined, () => false, () => ({ ok: false }), async () => 'no']) {
      const sending = engine.send({ ...client, hasCaptcha: hasCaptcha as () => boolean });
      await expect(sending).rejects.toMatchObject({ code: 'CAPTCHA_REQUIRED', statusCode: 400 });
    }
  });

  it('OTC-1 a recipient that is no text, is empty or is too long is refused, and no address is invented', async () => {
    const { engine } = testCodes();
    const refusal = { name: 'FastifyError', code: 'CODE_RECIPIENT_REFUSED', statusCode: 400 };
    for (const recipient of ['', 'a\0b', 'x'.repeat(257), undefined, null, 7, {}, ['ada']] as unknown as string[]) {
      const client = { recipient, clientIp: '192.0.2.1' };
      for (const call of [
        engine.send(client),
        engine.redeem({ ...client, code: '1' }),
        engine.explain(recipient),
        engine.clear(recipient),
      ]) {
        await expect(call).rejects.toThrow(CodeRecipientRefusedError);
        await expect(call).rejects.toMatchObject(refusal);
      }
    }
    for (const clientIp of ['', '10.0.0', '010.0.0.1', 'fe80::1%eth0', undefined as unknown as string]) {
      await expect(engine.send({ recipient: freshRecipient(), clientIp })).rejects.toThrow(TypeError);
    }
  });

  it('OTC-1 a code that is no text is a wrong one, and a handle that is none an unknown one', async () => {
    const { engine, send, events } = testCodes({ wrongCaptchaAfter: 100 });
    const recipient = freshRecipient();
    const { code, handle } = await send(recipient);
    const client = { recipient, clientIp: '192.0.2.1' };
    for (const given of [Number(code), null, {}, [code], true] as unknown as string[]) {
      expect(await engine.redeem({ ...client, code: given, handle: given })).toBe(false);
    }
    // The attempts of the handle are left, those without one are used up.
    expect(await engine.redeem({ ...client, code: code! })).toBe(false);
    expect(await engine.redeem({ ...client, code: code!, handle })).toBe(true);
    expect(events).toEqual([]);
  });
});
