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
    readonly extra?: Buffer;
  };
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
    pieces.push(Buffer.from(entry.gap ?? []));
    place += entry.gap?.length ?? 0;
    const start = entry.sharesPlace === true ? last : place;
    if (entry.sharesPlace !== true) {
      const { name = entry.name, extra = Buffer.of(), ...local } = entry.local ?? {};
      const sizes = { packed: local.packed ?? packed.length, size: local.size ?? size };
      const header = head(0x04034b50, [20, local.flags ?? flags, local.method ?? method], crc32(data), sizes, name);
      header.writeUInt16LE(extra.length, 28);
      const piece = Buffer.concat([header, Buffer.from(name), extra, packed]);
      pieces.push(piece);
      last = place;
      place += piece.length;
    }
    if (entry.isHidden === true) continue;
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(entry.externalAttributes ?? 0, 6);
    tail.writeUInt32LE(start, 10);
    directory.push(
      head(0x02014b50, [0x0314, 20, flags, method], crc32(data), { packed: packed.length, size }, entry.name),
      tail,
      Buffer.from(entry.name),
    );
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
