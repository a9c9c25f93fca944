import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { explainUpload, UPLOAD_POLICY_DEFAULTS } from '../src/index.js';
import { reasonOf, sourceOf } from './memory-source.js';
import { type BuiltEntry, buildZip, unicodePath } from './zip-builder.js';

const MEBIBYTE = 1024 * 1024;
const zipped = (...entries: BuiltEntry[]) => reasonOf('zip', buildZip(entries));
const sizes = [1, 100, 65_536, 131_072, 131_073, 3 * MEBIBYTE];

/** A data descriptor: APPNOTE.TXT 6.3.10, section 4.3.9. */
function descriptor(bytes: Uint8Array, { crc = crc32(bytes), isSigned = true, isZip64 = false } = {}): Buffer {
  const [signature, sum] = [Buffer.from('PK\x07\x08', 'latin1'), Buffer.alloc(4)];
  sum.writeUInt32LE(crc);
  return Buffer.concat([isSigned ? signature : Buffer.of(), sum, Buffer.alloc(isZip64 ? 16 : 8)]);
}

describe('checksums', () => {
  it.each(sizes)('UPL-10 of an entry of %i bytes must be right, deflated and stored', async (size) => {
    const bytes = randomBytes(size);
    for (const isStored of [false, true]) {
      const entry = { name: 'a', bytes, isStored };
      expect(await zipped(entry)).toBe('accepted');
      for (const declaredCrc of [(crc32(bytes) ^ 1) >>> 0, ~crc32(bytes) >>> 0]) {
        expect(await zipped({ name: 'first' }, { ...entry, declaredCrc })).toBe('ARCHIVE_CRC_MISMATCH');
        const entries = [{ ...entry, declaredCrc }, { name: 'last' }];
        expect(await zipped(...entries)).toBe('ARCHIVE_CRC_MISMATCH');
      }
    }
  });

  it('UPL-10 one flipped bit of a stored entry is found', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.nat(7), async (data, at, bit) => {
        const file = buildZip([{ name: 'a', bytes: data, isStored: true }]);
        const place = 31 + (at % data.length);
        file[place]! ^= 1 << bit;
        expect(await reasonOf('zip', file)).toBe('ARCHIVE_CRC_MISMATCH');
      }),
      { numRuns: cases(200) },
    );
  });

  it('UPL-10 of an empty entry and of a folder are zero', async () => {
    for (const name of ['a', 'a/']) {
      for (const isStored of [false, true]) {
        expect(await zipped({ name, isStored })).toBe('accepted');
        expect(await zipped({ name, isStored, declaredCrc: 1 })).toBe('ARCHIVE_CRC_MISMATCH');
      }
    }
  });

  it('UPL-10 must be the same in both headers', async () => {
    const entry = { name: 'a', bytes: 'text' };
    expect(await zipped({ ...entry, local: { crc: 0 } })).toBe('ARCHIVE_AMBIGUOUS');
    expect(await zipped({ ...entry, declaredCrc: 1, local: { crc: crc32('text') } })).toBe('ARCHIVE_AMBIGUOUS');
  });

  it('UPL-10 in a data descriptor must be that of the directory: with a signature or without, ZIP64 or not', async () => {
    for (const size of [4, 200_000]) {
      const bytes = randomBytes(size);
      for (const isStored of [false, true]) {
        const entry = { name: 'a', bytes, isStored, flags: 0x808, local: { crc: 0, size: 0, packed: 0 } };
        for (const isSigned of [true, false]) {
          for (const isZip64 of [true, false]) {
            const right = descriptor(bytes, { isSigned, isZip64 });
            expect(await zipped({ ...entry, descriptor: right }, { name: 'b' })).toBe('accepted');
            const wrong = descriptor(bytes, { isSigned, isZip64, crc: 1 });
            expect(await zipped({ ...entry, descriptor: wrong }, { name: 'b' })).toBe('ARCHIVE_AMBIGUOUS');
          }
        }
        expect(await zipped(entry, { name: 'b' })).toBe('ARCHIVE_AMBIGUOUS');
        expect(await zipped(entry)).toBe('ARCHIVE_AMBIGUOUS');
        const both = { ...entry, declaredCrc: 1, descriptor: descriptor(bytes, { crc: 1 }) };
        expect(await zipped(both)).toBe('ARCHIVE_CRC_MISMATCH');
      }
    }
  });

  it('UPL-10 in the header pass without a descriptor, as some packers write it', async () => {
    expect(await zipped({ name: 'a', bytes: 'text', flags: 0x808 })).toBe('accepted');
  });

  it('UPL-10 of an encrypted entry cannot be checked, and are not', async () => {
    const entry = { name: 'a', bytes: randomBytes(40), isStored: true, flags: 0x801 };
    expect(await zipped({ ...entry, declaredCrc: 1 })).toBe('accepted');
    expect(await zipped({ ...entry, flags: 0x809, local: { crc: 0, size: 0, packed: 0 } })).toBe('accepted');
    // The entry beside it can.
    expect(await zipped(entry, { name: 'b', bytes: 'text', declaredCrc: 1 })).toBe('ARCHIVE_CRC_MISMATCH');
  });

  it('UPL-10 are computed up to the declared size: a bomb with a wrong one costs no more', async () => {
    const bomb = { name: 'a', bytes: Buffer.alloc(40 * MEBIBYTE), declaredBytes: MEBIBYTE, declaredCrc: 1 };
    expect(await zipped(bomb)).toBe('ARCHIVE_BOMB');
  });

  it('UPL-10 a stored entry that the file does not contain to its end is refused', async () => {
    const whole = buildZip([{ name: 'a', bytes: randomBytes(1000), isStored: true }]);
    const directory = whole.length - 22 - 46 - 1;
    // The directory moves over the second half of the data, and still declares all of it.
    const short = Buffer.concat([whole.subarray(0, 500), whole.subarray(directory)]);
    short.writeUInt32LE(500, short.length - 6);
    expect(await reasonOf('zip', short)).toBe('ARCHIVE_UNREADABLE');
  });

  it('UPL-10 are wrong in the explanation of an Office file too, whose parts are not read then', async () => {
    const bytes = buildZip([{ name: '[Content_Types].xml', bytes: '<Types/>', declaredCrc: 1 }]);
    const mediaType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const candidate = { fileName: 'a.docx', mediaType, source: sourceOf(bytes) };
    const { rules } = await explainUpload(candidate, UPLOAD_POLICY_DEFAULTS);
    const reasons = rules.flatMap(({ rule, refusal }) => (refusal === null ? [] : [[rule, refusal.reason]]));
    expect(reasons).toEqual([
      ['archive', 'ARCHIVE_CRC_MISMATCH'],
      ['office', 'ARCHIVE_CRC_MISMATCH'],
    ]);
  });
});

describe('names in extra fields', () => {
  it('UPL-4 UPL-10 lead out of the folder as little as those of the header', async () => {
    const entry = (name: string, path: string) => ({ name, bytes: 'text', extra: unicodePath(name, path) });
    expect(await zipped(entry('a.txt', '照.txt'))).toBe('accepted');
    expect(await zipped(entry('a.txt', '../a.txt'))).toBe('ARCHIVE_TRAVERSAL');
    expect(await zipped(entry('../a.txt', 'a.txt'))).toBe('ARCHIVE_TRAVERSAL');
    expect(await zipped(entry('..\\a.txt', 'a.txt'))).toBe('ARCHIVE_TRAVERSAL');
    expect(await zipped(entry('a\0.txt', 'a.txt'))).toBe('ARCHIVE_UNREADABLE');
  });
});
