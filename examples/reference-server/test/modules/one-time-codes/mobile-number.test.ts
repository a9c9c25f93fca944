import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskMobile, parseMobile, regionOf } from '../../../src/http/mobile-number.js';
import { deriveKey } from '../../../src/protection/token-keys.js';

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
