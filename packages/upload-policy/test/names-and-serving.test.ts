import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contentDisposition,
  displayName,
  inspectUpload,
  servingHeaders,
  UPLOAD_POLICY_DEFAULTS,
} from '../src/index.js';
import { corpus, corpusBytes } from './corpus-files.js';
import { sourceOf } from './memory-source.js';

describe('displayName', () => {
  it.each([
    ['photo.JPG', 'photo.JPG'],
    ['照片 1.jpg', '照片 1.jpg'],
    ['C:\\Users\\ada\\a.txt', 'a.txt'],
    ['../../etc/passwd', 'passwd'],
    ['a/b\\c.txt', 'c.txt'],
    ['photo\u202egpj.exe', 'photogpj.exe'],
    ['\u2066a\u2069\u200e\u061c.txt', 'a.txt'],
    ['a\r\nSet-Cookie: x.txt', 'aSet-Cookie: x.txt'],
    ['a\0.txt', 'a.txt'],
    ['a\u0085\u2028\u2029b.txt', 'ab.txt'],
    ['z\u200bw\ufeffs\u2060.txt', 'zws.txt'],
    ['  a  b .txt  ', 'a b .txt'],
    ['a.txt. . ', 'a.txt'],
    ['.jpg', 'jpg'],
    ['..', 'file'],
    ['', 'file'],
    ['\u202e', 'file'],
    ['/', 'file'],
    ['a\ud800.txt', 'a.txt'],
    ['👩‍👩‍👧.png', '👩‍👩‍👧.png'],
    ['e\u0301.txt', 'é.txt'],
  ])('UPL-7 %j is shown as %j', (name, shown) => expect(displayName(name)).toBe(shown));

  it('UPL-7 a long name keeps its extension, and is cut between code points', () => {
    const shown = displayName(`${'照'.repeat(300)}.docx`);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(255);
    expect(shown).toMatch(/^照+\.docx$/u);
    expect(displayName(`a.${'x'.repeat(300)}`)).toHaveLength(255);
  });

  it('UPL-7 takes linear time for dots and blanks', () => {
    // A search that began anew at each dot would need minutes for these, and exceed the time of a test.
    for (const run of ['.'.repeat(4000), '. '.repeat(2000)]) {
      const name = `a${run}b`;
      for (let round = 0; round < 3000; round += 1) expect(displayName(name).length).toBeLessThanOrEqual(255);
    }
  });

  it('UPL-7 loses the dots and blanks at its ends, and at the end of a shortened one', () => {
    expect(displayName(` . .. a. b${' .'.repeat(1000)}`)).toBe('a. b');
    expect(displayName(`${'.'.repeat(5000)}`)).toBe('file');
    expect(displayName(`a${'.'.repeat(3000)}b.txt`)).toBe('a.txt');
  });

  it('UPL-7 is never empty, has no path, control or bidi mark, at most 255 bytes, and is idempotent', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
    );
    fc.assert(
      fc.property(name, (text) => {
        const shown = displayName(text);
        expect(shown).not.toBe('');
        expect(shown).not.toMatch(/[/\\\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
        expect(shown).not.toMatch(/^[. ]|[. ]$/);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(255);
        expect(displayName(shown)).toBe(shown);
      }),
    );
  });
});

describe('contentDisposition', () => {
  it.each([
    ['a.txt', 'attachment; filename="a.txt"'],
    ['a b (1).txt', 'attachment; filename="a b (1).txt"'],
    ['a"b.txt', `attachment; filename="a_b.txt"; filename*=UTF-8''a%22b.txt`],
    ["it's 5%.txt", `attachment; filename="it_s 5_.txt"; filename*=UTF-8''it%27s%205%25.txt`],
    ['für.txt', `attachment; filename="fur.txt"; filename*=UTF-8''f%C3%BCr.txt`],
    ['照片.jpg', `attachment; filename="__.jpg"; filename*=UTF-8''%E7%85%A7%E7%89%87.jpg`],
    ['a\r\nb.txt', 'attachment; filename="ab.txt"'],
    ['\u{e0100}', `attachment; filename="_"; filename*=UTF-8''%F3%A0%84%80`],
  ])('UPL-7 %j: %s', (name, header) => expect(contentDisposition('attachment', name)).toBe(header));

  it('UPL-7 is one line of ASCII with balanced quotes for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        expect(contentDisposition('inline', name)).toMatch(
          /^inline; filename="[\w.()[\] -]+"(?:; filename\*=UTF-8''[\w.~!%-]+)?$/,
        );
      }),
    );
  });
});

describe('servingHeaders', () => {
  it('UPL-7 UP-07 show only previews of pictures inline, and let nothing run', () => {
    expect(servingHeaders({ fileName: 'a.png', mediaType: 'image/png', disposition: 'inline' })).toEqual({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="a.png"',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    for (const mediaType of [
      'text/html',
      'image/svg+xml',
      'text/plain; charset=utf-8',
      'application/pdf',
      'IMAGE/PNG',
    ]) {
      const headers = servingHeaders({ fileName: 'a', mediaType, disposition: 'inline' });
      expect(headers['content-disposition']).toBe('attachment; filename="a"');
    }
    expect(servingHeaders({ fileName: 'a', mediaType: 'a/b\r\nx: y' })['content-type']).toBe(
      'application/octet-stream',
    );
  });

  it('UP-07 UPL-7 are safe for every accepted file of the corpus', async () => {
    const types = new Map<string, string>();
    for (const file of corpus.files) {
      const { uploadName: fileName, mediaType } = file;
      const source = sourceOf(corpusBytes(file) ?? Buffer.alloc(0));
      const verdict = await inspectUpload({ fileName, mediaType, source }, UPLOAD_POLICY_DEFAULTS);
      if (!verdict.accepted) continue;
      const headers = servingHeaders({ fileName, mediaType: verdict.mediaType });
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain('sandbox');
      expect(headers['content-disposition']).toMatch(/^attachment; filename="[^"]+"/);
      types.set(verdict.extension, headers['content-type']);
    }
    const office = 'application/vnd.openxmlformats-officedocument';
    expect(Object.fromEntries(types)).toEqual({
      jpg: 'image/jpeg',
      jpeg: 'image/jpeg',
      png: 'image/png',
      gif: 'image/gif',
      webp: 'image/webp',
      pdf: 'application/pdf',
      zip: 'application/zip',
      doc: 'application/msword',
      xls: 'application/vnd.ms-excel',
      docx: `${office}.wordprocessingml.document`,
      xlsx: `${office}.spreadsheetml.sheet`,
      txt: 'text/plain; charset=utf-8',
      csv: 'text/csv; charset=utf-8',
    });
  });
});
