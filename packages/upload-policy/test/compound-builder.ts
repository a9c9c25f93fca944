/** One entry of a directory. */
export interface CompoundEntry {
  readonly name: string;
  readonly type: 'storage' | 'stream';
  /** Numbers of entries; the root is 0, the first one given 1. */
  readonly left?: number;
  readonly right?: number;
  readonly child?: number;
}

const NONE = 0xffffffff;
const END_OF_CHAIN = 0xfffffffe;
const FAT_SECTOR = 0xfffffffd;

/**
 * A compound file of version 3: a header, one sector of its table, and a directory of which `root` is the first child.
 */
export function buildCompound(entries: readonly CompoundEntry[], root = 1): Buffer {
  const directorySectors = Math.ceil((entries.length + 1) / 4);
  const header = compoundHeader();
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(1, 48);
  header.writeUInt32LE(0, 76);
  const table = Buffer.alloc(512, 0xff);
  table.writeUInt32LE(FAT_SECTOR, 0);
  for (let sector = 1; sector <= directorySectors; sector++) {
    table.writeUInt32LE(sector === directorySectors ? END_OF_CHAIN : sector + 1, sector * 4);
  }
  const directory = Buffer.alloc(directorySectors * 512);
  const all = [{ name: 'Root Entry', type: 'root' as const, child: root }, ...entries];
  all.forEach((entry, index) => {
    writeEntry(directory.subarray(index * 128), entry);
  });
  return Buffer.concat([header, table, directory]);
}

/**
 * One whose directory is scattered over the file, and whose tree leads to and fro in it: as far as can be from one
 * entry to the next. The last of them is `WordDocument`.
 */
export function buildScattered(entries: number): Buffer {
  const sectors = Math.ceil((entries + 1) / 4);
  const tableSectors = Math.ceil(sectors / 127);
  const nth = (n: number, count: number) => (n * 7919) % count;
  const directory = Buffer.alloc(sectors * 512);
  const entryAt = (id: number) => directory.subarray(id * 128);
  writeEntry(entryAt(0), { name: 'Root Entry', type: 'root', child: 1 });
  for (let n = 0; n < entries; n++) {
    const name = n === entries - 1 ? 'WordDocument' : `${n}`;
    const right = n === entries - 1 ? NONE : nth(n + 1, entries) + 1;
    writeEntry(entryAt(nth(n, entries) + 1), { name, type: 'stream', right });
  }
  const header = compoundHeader();
  header.writeUInt32LE(tableSectors, 44);
  header.writeUInt32LE(tableSectors, 48);
  for (let n = 0; n < tableSectors; n++) header.writeUInt32LE(n, 76 + n * 4);
  const table = Buffer.alloc(tableSectors * 512, 0xff);
  const scattered = Buffer.alloc(directory.length);
  for (let n = 0; n < sectors; n++) {
    const next = n === sectors - 1 ? END_OF_CHAIN : tableSectors + nth(n + 1, sectors);
    table.writeUInt32LE(next, (tableSectors + nth(n, sectors)) * 4);
    directory.copy(scattered, nth(n, sectors) * 512, n * 512, (n + 1) * 512);
  }
  return Buffer.concat([header, table, scattered]);
}

/** The parts that don't depend on the contents of the file. */
function compoundHeader(): Buffer {
  const header = Buffer.alloc(512);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(END_OF_CHAIN, 60);
  header.writeUInt32LE(END_OF_CHAIN, 68);
  header.fill(0xff, 76);
  return header;
}

function writeEntry(
  bytes: Buffer,
  { name, type, ...links }: Omit<CompoundEntry, 'type'> & { readonly type: CompoundEntry['type'] | 'root' },
): void {
  bytes.write(name, 0, 62, 'utf16le');
  bytes.writeUInt16LE(Math.min(name.length, 31) * 2 + 2, 64);
  bytes[66] = { storage: 1, stream: 2, root: 5 }[type];
  bytes.writeUInt32LE(links.left ?? NONE, 68);
  bytes.writeUInt32LE(links.right ?? NONE, 72);
  bytes.writeUInt32LE(links.child ?? NONE, 76);
}
