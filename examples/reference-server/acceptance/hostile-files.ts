import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** What a check expects of a file. `harmless`: refused, or stored so that nothing of it runs in a browser. */
export interface HostileFile {
  readonly what: string;
  /** The part of the name after the run's prefix. */
  readonly ending: string;
  readonly type: string;
  readonly content: Buffer;
  readonly must: 'be refused' | 'be harmless';
}

const PAGE = '<!doctype html><html><body><script>alert(document.domain)</script></body></html>\n';
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(document.domain)</script></svg>\n';

/** The beginning of a program for Windows: the DOS header and the signature of the format. It contains no code. */
const PROGRAM = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(58), Buffer.from([64, 0, 0, 0]), Buffer.from('PE\0\0')]);

const JPEG_START = Buffer.from([0xff, 0xd8]);
const JPEG_END = Buffer.from([0xff, 0xd9]);

/** Unpacks to more than the archive limits allow. */
const BOMB_BYTES = 48 * 1024 * 1024;

/** Packed once in a process, which takes a while. */
let packedBomb: Buffer | undefined;

function bomb(): Buffer {
  packedBomb ??= zipOf([{ name: 'zeros', content: Buffer.alloc(BOMB_BYTES) }]);
  return packedBomb;
}

/** All hostile files, generated here. */
export function hostileFiles(): readonly HostileFile[] {
  const page = Buffer.from(PAGE);
  const png = onePixelPng();
  const zip = zipOf([{ name: 'note.txt', content: Buffer.from('note') }]);
  const file = (what: string, ending: string, type: string, content: Buffer): HostileFile => {
    return { what, ending, type, content, must: 'be refused' };
  };
  const harmless = (...of: Parameters<typeof file>): HostileFile => ({ ...file(...of), must: 'be harmless' });
  return [
    file('a web page named .jpg', 'a.jpg', 'image/jpeg', page),
    file('a web page named .png', 'a.png', 'image/png', page),
    file('a web page named .pdf', 'a.pdf', 'application/pdf', page),
    file('a program named .jpg', 'b.jpg', 'image/jpeg', PROGRAM),
    file('a program named .png', 'b.png', 'image/png', PROGRAM),
    file('a shell script named .jpg', 'c.jpg', 'image/jpeg', Buffer.from('#!/bin/sh\nid\n')),
    file('a picture named .pdf', 'd.pdf', 'application/pdf', png),
    file('text named .zip', 'e.zip', 'application/zip', Buffer.from('not an archive\n')),
    file(
      'an archive without a document named .docx',
      'f.docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      zip,
    ),
    file('binary data named .txt', 'g.txt', 'text/plain', Buffer.from([0x41, 0, 1, 2, 0xff, 0xfe, 0])),
    file('an empty file', 'h.png', 'image/png', Buffer.alloc(0)),
    file('a zip bomb', 'i.zip', 'application/zip', bomb()),
    file('an archive that unpacks outside', 'j.zip', 'application/zip', traversal()),
    file('an archive that breaks off', 'k.zip', 'application/zip', zip.subarray(0, zip.length - 10)),
    harmless('a picture with a web page in its comment', 'l.jpg', 'image/jpeg', jpegWithComment(PAGE)),
    harmless('a picture with an archive behind it', 'm.png', 'image/png', Buffer.concat([png, zip])),
    harmless('a GIF that is a script', 'n.gif', 'image/gif', Buffer.from('GIF89a/*\0\0*/=1;alert(document.domain)')),
    harmless('a PDF that is a web page', 'o.pdf', 'application/pdf', Buffer.from(`%PDF-1.4\n${PAGE}`)),
    harmless('an archive behind a web page', 'p.zip', 'application/zip', Buffer.concat([page, zip])),
    harmless('a web page', 'q.html', 'text/html', page),
    harmless('a drawing with a script', 'r.svg', 'image/svg+xml', Buffer.from(PICTURE)),
    harmless('a program', 's.exe', 'application/octet-stream', PROGRAM),
    harmless('a program with two extensions', 't.jpg.exe', 'image/jpeg', PROGRAM),
    harmless('a script of the server', 'u.php', 'image/png', png),
    harmless('a picture that says it is a web page', 'v.png', 'text/html', png),
  ];
}

function traversal(): Buffer {
  return zipOf([{ name: '../../../../tmp/acceptance', content: Buffer.from('outside') }]);
}

/** An image of one pixel with a random colour. */
export function onePixelPng(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(1, 0);
  header.writeUInt32BE(1, 4);
  // Eight bits a channel, red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const pixel = crypto.getRandomValues(new Uint8Array(3));
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, ...pixel]))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...chunks]);
}

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), content]);
  return Buffer.concat([uint32(content.length, 'BE'), body, uint32(crc32(body), 'BE')]);
}

function jpegWithComment(comment: string): Buffer {
  const text = Buffer.from(comment);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length + 2);
  return Buffer.concat([JPEG_START, Buffer.from([0xff, 0xfe]), length, text, JPEG_END]);
}

interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
}

/** An archive by the ZIP application note (APPNOTE.TXT 6.3.10): local headers, central directory, its end. */
function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const packed = deflateRawSync(content);
    // Version 2.0, no flags, deflated, midnight of 1980-01-01; sums and sizes; length of the name, no extra field.
    const common = Buffer.concat([
      Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0]),
      uint32(crc32(content)),
      uint32(packed.length),
      uint32(content.length),
      Buffer.from([name.length, 0, 0, 0]),
    ]);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    // Made by version 2.0; no comment, first disk, no attributes; where the local header is.
    const rest = Buffer.concat([Buffer.alloc(10), uint32(offset), Buffer.from(name)]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), common, rest]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = Buffer.from([entries.length, 0, entries.length, 0]);
  const end = [
    Buffer.from('PK\x05\x06'),
    Buffer.alloc(4),
    count,
    uint32(central.length),
    uint32(offset),
    Buffer.alloc(2),
  ];
  return Buffer.concat([...locals, central, ...end]);
}

function uint32(value: number, order: 'LE' | 'BE' = 'LE'): Buffer {
  const bytes = Buffer.alloc(4);
  if (order === 'LE') bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
}
