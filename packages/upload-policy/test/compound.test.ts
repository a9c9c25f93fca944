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
  it('UPL-3 the main stream at the root, wherever its tree has it: accepted', async () => {
    expect(await reasonOf('doc', buildCompound(document))).toBe('accepted');
    expect(await reasonOf('xls', buildCompound([stream('Workbook')]))).toBe('accepted');
    expect(await reasonOf('xls', buildCompound([stream('Book')]))).toBe('accepted');
    const deep = Array.from({ length: 200 }, (_, n) => stream(`s${n}`, { right: n + 2 }));
    expect(await reasonOf('doc', buildCompound([...deep, stream('WordDocument')]))).toBe('accepted');
  });

  it('UPL-3 a byte order that is written the wrong way round, as one program in the wild does: accepted', async () => {
    const file = buildCompound(document);
    file.writeUInt16LE(0xfeff, 28);
    expect(await reasonOf('doc', file)).toBe('accepted');
  });

  it('UPL-3 one called the other, and one that only holds the other: refused', async () => {
    expect(await reasonOf('xls', buildCompound(document))).toBe('OFFICE_PART_MISSING');
    expect(await reasonOf('doc', buildCompound([stream('Workbook')]))).toBe('OFFICE_PART_MISSING');
    const embedded = [
      stream('Workbook', { right: 2 }),
      { ...stream('ObjectPool', { child: 3 }), type: 'storage' as const },
    ];
    expect(await reasonOf('doc', buildCompound([...embedded, stream('WordDocument')]))).toBe('OFFICE_PART_MISSING');
    expect(await reasonOf('xls', buildCompound([...embedded, stream('WordDocument')]))).toBe('accepted');
  });

  it('UPL-3 both, neither, a storage of that name, a name that goes on: refused', async () => {
    const both = [stream('WordDocument', { right: 2 }), stream('Workbook')];
    expect(await reasonOf('doc', buildCompound(both))).toBe('OFFICE_PART_MISSING');
    expect(await reasonOf('doc', buildCompound([stream('Contents')]))).toBe('OFFICE_PART_MISSING');
    expect(await reasonOf('doc', buildCompound([{ name: 'WordDocument', type: 'storage' }]))).toBe(
      'OFFICE_PART_MISSING',
    );
    expect(await reasonOf('doc', buildCompound([stream('WordDocument2')]))).toBe('OFFICE_PART_MISSING');
  });

  it('UPL-3 UPL-4 an encrypted package, under its old and its new extension: refused', async () => {
    const encrypted = buildCompound([stream('EncryptedPackage', { right: 2 }), stream('EncryptionInfo')]);
    expect(await reasonOf('doc', encrypted)).toBe('OFFICE_ENCRYPTED');
    expect(await reasonOf('docx', encrypted)).toBe('OFFICE_ENCRYPTED');
  });

  it.each<[string, (file: Buffer) => void]>([
    ['a tree that comes back to itself', (file) => file.writeUInt32LE(1, 1024 + 128 + 72)],
    ['a tree that leads out of the directory', (file) => file.writeUInt32LE(999, 1024 + 128 + 72)],
    ['a directory that comes back to itself', (file) => file.writeUInt32LE(1, 512 + 4)],
    ['a directory beyond the file', (file) => file.writeUInt32LE(5000, 48)],
    ['a directory of no sector', (file) => file.writeUInt32LE(0xfffffffe, 48)],
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
    ['a first entry that is no root', (file) => file.writeUInt8(1, 1024 + 66)],
    ['a name of no length', (file) => file.writeUInt16LE(0, 1024 + 128 + 64)],
    ['a name longer than its place', (file) => file.writeUInt16LE(128, 1024 + 128 + 64)],
  ])('UPL-3 %s: refused', async (_what, spoil) => {
    const file = buildCompound(document);
    spoil(file);
    expect(await reasonOf('doc', file)).toBe('ARCHIVE_UNREADABLE');
  });

  it('UPL-3 cut off anywhere: refused', async () => {
    const file = buildCompound(document);
    for (const length of [8, 30, 511, 512, 700, 1024, 1100]) {
      expect(await reasonOf('doc', file.subarray(0, length))).toBe('ARCHIVE_UNREADABLE');
    }
  });
});
