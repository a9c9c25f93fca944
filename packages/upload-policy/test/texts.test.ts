import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import {
  inspectUpload,
  TEXT_ENCODINGS,
  type TextEncoding,
  textEncodingFault,
  UPLOAD_POLICY_DEFAULTS,
} from '../src/index.js';
import { createTextReader, isMalformed } from '../src/inspection/text-encodings.js';
import { reasonOf, sourceOf } from './memory-source.js';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const GB18030 = hex('d0d5c3fb 2c cae9c3fb 0a');
const utf16le = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();

/** The charset of an accepted text, or the reason of its refusal. */
async function charsetOf(bytes: Uint8Array | string, textEncodings?: readonly TextEncoding[]): Promise<string | null> {
  const source = sourceOf(Buffer.from(bytes));
  const candidate = { fileName: 'a.csv', mediaType: 'text/csv', source };
  const limits = textEncodings === undefined ? {} : { textEncodings };
  const verdict = await inspectUpload(candidate, UPLOAD_POLICY_DEFAULTS, limits);
  if (verdict.accepted) expect(verdict.mediaType).toBe(`text/csv; charset=${verdict.charset}`);
  return verdict.accepted ? verdict.charset : verdict.reason;
}

describe('text', () => {
  it.each<[string, Uint8Array | string, string]>([
    ['UTF-8 of four scripts', 'für 照片 עברית 🏳️\r\n\t', 'utf-8'],
    ['UTF-8 with a mark', '\ufefftext', 'utf-8'],
    ['GB 18030', GB18030, 'gb18030'],
    ['GB 18030 with characters of four bytes', hex('9030c831 8130fe38'), 'gb18030'],
    ['text that starts like a bitmap and a program', 'BMW, MZ, II*, ID3\n', 'utf-8'],
    ['one letter', 'a', 'utf-8'],
    ['a mark and nothing else', '\ufeff', 'utf-8'],
    ['a NUL', 'a\0b', 'TEXT_INVALID'],
    ['a NUL after much text', `${'a'.repeat(200_000)}\0`, 'TEXT_INVALID'],
    ['UTF-16 without a mark', Buffer.from('name', 'utf16le'), 'TEXT_INVALID'],
    ['UTF-16, little endian, not listed', utf16le('姓名'), 'TEXT_INVALID'],
    ['UTF-16, big endian, not listed', utf16be('姓名'), 'TEXT_INVALID'],
    ['UTF-8 by its mark, but not by its bytes', hex('efbbbf c328'), 'TEXT_INVALID'],
    ['neither encoding', hex('61 ff ff'), 'TEXT_INVALID'],
    ['GB 18030 that ends within a character', GB18030.subarray(0, 3), 'TEXT_INVALID'],
    ['GB 18030 that ends within a character of four bytes', hex('9030c8'), 'TEXT_INVALID'],
  ])('UPL-4 UPL-10 %s', async (_what, bytes, expected) => expect(await charsetOf(bytes)).toBe(expected));

  it.each<[string, Uint8Array | string]>([
    ['a PDF', '%PDF-1.4\n'],
    ['a ZIP', 'PK\x03\x04'],
    ['a JPEG', hex('ffd8ffe0 00104a464946')],
  ])('UPL-3 %s is no text', async (_what, bytes) => expect(await charsetOf(bytes)).toBe('HEADER_MISMATCH'));

  it('UPL-10 a character across two reads is valid, and half a character at the end is not', async () => {
    const characters: [TextEncoding, Buffer][] = [
      ['utf-8', Buffer.from('照🏳')],
      ['gb18030', hex('9030c831 d0d5')],
      ['gbk', hex('d0d5')],
      ['big5', hex('a4a4')],
      ['shift_jis', hex('8365')],
      ['euc-jp', hex('8fb0a1')],
      ['euc-kr', hex('b0a1')],
    ];
    for (const [encoding, bytes] of characters) {
      for (let blanks = 65_530; blanks <= 65_538; blanks++) {
        const text = Buffer.concat([Buffer.alloc(blanks, ' '), bytes]);
        expect(await charsetOf(text, [encoding])).toBe(encoding);
        expect(await charsetOf(text.subarray(0, -1), [encoding])).toBe('TEXT_INVALID');
      }
    }
    for (let blanks = 32_763; blanks <= 32_769; blanks++) {
      const text = utf16le(`${' '.repeat(blanks)}🏳`);
      expect(await charsetOf(text, ['utf-16'])).toBe('utf-16le');
      expect(await charsetOf(text.subarray(0, -2), ['utf-16'])).toBe('TEXT_INVALID');
      expect(await charsetOf(text.subarray(0, -1), ['utf-16'])).toBe('TEXT_INVALID');
    }
  });
});

describe('controls', () => {
  const codes = [...Array(0xa0).keys()].filter((code) => code < 0x20 || code >= 0x7f);
  const allowed = [0x09, 0x0a, 0x0d];

  it('UPL-10 C0, C1 and DEL are refused, tab and line ends pass; a form feed is a control', async () => {
    for (const code of codes) {
      const text = `姓名 a${String.fromCodePoint(code)}b`;
      const isAllowed = allowed.includes(code);
      expect([code, await charsetOf(text)]).toEqual([code, isAllowed ? 'utf-8' : 'TEXT_INVALID']);
      expect(await charsetOf(`\ufeff${text}`)).toBe(isAllowed ? 'utf-8' : 'TEXT_INVALID');
      expect(await charsetOf(utf16le(text), ['utf-16'])).toBe(isAllowed ? 'utf-16le' : 'TEXT_INVALID');
      expect(await charsetOf(utf16be(text), ['utf-16'])).toBe(isAllowed ? 'utf-16be' : 'TEXT_INVALID');
    }
  });

  it('UPL-10 C0 and DEL are refused in every encoding', async () => {
    for (const encoding of TEXT_ENCODINGS.filter((name) => !name.startsWith('utf-16'))) {
      for (const code of codes.filter((each) => each < 0x80)) {
        const expected = allowed.includes(code) ? encoding : 'TEXT_INVALID';
        expect([encoding, code, await charsetOf(Buffer.of(0x61, code, 0x62), [encoding])]).toEqual([
          encoding,
          code,
          expected,
        ]);
      }
    }
  });

  it.each<[string, TextEncoding, Buffer]>([
    ['four bytes of GB 18030 that are U+0080', 'gb18030', hex('81308130')],
    ['four bytes of GB 18030 that are U+009F', 'gb18030', hex('81308331')],
    ['the same listed as GBK', 'gbk', hex('81308130')],
    ['a byte of EUC-JP that is U+0085', 'euc-jp', hex('85')],
    ['a byte of ISO 8859-15 that is U+009B', 'iso-8859-15', hex('9b')],
    ['a byte without a character in windows-1252', 'windows-1252', hex('81')],
    ['a byte without a character in windows-1250', 'windows-1250', hex('83')],
  ])('UPL-10 a C1 control that arises only by decoding is refused: %s', async (_what, encoding, bytes) => {
    const text = (filler: number) => Buffer.concat([Buffer.alloc(filler, 'a'), bytes, Buffer.from('b')]);
    for (const filler of [0, 65_533, 65_534, 65_535])
      expect(await charsetOf(text(filler), [encoding])).toBe('TEXT_INVALID');
  });

  it('UPL-10 UTF-8 with a C1 control does not pass as letters of another encoding', async () => {
    const text = Buffer.from('a\u0085b');
    expect(await charsetOf(text, ['gb18030'])).toBe('gb18030');
    expect(await charsetOf(text, ['utf-8', 'gb18030'])).toBe('TEXT_INVALID');
  });

  it('UPL-10 bytes that UTF-8 would read as a C1 control pass in GB 18030 if the rest is not UTF-8', async () => {
    const text = Buffer.concat([Buffer.from('\u0085'), Buffer.alloc(100_000, 'a'), GB18030]);
    expect(await charsetOf(text)).toBe('gb18030');
  });
});

describe('the list of encodings', () => {
  it('UPL-10 decides: a file is accepted in the listed encodings only', async () => {
    expect(await charsetOf(GB18030, ['utf-8'])).toBe('TEXT_INVALID');
    expect(await charsetOf('照', ['utf-8'])).toBe('utf-8');
    // A surrogate, and an overlong slash.
    for (const bytes of ['eda080', 'c0af']) expect(await charsetOf(hex(bytes), ['utf-8'])).toBe('TEXT_INVALID');
    expect(await charsetOf(utf16le('照'), ['utf-16'])).toBe('utf-16le');
    expect(await charsetOf(utf16be('照'), ['utf-16'])).toBe('utf-16be');
    expect(await charsetOf(utf16le('照'), ['utf-16le'])).toBe('utf-16le');
    expect(await charsetOf(utf16be('照'), ['utf-16le'])).toBe('TEXT_INVALID');
    expect(await charsetOf(utf16be('照'), ['utf-16be'])).toBe('utf-16be');
    expect(await charsetOf(Buffer.from('照', 'utf16le'), ['utf-16'])).toBe('TEXT_INVALID');
  });

  it('UPL-10 is an order: the first encoding in which a file is valid is its charset', async () => {
    const both = hex('c2a9');
    expect(await charsetOf(both, ['utf-8', 'gb18030', 'windows-1252'])).toBe('utf-8');
    expect(await charsetOf(both, ['gb18030', 'utf-8'])).toBe('gb18030');
    expect(await charsetOf(both, ['windows-1252', 'utf-8'])).toBe('windows-1252');
    expect(await charsetOf('plain', ['big5', 'utf-8'])).toBe('big5');
  });

  it('UPL-10 gives way to a byte-order mark, which browsers obey whatever the charset says', async () => {
    expect(await charsetOf('\ufeff照', ['gb18030', 'utf-8'])).toBe('utf-8');
    expect(await charsetOf('\ufeff照', ['gb18030'])).toBe('TEXT_INVALID');
    expect(await charsetOf(hex('fffe6100'), ['windows-1252'])).toBe('TEXT_INVALID');
    expect(await charsetOf(hex('fffe6161'), ['windows-1252'])).toBe('TEXT_INVALID');
    // UTF-32, little endian.
    expect(await charsetOf(hex('fffe0000 61000000'), ['utf-16'])).toBe('TEXT_INVALID');
  });

  it('UPL-10 half of a UTF-16 pair and an odd number of bytes are refused', async () => {
    for (const bytes of ['fffe 00d8 6100', 'fffe 00dc', 'fffe 6100 62', 'feff d800 0061']) {
      expect(await charsetOf(hex(bytes), ['utf-16'])).toBe('TEXT_INVALID');
    }
  });

  it('UPL-10 windows-1252 has its own characters where ISO 8859-1 has controls', async () => {
    expect(await charsetOf(Buffer.from('Gr\xfc\xdfe f\xfcr 5 \x80', 'latin1'), ['utf-8', 'windows-1252'])).toBe(
      'windows-1252',
    );
  });

  it('UPL-10 takes the names of TEXT_ENCODINGS only, one to eight, each once', async () => {
    for (const encoding of TEXT_ENCODINGS) expect(textEncodingFault(encoding)).toBeNull();
    const odd = ['UTF-8', 'utf8', 'latin1', 'gb2312', 'utf-7', 'iso-2022-jp', 'replacement', 'windows-1253', ''];
    for (const name of odd) expect(textEncodingFault(name)).toMatch(/^must be one of utf-8, utf-16, /);
    const faults = (textEncodings: unknown) =>
      reasonOf('txt', 'a', { textEncodings } as never).then(
        () => [],
        (error) => error.faults,
      );
    expect(await faults(['utf-8', 'utf-8'])).toEqual(['textEncodings[1] is listed twice']);
    expect(await faults([])).toEqual([expect.stringMatching(/^textEncodings must be a list of 1 to 8 encodings/)]);
    expect(await faults(TEXT_ENCODINGS.slice(0, 9))).toHaveLength(1);
    expect(await faults(TEXT_ENCODINGS.slice(0, 8))).toEqual([]);
  });

  it('UPL-10 a text read in chunks of any size is the text read at once', () => {
    const decode = (encoding: TextEncoding, chunks: readonly Buffer[]): string | null => {
      const reader = createTextReader(encoding);
      try {
        return chunks.map((chunk) => reader.decode(chunk)).join('') + reader.end();
      } catch (error) {
        if (isMalformed(error)) return null;
        throw error;
      }
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...TEXT_ENCODINGS),
        fc.uint8Array({ minLength: 1, maxLength: 12 }),
        fc.nat(11),
        fc.nat(11),
        (encoding, bytes, a, b) => {
          const [first, second] = [Math.min(a, b), Math.max(a, b)];
          const file = Buffer.from(bytes);
          const chunks = [file.subarray(0, first), file.subarray(first, second), file.subarray(second)];
          expect(decode(encoding, chunks)).toEqual(decode(encoding, [file]));
        },
      ),
      { numRuns: cases(3000) },
    );
  });
});

describe('files that are no text', () => {
  it('UPL-10 have no charset, and neither has a text that fails while validation is off', async () => {
    const policy = { ...UPLOAD_POLICY_DEFAULTS, validationEnabled: false };
    const verdicts = ['a.png', 'a.txt'].map((fileName) =>
      inspectUpload({ fileName, mediaType: 'text/plain', source: sourceOf(Buffer.from('a\0')) }, policy),
    );
    for (const verdict of await Promise.all(verdicts)) {
      expect(verdict).toMatchObject({ mediaType: 'application/octet-stream', charset: null, verified: false });
    }
  });

  it('UPL-5 UPL-10 a page has a charset, and is still served as an unknown type', async () => {
    const policy = { ...UPLOAD_POLICY_DEFAULTS, allowedExtensions: 'html', allowedMimeTypes: 'text/html' };
    const candidate = { fileName: 'a.html', mediaType: 'text/html', source: sourceOf(GB18030) };
    expect(await inspectUpload(candidate, policy)).toMatchObject({
      mediaType: 'application/octet-stream',
      charset: 'gb18030',
    });
  });
});
