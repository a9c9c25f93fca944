import { crc32, deflateRawSync } from 'node:zlib';

/** One entry, and its deviations from a correct one. */
export interface BuiltEntry {
  readonly name: string;
  readonly bytes?: Uint8Array | string;
  /** Default deflated. */
  readonly isStored?: boolean;
  readonly method?: number;
  /** General purpose flags. */
  readonly flags?: number;
  /** The differing values of the local header. */
  readonly local?: {
    readonly name?: string;
    readonly method?: number;
    readonly flags?: number;
    readonly size?: number;
    readonly packed?: number;
    readonly crc?: number;
    readonly extra?: Buffer;
  };
  /** The CRC-32 that both headers declare. */
  readonly declaredCrc?: number;
  /** After the packed bytes, and not counted with them. */
  readonly descriptor?: Uint8Array;
  /** The extra field of the directory. */
  readonly extra?: Buffer;
  /** Appended to the packed bytes, and counted with them. */
  readonly trailing?: Uint8Array;
  /** The unpacked size that both headers declare. */
  readonly declaredBytes?: number;
  readonly externalAttributes?: number;
  /** Bytes before the entry. */
  readonly gap?: Uint8Array;
  /** Left out of the directory, or of the file: then the directory has the position of the entry before it. */
  readonly isHidden?: boolean;
  readonly sharesPlace?: boolean;
}

export interface BuiltArchive {
  readonly front?: Uint8Array;
  readonly behind?: Uint8Array;
  readonly comment?: string;
  /** The number of entries in the end record. */
  readonly count?: number;
}

/** The extra field with the Unicode path of an entry: APPNOTE.TXT 6.3.10, section 4.6.9. */
export function unicodePath(name: string, path: string): Buffer {
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + Buffer.byteLength(path), 2);
  field.writeUInt8(1, 4);
  field.writeUInt32LE(crc32(Buffer.from(name)), 5);
  return Buffer.concat([field, Buffer.from(path)]);
}

/** Builds an archive byte by byte, so that it may contain what no packer writes. */
export function buildZip(
  entries: readonly BuiltEntry[],
  { front, behind, comment = '', count }: BuiltArchive = {},
): Buffer {
  const pieces: Buffer[] = [Buffer.from(front ?? [])];
  const directory: Buffer[] = [];
  let place = pieces[0]!.length;
  let last = place;
  for (const entry of entries) {
    const data = Buffer.from(entry.bytes ?? '');
    const packed = Buffer.concat([
      entry.isStored === true ? data : deflateRawSync(data),
      entry.trailing ?? Buffer.of(),
    ]);
    const method = entry.method ?? (entry.isStored === true ? 0 : 8);
    const flags = entry.flags ?? 0x800;
    const size = entry.declaredBytes ?? data.length;
    const crc = entry.declaredCrc ?? crc32(data);
    pieces.push(Buffer.from(entry.gap ?? []));
    place += entry.gap?.length ?? 0;
    const start = entry.sharesPlace === true ? last : place;
    if (entry.sharesPlace !== true) {
      const { name = entry.name, extra = Buffer.of(), ...local } = entry.local ?? {};
      const sizes = { packed: local.packed ?? packed.length, size: local.size ?? size };
      const words = [20, local.flags ?? flags, local.method ?? method];
      const header = head(0x04034b50, words, local.crc ?? crc, sizes, name);
      header.writeUInt16LE(extra.length, 28);
      const piece = Buffer.concat([header, Buffer.from(name), extra, packed, entry.descriptor ?? Buffer.of()]);
      pieces.push(piece);
      last = place;
      place += piece.length;
    }
    if (entry.isHidden === true) continue;
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(entry.externalAttributes ?? 0, 6);
    tail.writeUInt32LE(start, 10);
    const listed = head(0x02014b50, [0x0314, 20, flags, method], crc, { packed: packed.length, size }, entry.name);
    const extra = entry.extra ?? Buffer.of();
    listed.writeUInt16LE(extra.length, 30);
    directory.push(listed, tail, Buffer.from(entry.name), extra);
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  const number = count ?? entries.filter(({ isHidden }) => isHidden !== true).length;
  end.writeUInt16LE(number, 8);
  end.writeUInt16LE(number, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(place, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([...pieces, listed, end, Buffer.from(comment), Buffer.from(behind ?? [])]);
}

/** The common members of a local header and a directory header. */
function head(
  signature: number,
  words: readonly number[],
  crc: number,
  { packed, size }: { readonly packed: number; readonly size: number },
  name: string,
): Buffer {
  const bytes = Buffer.alloc(4 + words.length * 2 + 20);
  bytes.writeUInt32LE(signature, 0);
  words.forEach((word, index) => {
    bytes.writeUInt16LE(word, 4 + index * 2);
  });
  const at = 4 + words.length * 2 + 4;
  bytes.writeUInt32LE(crc, at);
  bytes.writeUInt32LE(packed, at + 4);
  bytes.writeUInt32LE(size, at + 8);
  bytes.writeUInt16LE(Buffer.byteLength(name), at + 12);
  return bytes;
}
