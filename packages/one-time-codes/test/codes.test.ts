import { randomBytes } from 'node:crypto';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedStore, stores } from '../../../../../scripts/test-stores.js';
import { maskMobile, parseMobile, regionOf } from '../../../src/http/mobile-number.js';
import { createSendLimits } from '../../../src/modules/one-time-codes/send-limits.js';
import { createSmsCodes, type SmsCodes } from '../../../src/modules/one-time-codes/sms-codes.js';
import { deriveKey } from '../../../src/protection/token-keys.js';

const KEY = randomBytes(32);
const POLICY = {
  codeLength: 6,
  validSeconds: 300,
  resendSeconds: 60,
  maxAttempts: 5,
  mobileDailyLimit: 10,
  ipHourlyLimit: 20,
  overallHourlyLimit: 5000,
  captchaAfter: 100,
};

/** A number that no other test uses. */
const freshMobile = (() => {
  let last = 13_800_000_000;
  return () => `+86${++last}`;
})();

const other = (code: string) => code.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));

async function signsIn(codes: SmsCodes, mobile: string, code: string): Promise<boolean> {
  const right = await codes.check(mobile, code);
  return right !== null && (await right.redeem());
}

describe('mobile numbers', () => {
  it('LP-36 APP-1 all spellings of a number are the same number', () => {
    const spellings = [
      '+8613812345678',
      '+86 138 1234 5678',
      '008613812345678',
      '138 1234 5678',
      '13812345678',
      '１３８１２３４５６７８',
      '＋８６ 138-1234-5678',
      ' 13812345678 ',
    ];
    for (const spelling of spellings) expect(parseMobile(spelling, 'CN')).toBe('+8613812345678');
    expect(parseMobile('+44 7400 123456', 'CN')).toBe('+447400123456');
    expect(parseMobile('07400 123456', 'GB')).toBe('+447400123456');
  });

  it('LP-36 refuses what is not a mobile number', () => {
    const texts = [
      '',
      ' ',
      '1',
      '12345',
      '010 1234 5678',
      '+861',
      'call 13812345678',
      '13812345678 ext 5',
      '+8613812345678;phone-context=x',
      '13812345678\0',
      '1'.repeat(33),
      '{"$ne":1}',
      '*',
      // Of no country: premium rate, satellites, international services. The sender pays for these messages.
      '+979123456789',
      '+870773111632',
      '+80012345678',
      '+19002345678',
      '+449098790000',
    ];
    for (const text of texts) expect(parseMobile(text, 'CN')).toBeNull();
  });

  it('LP-36 normalising an accepted number again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789+ -()８６abc'), maxLength: 20 }), (text) => {
        const mobile = parseMobile(text, 'CN');
        if (mobile !== null) {
          expect(mobile).toMatch(/^\+[1-9][0-9]{6,14}$/);
          expect(parseMobile(mobile, 'CN')).toBe(mobile);
        }
      }),
    );
  });

  it('APP-5 finds the country of a number', () => {
    const numbers = ['+8613812345678', '+447400123456', '+12015550123', '+77012345678', '+79261234567'];
    expect(numbers.map(regionOf)).toEqual(['CN', 'GB', 'US', 'KZ', 'RU']);
  });

  it('AUD-3 a masked number shows only its beginning and its end', () => {
    expect(maskMobile('+8613812345678')).toBe('+8613****78');
  });
});

describe('keys for codes and notifications', () => {
  it('APP-5 each purpose has its own key, whatever the form of the signing key', () => {
    const secret = randomBytes(32);
    const one = deriveKey({ algorithm: 'HS256', secret }, 'sms-codes');
    expect(one).toHaveLength(32);
    expect(deriveKey({ algorithm: 'HS256', secret }, 'sms-codes').equals(one)).toBe(true);
    expect(deriveKey({ algorithm: 'HS256', secret }, 'notifications').equals(one)).toBe(false);
  });
});

describe.each(stores)('SMS codes on %s', (_name, open) => {
  let opened: OpenedStore;
  let node: SmsCodes;
  let second: SmsCodes;
  const nodeOn = (store: TtlStore, policy = POLICY) => createSmsCodes({ store, key: KEY, policy: () => policy });

  describe.skipIf(open === null)('as two nodes see them', () => {
    beforeAll(async () => {
      opened = await open!();
      node = nodeOn(opened.nodes[0]);
      second = nodeOn(opened.nodes[1]);
    });
    afterAll(() => opened.close());

    it('APP-5 a code has the configured number of digits and is accepted once, on any node', async () => {
      const mobile = freshMobile();
      const { code } = await node.issue(mobile);
      expect(code).toMatch(/^[0-9]{6}$/);
      expect(await signsIn(second, mobile, code)).toBe(true);
      expect(await signsIn(node, mobile, code)).toBe(false);
      expect((await nodeOn(opened.nodes[0], { ...POLICY, codeLength: 10 }).issue(mobile)).code).toMatch(/^[0-9]{10}$/);
    });

    it('REL-4 APP-5 exactly one of 50 parallel uses of a correct code on two nodes takes effect', async () => {
      const mobile = freshMobile();
      const { code } = await node.issue(mobile);
      const uses = Array.from({ length: 50 }, (_, i) => signsIn(i % 2 === 0 ? node : second, mobile, code));
      expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
    });

    it('LP-38 APP-5 five wrong attempts invalidate the code, and the correct code after 20 parallel guesses is refused', async () => {
      const mobile = freshMobile();
      const { code } = await node.issue(mobile);
      for (let i = 0; i < 5; i += 1)
        expect(await signsIn(i % 2 === 0 ? node : second, mobile, other(code))).toBe(false);
      const late = Array.from({ length: 20 }, () => signsIn(node, mobile, code));
      expect((await Promise.all(late)).filter(Boolean)).toHaveLength(0);
    });

    it('LP-38 the fifth attempt is still compared', async () => {
      const mobile = freshMobile();
      const { code } = await node.issue(mobile);
      for (let i = 0; i < 4; i += 1) await signsIn(node, mobile, other(code));
      expect(await signsIn(node, mobile, code)).toBe(true);
    });

    it('LP-40 a code is valid for its number only, and a new code replaces the old one and has its own attempts', async () => {
      const [mine, theirs] = [freshMobile(), freshMobile()];
      const [first, foreign] = [await node.issue(mine), await node.issue(theirs)];
      expect(await signsIn(node, mine, foreign.code === first.code ? other(first.code) : foreign.code)).toBe(false);
      for (let i = 0; i < 4; i += 1) await signsIn(node, mine, other(first.code));
      const next = await node.issue(mine);
      expect(await node.isCurrent(mine, first.id)).toBe(false);
      expect(await node.isCurrent(mine, next.id)).toBe(true);
      if (first.code !== next.code) expect(await signsIn(node, mine, first.code)).toBe(false);
      expect(await signsIn(node, mine, next.code)).toBe(true);
      expect(await node.isCurrent(mine, next.id)).toBe(false);
    });

    it('LP-40 APP-5 using a code does not consume a newer one that arrived meanwhile', async () => {
      const mobile = freshMobile();
      const { code } = await node.issue(mobile);
      const right = await node.check(mobile, code);
      const next = await node.issue(mobile);
      expect(await right?.redeem()).toBe(false);
      expect(await signsIn(node, mobile, next.code)).toBe(true);
    });

    it('APP-5 a withdrawn code is invalid, and a newer one stays valid', async () => {
      const mobile = freshMobile();
      const first = await node.issue(mobile);
      await node.withdraw(mobile, first.id);
      expect(await signsIn(node, mobile, first.code)).toBe(false);
      const next = await node.issue(mobile);
      await node.withdraw(mobile, first.id);
      expect(await signsIn(node, mobile, next.code)).toBe(true);
    });

    it('LP-35 APP-5 one of 20 parallel requests for the same number, from 20 addresses on two nodes, passes', async () => {
      const limits = opened.nodes.map((store) => createSendLimits({ store, key: KEY, policy: () => POLICY }));
      const mobile = freshMobile();
      const asked = Array.from({ length: 20 }, (_, i) =>
        limits[i % 2]!.admit({ mobile, client: `192.0.2.${i}`, hasCaptcha: async () => false }),
      );
      const outcomes = await Promise.allSettled(asked);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ code: 'SMS_LIMITED', statusCode: 429 });
      }
    });
  });
});

describe('SMS codes and their limits over time', () => {
  let time: number;
  let store: TtlStore;
  const now = () => time;
  beforeEach(() => {
    time = 1_700_000_000_000;
    store = createMemoryStore({ now });
  });
  const pass = (seconds: number) => {
    time += seconds * 1000;
  };
  const limits = (policy: Partial<typeof POLICY> = {}) =>
    createSendLimits({ store, key: KEY, now, policy: () => ({ ...POLICY, ...policy }) });
  const ask = (mobile: string, client = '192.0.2.1', hasCaptcha = async () => false) => ({
    mobile,
    client,
    hasCaptcha,
  });
  const outcome = (sending: Promise<unknown>) =>
    sending.then(
      () => 'sent',
      (error) => `${error.code} ${error.retryAfterSeconds ?? ''}`.trim(),
    );

  it('LP-40 APP-5 a code expires', async () => {
    const codes = createSmsCodes({ store, key: KEY, now, policy: () => POLICY });
    const mobile = freshMobile();
    const { code, expiresAt } = await codes.issue(mobile);
    expect(expiresAt).toBe(time + 300_000);
    pass(299);
    expect(await codes.check(mobile, code)).not.toBeNull();
    pass(1);
    expect(await codes.check(mobile, code)).toBeNull();
  });

  it('APP-5 the store holds neither the code nor the number, and the same code has another digest for another number', async () => {
    const written: string[] = [];
    const watched = {
      ...store,
      set: async (key: string, value: string, ttlMillis: number) => {
        written.push(key, value);
        await store.set(key, value, ttlMillis);
      },
    };
    const codes = createSmsCodes({ store: watched, key: KEY, now, policy: () => ({ ...POLICY, codeLength: 10 }) });
    const mobile = freshMobile();
    const { code } = await codes.issue(mobile);
    expect(written.join(' ')).not.toContain(code);
    expect(written.join(' ')).not.toContain(mobile.slice(1));
    const stranger = createSmsCodes({ store, key: randomBytes(32), now, policy: () => POLICY });
    expect(await stranger.check(mobile, code)).toBeNull();
  });

  it('LP-38 APP-5 attempts are counted for the lifetime of a code, even if the parameter is lowered meanwhile', async () => {
    let validSeconds = 3600;
    const codes = createSmsCodes({ store, key: KEY, now, policy: () => ({ ...POLICY, validSeconds }) });
    const mobile = freshMobile();
    const { code } = await codes.issue(mobile);
    validSeconds = 1;
    for (let i = 0; i < 5; i += 1) expect(await signsIn(codes, mobile, other(code))).toBe(false);
    pass(3500);
    expect(await signsIn(codes, mobile, code)).toBe(false);
  });

  it('APP-5 a short key is refused', () => {
    expect(() => createSmsCodes({ store, key: randomBytes(31), policy: () => POLICY })).toThrow(TypeError);
  });

  it('APP-5 one code a minute for a number, ten a day, and Retry-After says when', async () => {
    const mobile = freshMobile();
    expect(await outcome(limits().admit(ask(mobile)))).toBe('sent');
    pass(15);
    expect(await outcome(limits().admit(ask(mobile)))).toBe('SMS_LIMITED 45');
    for (let i = 0; i < 9; i += 1) {
      pass(60);
      expect(await outcome(limits().admit(ask(mobile, `192.0.2.${i}`)))).toBe('sent');
    }
    pass(60);
    expect(await outcome(limits().admit(ask(mobile, '198.51.100.7')))).toBe(`SMS_LIMITED ${86_400 - 15 - 600}`);
    pass(86_400);
    expect(await outcome(limits().admit(ask(mobile)))).toBe('sent');
  });

  it('APP-5 twenty codes an hour for one client, and a limit for all together; a refused request counts nowhere', async () => {
    for (let i = 0; i < 20; i += 1) expect(await outcome(limits().admit(ask(freshMobile())))).toBe('sent');
    const mobile = freshMobile();
    for (let i = 0; i < 3; i += 1) expect(await outcome(limits().admit(ask(mobile)))).toBe('SMS_LIMITED 3600');
    expect(await outcome(limits().admit(ask(mobile, '192.0.2.2')))).toBe('sent');
    const tight = limits({ overallHourlyLimit: 22, captchaAfter: 0 });
    const solved = async () => true;
    expect(await outcome(tight.admit(ask(freshMobile(), '192.0.2.3', solved)))).toBe('sent');
    expect(await outcome(tight.admit(ask(freshMobile(), '192.0.2.4', solved)))).toBe('SMS_LIMITED 3600');
    pass(3600);
    expect(await outcome(tight.admit(ask(freshMobile(), '192.0.2.4', solved)))).toBe('sent');
  });

  it('APP-5 LP-31 past the threshold a captcha is needed, and without a correct answer nothing is counted or consumed', async () => {
    const strict = limits({ captchaAfter: 2 });
    let asked = 0;
    const answers = (isRight: boolean) => async () => {
      asked += 1;
      return isRight;
    };
    for (let i = 0; i < 2; i += 1) {
      expect(await strict.needsCaptcha('192.0.2.1')).toBe(false);
      expect(await outcome(strict.admit(ask(freshMobile(), '192.0.2.1', answers(false))))).toBe('sent');
    }
    expect(asked).toBe(0);
    expect(await strict.needsCaptcha('192.0.2.1')).toBe(true);
    const mobile = freshMobile();
    expect(await outcome(strict.admit(ask(mobile, '192.0.2.1', answers(false))))).toBe('CAPTCHA_REQUIRED');
    expect(await outcome(strict.admit(ask(mobile, '192.0.2.1', answers(true))))).toBe('sent');
    expect(asked).toBe(2);
    expect(await strict.needsCaptcha('192.0.2.2')).toBe(false);
  });

  it('APP-1 APP-5 without a captcha the answer does not reveal whether the number was just sent a code', async () => {
    const strict = limits({ captchaAfter: 0 });
    const mobile = freshMobile();
    expect(await outcome(strict.admit(ask(mobile, '192.0.2.1', async () => true)))).toBe('sent');
    for (const each of [mobile, freshMobile()]) {
      expect(await outcome(strict.admit(ask(each, '192.0.2.2')))).toBe('CAPTCHA_REQUIRED');
    }
    expect(await outcome(strict.admit(ask(mobile, '192.0.2.2', async () => true)))).toBe('SMS_LIMITED 60');
  });

  it('APP-5 after half of the hourly limit every client needs a captcha', async () => {
    const strict = limits({ overallHourlyLimit: 4 });
    for (let i = 0; i < 2; i += 1) expect(await outcome(strict.admit(ask(freshMobile(), `192.0.2.${i}`)))).toBe('sent');
    expect(await strict.needsCaptcha('192.0.2.9')).toBe(true);
    expect(await outcome(strict.admit(ask(freshMobile(), '192.0.2.9')))).toBe('CAPTCHA_REQUIRED');
  });

  it('APP-5 refusals across the end of a window allow no additional codes in the next one', async () => {
    const strict = limits({ ipHourlyLimit: 2, captchaAfter: 0 });
    const solved = async () => true;
    // Refused after the hour of its count has ended.
    const late = async () => {
      pass(3600);
      return false;
    };
    for (let i = 0; i < 3; i += 1) {
      expect(await outcome(strict.admit(ask(freshMobile(), '192.0.2.1', late)))).toBe('CAPTCHA_REQUIRED');
    }
    const outcomes = [];
    for (let i = 0; i < 4; i += 1) outcomes.push(await outcome(strict.admit(ask(freshMobile(), '192.0.2.1', solved))));
    expect(outcomes).toEqual(['sent', 'sent', 'SMS_LIMITED 3600', 'SMS_LIMITED 3600']);
  });

  it('APP-4 a failed sending is removed from all counters', async () => {
    const mobile = freshMobile();
    const giveBack = await limits({ mobileDailyLimit: 1 }).admit(ask(mobile));
    await giveBack();
    expect(await outcome(limits({ mobileDailyLimit: 1 }).admit(ask(mobile)))).toBe('sent');
  });
});
