import { describe, expect, it } from 'vitest';
import { buildCompound, type CompoundEntry } from './compound-builder.js';
import { reasonOf } from './memory-source.js';

const stream = (name: string, links: Partial<CompoundEntry> = {}): CompoundEntry => ({
  name,
  type: 'stream',
  ...links,
});
const document = [stream('1Table', { right: 2 }), stream('WordDocument', { left: 3 }), stream('Data')];

describe('DOC and XLS', () => {
  it('UPL-3 are accepted with the main stream anywhere in the tree of the root', async () => {
    expect(await reasonOf('doc', buildCompound(document))).toBe('accepted');
    expect(await reasonOf('xls', buildCompound([stream('Workbook')]))).toBe('accepted');
    expect(await reasonOf('xls', buildCompound([stream('Book')]))).toBe('accepted');
    const deep = Array.from({ length: 200 }, (_, n) => stream(`s${n}`, { right: n + 2 }));
    expect(await reasonOf('doc', buildCompound([...deep, stream('WordDocument')]))).toBe('accepted');
  });

  it('UPL-3 are accepted with a swapped byte order mark, as one program in the wild writes it', async () => {
    const file = buildCompound(document);
    file.writeUInt16LE(0xfeff, 28);
    expect(await reasonOf('doc', file)).toBe('accepted');
  });

  it('UPL-3 are refused under the other extension, and with only the other kind embedded', async () => {
    expect(await reasonOf('xls', buildCompound(document))).toBe('OFFICE_PART_MISSING');
    expect(await reasonOf('doc', buildCompound([stream('Workbook')]))).toBe('OFFICE_PART_MISSING');
    const embedded = [
      stream('Workbook', { right: 2 }),
      { ...stream('ObjectPool', { child: 3 }), type: 'storage' as const },
    ];
    expect(await reasonOf('doc', buildCompound([...embedded, stream('WordDocument')]))).toBe('OFFICE_PART_MISSING');
    expect(await reasonOf('xls', buildCompound([...embedded, stream('WordDocument')]))).toBe('accepted');
  });

  it('UPL-3 are refused with both streams, neither, a storage of that name, or a longer name', async () => {
    const both = [stream('WordDocument', { right: 2 }), stream('Workbook')];
    expect(await reasonOf('doc', buildCompound(both))).toBe('OFFICE_PART_MISSING');
    expect(await reasonOf('doc', buildCompound([stream('Contents')]))).toBe('OFFICE_PART_MISSING');
    expect(await reasonOf('doc', buildCompound([{ name: 'WordDocument', type: 'storage' }]))).toBe(
      'OFFICE_PART_MISSING',
    );
    expect(await reasonOf('doc', buildCompound([stream('WordDocument2')]))).toBe('OFFICE_PART_MISSING');
  });

  it('UPL-3 UPL-4 are refused as an encrypted package, under the old and the new extension', async () => {
    const encrypted = buildCompound([stream('EncryptedPackage', { right: 2 }), stream('EncryptionInfo')]);
    expect(await reasonOf('doc', encrypted)).toBe('OFFICE_ENCRYPTED');
    expect(await reasonOf('docx', encrypted)).toBe('OFFICE_ENCRYPTED');
  });

  it.each<[string, (file: Buffer) => void]>([
    ['a cyclic tree', (file) => file.writeUInt32LE(1, 1024 + 128 + 72)],
    ['a tree that points outside the directory', (file) => file.writeUInt32LE(999, 1024 + 128 + 72)],
    ['a cyclic directory chain', (file) => file.writeUInt32LE(1, 512 + 4)],
    ['a directory beyond the file', (file) => file.writeUInt32LE(5000, 48)],
    ['a directory without a sector', (file) => file.writeUInt32LE(0xfffffffe, 48)],
    ['a table beyond the file', (file) => file.writeUInt32LE(5000, 76)],
    ['a table of four thousand million sectors', (file) => file.writeUInt32LE(0xffffffff, 44)],
    [
      'a table list that comes back to itself',
      (file) => {
        file.writeUInt32LE(120, 44);
        file.writeUInt32LE(0, 68);
      },
    ],
    ['sectors of another size', (file) => file.writeUInt16LE(12, 30)],
    ['a first entry that is not a root', (file) => file.writeUInt8(1, 1024 + 66)],
    ['a name of no length', (file) => file.writeUInt16LE(0, 1024 + 128 + 64)],
    ['a name longer than its field', (file) => file.writeUInt16LE(128, 1024 + 128 + 64)],
  ])('UPL-3 %s: refused', async (_what, spoil) => {
    const file = buildCompound(document);
    spoil(file);
    expect(await reasonOf('doc', file)).toBe('ARCHIVE_UNREADABLE');
  });

  it('UPL-3 are refused when cut off anywhere', async () => {
    const file = buildCompound(document);
    for (const length of [8, 30, 511, 512, 700, 1024, 1100]) {
      expect(await reasonOf('doc', file.subarray(0, length))).toBe('ARCHIVE_UNREADABLE');
    }
  });
});
