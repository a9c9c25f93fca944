import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import * as node from '../../src/server/node-base64url.js';
import * as portable from '../../src/wire/base64url.js';
import { bytes, hex, ownVectors } from '../vector-files.js';

describe.each([
  { codec: 'portable', ...portable },
  { codec: 'Node’s', ...node },
])('base64url, $codec', ({ decodeBase64url, encodeBase64url }) => {
  it('EC-29 decodes the valid texts of the vectors and refuses the others', () => {
    const vectors = ownVectors<{ name: string; b64url: string; hex: string; valid: boolean }>('base64url_strict.json');
    expect(vectors).toHaveLength(25);
    for (const vector of vectors) {
      expect(hex(decodeBase64url(vector.b64url)), vector.name).toBe(vector.valid ? vector.hex : null);
      if (vector.valid) expect(encodeBase64url(bytes(vector.hex)), vector.name).toBe(vector.b64url);
    }
  });

  it('EC-29 refuses padding, the other alphabet, white space, odd lengths and stray bits', () => {
    const refused = [
      'Zg==',
      'Zm8=',
      '+_8',
      '-/8',
      ' Zg',
      'Zg ',
      'Zm\n8',
      'Z',
      'Zm9vY',
      'Zh',
      'Zm9',
      'Zg\0',
      'Zé',
      'Zm8\u{1f600}',
      // Letters whose code has the low byte of a letter of the alphabet: \u0141 and A, \u0100 and none.
      '\u0141AAA',
      'AAA\u0141',
      'AAAA\u0141A',
      'AAAAA\u0141A',
      'AAA\u0100',
      '====',
      'AAA=',
    ];
    for (const text of refused) expect(decodeBase64url(text), JSON.stringify(text)).toBeNull();
  });

  it('writes what Node writes, and reads it back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300, size: 'max' }), (input) => {
        const text = encodeBase64url(input);
        expect(text).toBe(Buffer.from(input).toString('base64url'));
        expect(hex(decodeBase64url(text))).toBe(hex(input));
      }),
    );
  });

  it('reads no text that is not the one text of its bytes', () => {
    const anyText = fc.string({ unit: fc.constantFrom(...'AZaz09-_+/= \n.', 'é', '\u0141'), maxLength: 12 });
    fc.assert(
      fc.property(anyText, (text) => {
        const decoded = decodeBase64url(text);
        const canonical = Buffer.from(text, 'base64url').toString('base64url') === text;
        expect(decoded !== null).toBe(canonical);
      }),
      { numRuns: cases(2000) },
    );
  });

  it('takes time in proportion to the text: 90 kB far below the seconds that a quadratic codec would take', () => {
    const input = Uint8Array.from({ length: 90_000 }, (_, i) => i * 13);
    const start = performance.now();
    expect(Buffer.compare(decodeBase64url(encodeBase64url(input))!, input)).toBe(0);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

describe('Node’s codec of base64url', () => {
  /** A text of the codec with one change. */
  const nearlyRight = fc
    .record({
      input: fc.uint8Array({ maxLength: 200 }),
      place: fc.nat(),
      removed: fc.nat({ max: 2 }),
      put: fc.string({ unit: fc.constantFrom(...'ABPQgw0-_+/= \t\n\r.~\0', 'é', '\u0141', '\u{1f600}'), maxLength: 3 }),
    })
    .map(({ input, place, removed, put }) => {
      const text = portable.encodeBase64url(input);
      const at = place % (text.length + 1);
      return text.slice(0, at) + put + text.slice(at + removed);
    });

  it('EC-29 takes and refuses what the portable one does, to the byte', () => {
    const anyText = fc.oneof(nearlyRight, fc.string({ unit: 'binary' }), fc.base64String());
    fc.assert(
      fc.property(anyText, (text) => {
        expect(hex(node.decodeBase64url(text))).toBe(hex(portable.decodeBase64url(text)));
      }),
      { numRuns: cases(5000) },
    );
  });

  it('EC-29 agrees on every text of three characters from the edges of the alphabet and beyond', () => {
    const characters = [...'AZaz09-_+/=@[`{ \n', '\u00c1', '\u0141', ''];
    for (const one of characters) {
      for (const two of characters) {
        for (const three of characters) {
          const text = `Zm9v${one}${two}${three}`;
          expect(hex(node.decodeBase64url(text)), JSON.stringify(text)).toBe(hex(portable.decodeBase64url(text)));
        }
      }
    }
  });

  it('writes what the portable one writes, of a part of a buffer too', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300, size: 'max' }), fc.nat({ max: 5 }), (input, skipped) => {
        const part = input.subarray(skipped);
        expect(node.encodeBase64url(part)).toBe(portable.encodeBase64url(part));
      }),
    );
  });

  it('gives each result memory of its own', () => {
    const decoded = node.decodeBase64url('Zm9vYmFy'.repeat(40))!;
    expect(decoded.buffer.byteLength).toBe(decoded.length);
  });
});
