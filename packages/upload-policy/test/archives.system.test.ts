import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Zip, ZipDeflate, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { reasonOf } from './memory-source.js';
import { type BuiltArchive, type BuiltEntry, buildZip } from './zip-builder.js';

const MEBIBYTE = 1024 * 1024;
const text: BuiltEntry = { name: 'a.txt', bytes: 'some text' };
const zeros = (bytes: number, entry: Partial<BuiltEntry> = {}): BuiltEntry => ({
  name: 'zeros',
  bytes: Buffer.alloc(bytes),
  ...entry,
});
const zipped = (entries: readonly BuiltEntry[], archive?: BuiltArchive) => reasonOf('zip', buildZip(entries, archive));

describe('genuine archives', () => {
  it('UPL-4 UP-01 of this suite, fflate and yazl are accepted, with data descriptors and in ZIP64', async () => {
    expect(await zipped([text, { ...text, name: 'b/', bytes: '', isStored: true }])).toBe('accepted');
    expect(
      await reasonOf('zip', zipSync({ 'a.txt': Buffer.from('text'), b: { 'c.txt': new Uint8Array(100_000) } })),
    ).toBe('accepted');
    for (const forceZip64Format of [false, true]) {
      expect(await reasonOf('zip', await yazlZip({ forceZip64Format }))).toBe('accepted');
    }
    expect(await reasonOf('zip', streamedZip())).toBe('accepted');
  });

  it('UPL-4 may have a comment, a line end after the archive, and names of two scripts', async () => {
    expect(await zipped([text], { comment: 'made for the archive' })).toBe('accepted');
    expect(await zipped([text], { behind: Buffer.from('\n') })).toBe('accepted');
    expect(await zipped([text], { behind: Buffer.alloc(512) })).toBe('accepted');
    expect(
      await zipped([
        { ...text, name: '照片/für später.txt' },
        { ...text, name: 'windows\\way.txt' },
      ]),
    ).toBe('accepted');
  });

  it('UPL-4 may have encrypted entries and repeated names, since nothing here unpacks a plain archive', async () => {
    expect(await zipped([{ ...text, flags: 0x801, isStored: true, bytes: Buffer.alloc(40) }])).toBe('accepted');
    expect(await zipped([text, text])).toBe('accepted');
  });
});

describe('archives that unpack to too much', () => {
  it('UPL-4 are refused by their declared sizes: over the total, or over a hundred times their own', async () => {
    expect(await zipped([zeros(16 * MEBIBYTE)])).toBe('accepted');
    expect(await zipped([zeros(16 * MEBIBYTE + 1)])).toBe('ARCHIVE_BOMB');
    expect(await zipped([zeros(9 * MEBIBYTE), zeros(9 * MEBIBYTE, { name: 'b' })])).toBe('ARCHIVE_BOMB');
    const limits = { archive: { maxUnpackedBytes: 2 * MEBIBYTE } };
    expect(await reasonOf('zip', buildZip([zeros(2 * MEBIBYTE)]), limits)).toBe('accepted');
    expect(await reasonOf('zip', buildZip([zeros(2 * MEBIBYTE + 1)]), limits)).toBe('ARCHIVE_BOMB');
  });

  it('UPL-4 are refused if they unpack to more or to fewer bytes than they declare', async () => {
    for (const bytes of [1000, 200_000, 40 * MEBIBYTE]) {
      expect(await zipped([zeros(bytes, { declaredBytes: 999 })])).toBe('ARCHIVE_BOMB');
      expect(await zipped([zeros(bytes, { declaredBytes: 0 })])).toBe('ARCHIVE_BOMB');
    }
    expect(await zipped([zeros(1000, { declaredBytes: 1001 })])).toBe('ARCHIVE_BOMB');
    expect(await zipped([zeros(1_000_000, { declaredBytes: 1_000_001 })])).toBe('ARCHIVE_BOMB');
    expect(await zipped([{ ...text, isStored: true, declaredBytes: 3 }])).toBe('ARCHIVE_BOMB');
  });

  it('UPL-4 are refused if any entries share data', async () => {
    const shared = Array.from({ length: 100 }, (_, n) => zeros(100_000, { name: `${n}`, sharesPlace: n > 0 }));
    expect(await zipped(shared)).toBe('ARCHIVE_AMBIGUOUS');
  });

  it('UPL-4 are refused for extra fields that only take memory', async () => {
    const fields = (count: number) =>
      Buffer.concat(Array.from({ length: count }, () => Buffer.from([0x99, 0x99, 0, 0])));
    expect(await zipped([{ ...text, extra: fields(16) }])).toBe('accepted');
    expect(await zipped([{ ...text, extra: fields(17) }])).toBe('ARCHIVE_AMBIGUOUS');
    const many = Array.from({ length: 150 }, (_, n) => ({ name: `${n}`, isStored: true, extra: fields(16_383) }));
    expect(await zipped(many)).toBe('ARCHIVE_AMBIGUOUS');
  });

  it('UPL-4 are refused at one entry over the limit', async () => {
    const many = (count: number) =>
      buildZip(Array.from({ length: count }, (_, n) => ({ name: `${n}`, isStored: true })));
    expect(await reasonOf('zip', many(10_000))).toBe('accepted');
    expect(await reasonOf('zip', many(10_001))).toBe('ARCHIVE_TOO_MANY_ENTRIES');
  });
});

describe('archives that two readers would read differently', () => {
  it.each<[string, readonly BuiltEntry[], BuiltArchive?]>([
    ['another name in the local header', [{ ...text, local: { name: 'b.exe' } }]],
    ['another method', [{ ...text, local: { method: 0 } }]],
    ['another size', [{ ...text, local: { size: 7 } }]],
    ['encrypted by one header only', [{ ...text, local: { flags: 0x801 } }]],
    ['an entry that the directory leaves out', [text, { ...text, name: 'hidden.exe', isHidden: true }]],
    ['a directory entry that the end record does not count', [text, { ...text, name: 'b' }], { count: 1 }],
    ['other bytes before it', [text], { front: Buffer.from('PK\x03\x04 something else') }],
  ])('UPL-4 %s: refused', async (_what, entries, archive) => {
    expect(await zipped(entries, archive)).toMatch(/^ARCHIVE_(AMBIGUOUS|UNREADABLE)$/);
  });

  it('UPL-4 are refused for bytes after the deflated data, where a reader could find another entry', async () => {
    const hidden = buildZip([{ ...text, name: 'hidden.exe' }]);
    for (const bytes of ['some text', randomBytes(300_000)]) {
      const descriptor = Buffer.alloc(16, 'PK\x07\x08');
      for (const trailing of [Buffer.from('\0'), Buffer.concat([descriptor, hidden])]) {
        expect(await zipped([{ ...text, bytes, trailing, flags: 0x808 }])).toBe('ARCHIVE_AMBIGUOUS');
      }
    }
  });

  it('UPL-4 are refused for an entry that the directory leaves out, anywhere between two others', async () => {
    for (const gap of [1, 30, 65_534, 200_000]) {
      const hidden = { ...text, name: 'hidden.exe', isHidden: true, gap: Buffer.alloc(gap) };
      expect(await zipped([text, hidden, { ...text, name: 'b.txt' }])).toBe('ARCHIVE_AMBIGUOUS');
      expect(await zipped([text, hidden])).toBe('ARCHIVE_AMBIGUOUS');
      expect(await zipped([text, { ...text, name: 'b.txt', gap: Buffer.alloc(gap) }])).toBe('accepted');
    }
  });

  it('UPL-4 are refused for ZIP64 sizes in the local header that differ from the directory', async () => {
    const zip64 = (packed: number) => {
      const extra = Buffer.alloc(20);
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(16, 2);
      extra.writeBigUInt64LE(9n, 4);
      extra.writeBigUInt64LE(BigInt(packed), 12);
      return { ...text, isStored: true, local: { size: 0xffffffff, packed: 0xffffffff, extra } };
    };
    expect(await zipped([zip64(9)])).toBe('accepted');
    expect(await zipped([zip64(3)])).toBe('ARCHIVE_AMBIGUOUS');
    const without = { ...zip64(9), local: { ...zip64(9).local, extra: Buffer.alloc(0) } };
    expect(await zipped([without])).toBe('ARCHIVE_AMBIGUOUS');
  });

  it('UPL-4 are refused for other bytes after their end', async () => {
    for (const behind of ['<script>', 'PK\x05\x06', '\n\n<', `${'\n'.repeat(600)}`]) {
      expect(await zipped([text], { behind: Buffer.from(behind) })).toBe('ARCHIVE_UNREADABLE');
    }
  });

  it('UPL-4 are refused if truncated, or with fewer entries than the end record counts', async () => {
    const whole = buildZip([text, { ...text, name: 'b' }]);
    for (const length of [30, 60, whole.length - 22, whole.length - 1]) {
      expect(await reasonOf('zip', whole.subarray(0, length))).toBe('ARCHIVE_UNREADABLE');
    }
    expect(await zipped([text], { count: 2 })).toBe('ARCHIVE_UNREADABLE');
  });
});

describe('archives that unpack outside their folder', () => {
  it.each(['../a', 'a/../../b', '/etc/passwd', '\\\\host\\a', '..\\a', 'C:\\a', 'c:a', 'a/..'])(
    'UPL-4 are refused for an entry named %s',
    async (name) => expect(await zipped([text, { ...text, name }])).toBe('ARCHIVE_TRAVERSAL'),
  );

  it.each(['..a', 'a..', 'a/...', '.hidden'])('UPL-4 are accepted with an entry named %s', async (name) =>
    expect(await zipped([{ ...text, name }])).toBe('accepted'),
  );

  it('UPL-4 are refused for a symbolic link, a name with NUL, no name, or an unknown compression method', async () => {
    expect(await zipped([{ name: 'link', bytes: '/etc', externalAttributes: 0o120777 * 65_536 }])).toBe(
      'ARCHIVE_TRAVERSAL',
    );
    expect(await zipped([{ ...text, name: 'a\0b' }])).toBe('ARCHIVE_UNREADABLE');
    expect(await zipped([{ ...text, name: '' }])).toBe('ARCHIVE_UNREADABLE');
    expect(await zipped([{ ...text, name: 'n'.repeat(1025) }])).toBe('ARCHIVE_UNREADABLE');
    expect(await zipped([{ ...text, method: 12 }])).toBe('ARCHIVE_UNREADABLE');
    expect(await zipped([{ ...text, isStored: true, method: 8 }])).toBe('ARCHIVE_UNREADABLE');
  });
});

async function yazlZip(options: { readonly forceZip64Format: boolean }): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('deflated'.repeat(100)), 'a.txt', options);
  zip.addBuffer(Buffer.from('stored'), 'b.txt', { ...options, compress: false });
  zip.addReadStreamLazy('c.txt', options, (callback) => callback(null, Readable.from([Buffer.from('streamed')])));
  zip.addEmptyDirectory('d/');
  zip.end({ ...options, comment: '' });
  return buffer(zip.outputStream);
}

function streamedZip(): Buffer {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    chunks.push(chunk);
  });
  for (const name of ['a.txt', 'b.txt']) {
    const entry = new ZipDeflate(name);
    zip.add(entry);
    entry.push(Buffer.from('streamed '.repeat(1000)));
    entry.push(new Uint8Array(), true);
  }
  zip.end();
  return Buffer.concat(chunks);
}
