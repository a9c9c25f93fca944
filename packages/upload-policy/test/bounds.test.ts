import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { explainUpload, inspectUpload, UPLOAD_POLICY_DEFAULTS, type UploadSource } from '../src/index.js';
import { buildCompound, buildScattered } from './compound-builder.js';
import { sourceOf } from './memory-source.js';
import { buildZip } from './zip-builder.js';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const EXTENSIONS = [
  'jpg',
  'png',
  'gif',
  'webp',
  'pdf',
  'txt',
  'csv',
  'doc',
  'docx',
  'xls',
  'xlsx',
  'zip',
  'pptx',
  'ppt',
  'jar',
  'odt',
  'blob',
];
const policy = {
  ...UPLOAD_POLICY_DEFAULTS,
  allowedExtensions: EXTENSIONS.join(),
  allowedMimeTypes: 'application/x-any,text/plain',
};
const inspect = (extension: string, source: UploadSource) =>
  inspectUpload(
    {
      fileName: `a.${extension}`,
      mediaType: ['txt', 'csv'].includes(extension) ? 'text/plain' : 'application/x-any',
      source,
    },
    policy,
  );

/** A source that records its reads. */
function metered(size: number, bytesAt: (position: number, length: number) => Uint8Array) {
  const reads = { longest: 0, total: 0, underWay: 0, mostUnderWay: 0, count: 0 };
  const source: UploadSource = {
    size,
    async read(position, length) {
      expect(position).toBeGreaterThanOrEqual(0);
      expect(position + length).toBeLessThanOrEqual(size);
      reads.count++;
      reads.longest = Math.max(reads.longest, length);
      reads.total += length;
      reads.underWay += length;
      reads.mostUnderWay = Math.max(reads.mostUnderWay, reads.underWay);
      await new Promise(setImmediate);
      reads.underWay -= length;
      return bytesAt(position, length);
    },
  };
  return { source, reads };
}

/** Files with a valid start, so that the checks after the header run. */
const beginnings = [
  Buffer.alloc(0),
  Buffer.from('PK\x03\x04'),
  Buffer.from('PK\x05\x06'),
  Buffer.from('%PDF-1.7\n'),
  Buffer.from('ffd8ffe0', 'hex'),
  Buffer.from('89504e470d0a1a0a', 'hex'),
  Buffer.from('RIFF\0\0\0\0WEBP'),
];
const whole = [
  buildZip([
    { name: '[Content_Types].xml', bytes: '<Types/>' },
    { name: '_rels/.rels', bytes: '<Relationships/>' },
  ]),
  buildZip(
    [
      { name: 'a', bytes: Buffer.alloc(300_000) },
      { name: 'b', isStored: true, bytes: 'b' },
    ],
    { comment: 'PK' },
  ),
  buildCompound([
    { name: 'WordDocument', type: 'stream', right: 2 },
    { name: 'x', type: 'storage', left: 3 },
    { name: 'y', type: 'stream' },
  ]),
];

const randomFile = fc
  .tuple(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 2000 }))
  .map(([front, rest]) => Buffer.concat([front, rest]));

const corruptedFile = fc
  .tuple(
    fc.constantFrom(...whole),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
    fc.nat(),
    fc.boolean(),
  )
  .map(([file, changes, cut, isCut]) => {
    const corrupted = Buffer.from(file);
    for (const [place, byte] of changes) corrupted[place % corrupted.length] = byte;
    return isCut ? corrupted.subarray(0, cut % corrupted.length) : corrupted;
  });

describe('arbitrary bytes', () => {
  it('UPL-3 UPL-4 always get a verdict, the same every time, and the same from explainUpload', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(randomFile, corruptedFile),
        fc.constantFrom(...EXTENSIONS),
        async (bytes, extension) => {
          const verdict = await inspect(extension, sourceOf(bytes));
          expect(await inspect(extension, sourceOf(bytes))).toEqual(verdict);
          const candidate = { fileName: `a.${extension}`, mediaType: 'application/x-any', source: sourceOf(bytes) };
          expect((await explainUpload(candidate, policy)).rules).toHaveLength(8);
        },
      ),
      { numRuns: cases(1500) },
    );
  });

  it('UPL-3 UPL-4 are never read outside the file, nor all at once', async () => {
    await fc.assert(
      fc.asyncProperty(corruptedFile, fc.constantFrom('zip', 'docx', 'doc', 'xls', 'txt'), async (bytes, extension) => {
        const { source, reads } = metered(bytes.length, (position, length) =>
          bytes.subarray(position, position + length),
        );
        await inspect(extension, source);
        expect(reads.mostUnderWay).toBeLessThanOrEqual(256 * KIBIBYTE);
        expect(reads.count).toBeLessThan(500);
      }),
      { numRuns: cases(300) },
    );
  });
});

describe('memory', () => {
  it('UPL-4 PRF-7 ten megabytes of text are read in chunks', async () => {
    const { source, reads } = metered(10 * MEBIBYTE, (_, length) => Buffer.alloc(length, 'text '));
    expect((await inspect('txt', source)).accepted).toBe(true);
    expect(reads.mostUnderWay).toBeLessThanOrEqual(64 * KIBIBYTE);
    expect(reads.total).toBeLessThan(11 * MEBIBYTE);
  });

  it('UPL-4 PRF-7 only the header of a picture is read', async () => {
    const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const { source, reads } = metered(10 * MEBIBYTE, (position, length) => {
      const bytes = Buffer.alloc(length);
      if (position === 0) head.copy(bytes);
      return bytes;
    });
    expect((await inspect('png', source)).accepted).toBe(true);
    expect(reads.total).toBeLessThanOrEqual(16 * KIBIBYTE);
  });

  it('UPL-4 PRF-7 an archive is read in chunks, pages and its end record', async () => {
    const random = Buffer.from(Array.from({ length: 4 * MEBIBYTE }, (_, n) => (n * n * 31 + (n >> 7)) & 0xff));
    const bytes = buildZip([
      { name: 'a', bytes: random },
      { name: 'b', bytes: random, isStored: true },
    ]);
    const { source, reads } = metered(bytes.length, (position, length) => bytes.subarray(position, position + length));
    expect((await inspect('zip', source)).accepted).toBe(true);
    expect(reads.mostUnderWay).toBeLessThanOrEqual(66 * KIBIBYTE);
  });

  it('UPL-4 a bomb costs reading its directory, and one that lies costs what it declares', async () => {
    const bomb = buildZip([{ name: 'a', bytes: Buffer.alloc(64 * MEBIBYTE) }]);
    const honest = metered(bomb.length, (position, length) => bomb.subarray(position, position + length));
    expect(await inspect('zip', honest.source)).toMatchObject({ reason: 'ARCHIVE_BOMB' });
    expect(honest.reads.total).toBeLessThan(150 * KIBIBYTE);

    const lying = buildZip([{ name: 'a', bytes: Buffer.alloc(64 * MEBIBYTE), declaredBytes: MEBIBYTE }]);
    const liar = metered(lying.length, (position, length) => lying.subarray(position, position + length));
    expect(await inspect('zip', liar.source)).toMatchObject({ reason: 'ARCHIVE_BOMB' });
    // A 64th of it, and the directory.
    expect(liar.reads.total).toBeLessThan(300 * KIBIBYTE);
  });

  it('UPL-3 a DOC with a scattered directory does not cost a read per entry', async () => {
    const file = buildScattered(50_000);
    const { source, reads } = metered(file.length, (position, length) => file.subarray(position, position + length));
    const small = buildScattered(30_000);
    const other = metered(small.length, (position, length) => small.subarray(position, position + length));
    expect(await inspect('doc', other.source)).toMatchObject({ accepted: true });
    expect(other.reads.count).toBeLessThan(10_000);
    expect(await inspect('doc', source)).toMatchObject({ reason: 'ARCHIVE_UNREADABLE' });
    expect(reads.count).toBeLessThan(10_000);
  });
});
