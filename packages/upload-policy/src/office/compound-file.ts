import { type PagedSource, Refusal } from '../files/index.js';

/** [MS-CFB] section 2.2. */
const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const HEADER_FAT_SECTORS = 109;

/** Sector numbers from this one on are markers: [MS-CFB] section 2.1. */
const LAST_SECTOR = 0xfffffffa;

/** [MS-CFB] section 2.6. */
const ENTRY_BYTES = 128;
const NO_ENTRY = 0xffffffff;
const STREAM = 2;
const ROOT = 5;

/** The maximum size of the directory: 32 768 entries, more than a document with thousands of embedded objects has. */
const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024;

/** The stream that contains the document. The older name of a workbook comes from Excel 5 and 95. */
const MAIN_STREAMS: Readonly<Record<string, readonly string[]>> = {
  doc: ['WORDDOCUMENT'],
  xls: ['WORKBOOK', 'BOOK'],
  ppt: ['POWERPOINT DOCUMENT'],
};

/** The layout of a compound file. */
interface CompoundFile {
  readonly source: PagedSource;
  readonly sectorBytes: number;
  /** The sectors of the allocation table, in order. */
  readonly fatSectors: readonly number[];
  readonly directoryStart: number;
}

/**
 * Checks that the file has the stream of its kind at the root, and no stream of another kind there, as a genuine DOC or
 * XLS. Embedded documents are deeper in the tree. Every walk is bounded and visits no sector twice.
 *
 * @throws Refusal
 */
export async function checkCompoundFile(source: PagedSource, extension: string): Promise<void> {
  const names = await rootStreams(source);
  const kinds = Object.entries(MAIN_STREAMS).filter(([, streams]) => streams.some((name) => names.has(name)));
  if (names.has('ENCRYPTEDPACKAGE')) throw new Refusal('OFFICE_ENCRYPTED', 'The Office file is encrypted');
  if (kinds.length !== 1 || kinds[0]?.[0] !== extension) {
    throw new Refusal('OFFICE_PART_MISSING', `The main stream of a ${extension} file is missing`);
  }
}

/** The names of the streams at the root, in upper case. @throws Refusal */
async function rootStreams(source: PagedSource): Promise<Set<string>> {
  const directory = await readDirectory(await openCompoundFile(source));

  function entryAt(id: number): Buffer {
    const entry = directory.subarray(id * ENTRY_BYTES, (id + 1) * ENTRY_BYTES);
    if (entry.length < ENTRY_BYTES) throw unreadable();
    return entry;
  }

  const root = entryAt(0);
  if (root[66] !== ROOT) throw unreadable();
  const names = new Set<string>();
  const seen = new Set<number>();
  const open = [root.readUInt32LE(76)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === NO_ENTRY) continue;
    if (seen.has(id)) throw unreadable();
    seen.add(id);
    const entry = entryAt(id);
    if (entry[66] === STREAM) names.add(entryName(entry));
    open.push(entry.readUInt32LE(68), entry.readUInt32LE(72));
  }
  return names;
}

/**
 * The whole directory is read into memory, because its entries are not in order, and following them would cost a read
 * for each.
 */
async function readDirectory(file: CompoundFile): Promise<Buffer> {
  const { source, sectorBytes } = file;
  const sectors = await chainOf(file, file.directoryStart, Math.floor(MAX_DIRECTORY_BYTES / sectorBytes));
  const directory = Buffer.alloc(sectors.length * sectorBytes);
  // Read in the order of the file, so that a scattered directory costs no more reads than a contiguous one.
  for (const [index, sector] of [...sectors.entries()].sort(([, one], [, other]) => one - other)) {
    (await readAt(source, sectorStart(file, sector), sectorBytes)).copy(directory, index * sectorBytes);
  }
  return directory;
}

async function openCompoundFile(source: PagedSource): Promise<CompoundFile> {
  const header = await readAt(source, 0, HEADER_BYTES);
  // The byte order mark at 28 is ignored: some writers swap it, and readers accept that.
  const version = header.readUInt16LE(26);
  const sectorShift = header.readUInt16LE(30);
  const isRight =
    header.subarray(0, SIGNATURE.length).equals(SIGNATURE) &&
    ((version === 3 && sectorShift === 9) || (version === 4 && sectorShift === 12));
  if (!isRight) throw unreadable();
  const sectorBytes = 2 ** sectorShift;
  return {
    source,
    sectorBytes,
    fatSectors: await listFatSectors(source, header, sectorBytes),
    directoryStart: header.readUInt32LE(48),
  };
}

/** The header names the first 109 sectors of the allocation table; a chain of sectors names the others. */
async function listFatSectors(source: PagedSource, header: Buffer, sectorBytes: number): Promise<number[]> {
  const count = header.readUInt32LE(44);
  // A sector of the table maps a quarter as many sectors as it has bytes. Some writers allocate twice as many as
  // needed.
  if (count > 8 + 2 * (source.size / sectorBytes / (sectorBytes / 4))) throw unreadable();
  const listed = Array.from({ length: HEADER_FAT_SECTORS }, (_, index) => header.readUInt32LE(76 + index * 4));
  let next = header.readUInt32LE(68);
  const perSector = sectorBytes / 4 - 1;
  while (listed.length < count && next < LAST_SECTOR) {
    const sector = await readAt(source, (next + 1) * sectorBytes, sectorBytes);
    for (let index = 0; index < perSector; index++) listed.push(sector.readUInt32LE(index * 4));
    next = sector.readUInt32LE(perSector * 4);
  }
  return listed.slice(0, count);
}

async function chainOf(file: CompoundFile, first: number, maxSectors: number): Promise<number[]> {
  const { source, sectorBytes, fatSectors } = file;
  const perSector = sectorBytes / 4;
  const chain: number[] = [];
  const seen = new Set<number>();
  for (let sector = first; sector < LAST_SECTOR; ) {
    if (seen.has(sector) || chain.length === maxSectors) throw unreadable();
    seen.add(sector);
    chain.push(sector);
    const fatSector = fatSectors[Math.floor(sector / perSector)];
    if (fatSector === undefined) throw unreadable();
    const position = sectorStart(file, fatSector) + (sector % perSector) * 4;
    sector = (await readAt(source, position, 4)).readUInt32LE();
  }
  return chain;
}

function sectorStart({ sectorBytes }: CompoundFile, sector: number): number {
  return (sector + 1) * sectorBytes;
}

/** The length of the name is in bytes, with the NUL at the end. */
function entryName(entry: Buffer): string {
  const bytes = entry.readUInt16LE(64);
  if (bytes < 2 || bytes > 64) throw unreadable();
  return entry.toString('utf16le', 0, bytes - 2).toUpperCase();
}

async function readAt(source: PagedSource, position: number, length: number): Promise<Buffer> {
  const bytes = await source.read(position, length);
  if (bytes.length < length) throw unreadable();
  return bytes;
}

function unreadable(): Refusal {
  return new Refusal('ARCHIVE_UNREADABLE', 'The directory of the file cannot be read');
}
