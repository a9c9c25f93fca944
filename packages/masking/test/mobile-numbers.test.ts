import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { maskSensitive, maskText } from '../src/index.js';

/** Numbers as people write them, and what is left of each. */
const NUMBERS: readonly (readonly [written: string, masked: string])[] = [
  // China.
  ['13800138000', '138****8000'],
  ['138-00138000', '138****8000'],
  ['1380013 8000', '138****8000'],
  ['138 0013 8000', '138****8000'],
  ['138-0013 8000', '138****8000'],
  ['138.0013.8000', '138****8000'],
  ['138.0013-8000', '138****8000'],
  ['(138) 0013-8000', '138****8000'],
  ['(138)00138000', '138****8000'],
  ['138 (0013) 8000', '138****8000'],
  ['(138)(0013)(8000)', '138****8000'],
  ['8613800138000', '86138****8000'],
  ['86-138-0013-8000', '86138****8000'],
  ['(86) 13800138000', '86138****8000'],
  ['0086 138 0013 8000', '00861****8000'],
  // E.164.
  ['+86 138-0013-8000', '+86138****8000'],
  ['+86(138)0013-8000', '+86138****8000'],
  ['+861380013 8000', '+86138****8000'],
  ['+44 7400 123456', '+4474****3456'],
  ['+44 (0)7400 123456', '+44074****3456'],
  ['+(44) 7400 123456', '+4474****3456'],
  ['+44740012 3456', '+4474****3456'],
  ['+1 (415) 555-2671', '+141****2671'],
  ['+1.415.555.2671', '+141****2671'],
  ['+1-415-555-2671', '+141****2671'],
  ['+49 1512 3456789', '+49151****6789'],
  ['+33 6 12 34 56 78', '+336****5678'],
  ['+420 601 234 567', '+4206****4567'],
  ['+45 12 34 56 78', '+45****5678'],
  ['+47.123.45.678', '+47****5678'],
  ['+4520123456', '+45****3456'],
  ['+85291234567', '+852****4567'],
  ['+49151234567 89', '+49151****6789'],
];

/** What has the digits of a number, and is none. */
const OTHERS: readonly string[] = [
  // Times and dates.
  ...['2026-11-21 16:15:10.123', '2026-11-21T16:15:10+01:00', '16:15:10 +1000 2026-11-21', 'UTC+8 2026-11-21 10:00'],
  ...['2026-11-21 16:15:10 +0000 10.0.0.1', 'at+2026-11-21+12', 'on+21.11.2026', '13-10-2026 1200', '15.10.2026 134'],
  ...['[21/Nov/2026:16:15:10 +0000] "GET', '1999-12-31 23:59:59', '2026.11.21.1345', '1700000000.123', '150-20261121'],
  // Amounts and other numbers.
  ...['+1 234 567.89', '+12.345.678,90', '+100.00 2500.00', '1500000.0000', '139.69171234', '1.3800138e10'],
  ...['+250000.00', '+1234567.89 EUR', '+2500000.5', '+15.000.000 IDR', '+12 345 678'],
  ...['+1234 -5678', '@@ -1234,7 +1234,9 @@', '1e+10 20 30 40', '150 000 000.00', '13 14 15 16 17 18'],
  ...['1500 2000 300', '200 1534 0.123 0.100', '138001380001', '4111 1111 1111 1111', 'ISBN 978-3-16-148410-0'],
  // Addresses, versions and ids.
  ...['192.168.100.200', '192.168.100.20', '172.16.254.100', 'ip+192.168.100.200', '192.168.1.1 192.168.1.10'],
  ...['Chrome/138.0.7204.168 Safari/537.36', '10.0.19045.3803', 'v18.2345.6789', '138.7204.1680.12', '13.8.12345678'],
  ...['018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e', '13800138-0013-8000-1380-013800138000', 'INV-1500-2026-0001'],
  ...['DE89 3704 0044 0532 0130 00', '1700-000-1234', 'a13800138000', 'pid 1534 tid 1400', '13800138000x'],
];

describe('mobile numbers as people write them', () => {
  it.each(NUMBERS)('AUD-3 AUD-10 masks %s', (written, masked) => {
    expect(maskText(written)).toBe(masked);
    expect(maskSensitive({ note: written })).toEqual({ note: masked });
    for (const [before, after] of [
      ['call ', ' or not'],
      ['2026-11-21 10:15 ', ''],
      ['', ' 10:15, 2026-11-21'],
      ['', ' 2026-11-21'],
      ['', ': busy'],
      ['', ':12'],
      ['"', '"'],
      ['电话', '，谢谢'],
      ['tel:', ';'],
    ] as const) {
      expect(maskText(before + written + after)).toBe(before + masked + after);
    }
    for (const encoded of [encodeURIComponent(written), new URLSearchParams({ q: written }).toString().slice(2)])
      expect(maskText(`/?a=1&q=${encoded}&b=2`)).toBe(`/?a=1&q=${masked}&b=2`);
    expect(maskText(masked)).toBe(masked);
  });

  it.each(OTHERS)('AUD-3 leaves %s', (text) => {
    expect(maskText(text)).toBe(text);
    expect(maskText(`at ${text}, and so on`)).toBe(`at ${text}, and so on`);
  });

  it('AUD-3 masks every mixture of separators and parentheses of China', () => {
    const gap = fc.constantFrom(...['', ' ', '-', '.', ') ', ')', ' (', ')-(', ')(', '(', '-(', ').']);
    const four = fc.stringMatching(/^\d{4}$/);
    const number = fc.tuple(fc.stringMatching(/^1[3-9]\d$/), gap, four, gap, four);
    fc.assert(
      fc.property(number, ([begin, first, middle, second, end]) => {
        const written = `${begin}${first}${middle}${second}${end}`;
        // A decimal number, or one in front of a date.
        fc.pre(!/^(?:\d{3}\.\d{8}|\d{7}\.\d{4}|\d{3}[ -]20\d{6})$/.test(written));
        expect(maskText(`(${written}`)).toMatch(/^\(?\d{3}\*{4}\d{4}$/);
        expect(maskText(written)).toBe(`${begin}****${end}`);
      }),
      { numRuns: cases(2000) },
    );
  });

  it('AUD-3 masks E.164 with up to two separators between groups of digits', () => {
    const gap = fc.string({ unit: fc.constantFrom(...' .()-'), maxLength: 2 });
    const group = fc.tuple(gap, fc.stringMatching(/^\d{3,4}$/)).map((parts) => parts.join(''));
    const number = fc.tuple(fc.constantFrom('1', '33', '44', '49', '86', '852'), fc.tuple(group, group, group));
    fc.assert(
      fc.property(number, gap, fc.stringMatching(/^\d{4}$/), ([country, groups], last, end) => {
        const written = `+${country}${groups.slice(0, 2).join('')}${last}${end}`;
        // An offset from UTC.
        fc.pre(!/^\+1(?:[01][03]0|[2-4]00|245) /.test(written));
        expect(maskText(written)).toMatch(new RegExp(`^\\+\\d{2,5}\\*{4}${end}$`));
      }),
      { numRuns: cases(2000) },
    );
  });

  it('AUD-3 leaves what follows a complete number', () => {
    for (const number of ['+8613800138000', '+14155552671', '+447400123456', '+4915123456789'])
      expect(maskText(`${number} 200 OK`)).toMatch(/^\+\d{3,5}\*{4}\d{4} 200 OK$/);
    expect(maskText('138-0013-8000 200 OK')).toBe('138****8000 200 OK');
  });

  it('AUD-3 AUD-10 masks what is masked to the same text, and the fast path agrees', () => {
    const pieces = [...'0123456789 .()-+*:/', '138', '0013', '8000', '****', '+86', '+1', '20', '2026-11-21', 'a'];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...pieces), maxLength: 16 }), (text) => {
        const masked = maskText(text);
        expect(maskText(masked)).toBe(masked);
        // No pattern matches across a bracket, which is no ordinary character.
        expect(maskText(`${text} [`)).toBe(`${masked} [`);
      }),
      { numRuns: cases(4000) },
    );
  });
});
