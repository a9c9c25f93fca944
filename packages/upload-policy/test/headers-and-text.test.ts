import { describe, expect, it } from 'vitest';
import { reasonOf } from './memory-source.js';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const JPEG = hex('ffd8ffe0 00104a464946');
const PNG = hex('89504e470d0a1a0a 0000000d 49484452');

describe('headers', () => {
  it.each<[string, Uint8Array | string, string]>([
    ['jpg', JPEG, 'accepted'],
    ['jpg', hex('ffd8ffdb'), 'accepted'],
    ['jpg', PNG, 'HEADER_MISMATCH'],
    ['jpg', hex('ffd8'), 'HEADER_MISMATCH'],
    ['png', PNG, 'accepted'],
    ['png', PNG.subarray(0, 7), 'HEADER_MISMATCH'],
    ['png', JPEG, 'HEADER_MISMATCH'],
    ['pdf', '%PDF-1.7\n', 'accepted'],
    ['pdf', '%PDF-2.0\r\n%\xe2\xe3', 'accepted'],
    ['pdf', '\ufeff%PDF-1.4\n', 'accepted'],
    ['pdf', '%PDF', 'HEADER_MISMATCH'],
    ['pdf', '<html>%PDF-1.4', 'HEADER_MISMATCH'],
    ['pdf', '\n%PDF-1.4', 'HEADER_MISMATCH'],
    ['pdf', '%!PS-Adobe-3.0', 'HEADER_MISMATCH'],
    ['zip', hex('504b0506 000000000000000000000000000000000000'), 'accepted'],
    ['zip', `PK\x05\x06${'\0'.repeat(18)}<script>`, 'ARCHIVE_UNREADABLE'],
    ['zip', 'PK\x05\x06<script>', 'ARCHIVE_UNREADABLE'],
    ['zip', 'PK\x07\x08PK\x03\x04', 'HEADER_MISMATCH'],
    ['zip', 'PK', 'HEADER_MISMATCH'],
    ['docx', '<html>', 'HEADER_MISMATCH'],
    ['doc', '{\\rtf1', 'HEADER_MISMATCH'],
    ['xls', '<table>', 'HEADER_MISMATCH'],
    ['jpg', 'MZ', 'HEADER_MISMATCH'],
  ])('UPL-3 %s that begins with %j: %s', async (extension, bytes, expected) => {
    expect(await reasonOf(extension, bytes)).toBe(expected);
  });
});

describe('text', () => {
  const gb18030 = hex('d0d5c3fb 2c cae9c3fb 0a');

  it.each<[string, Uint8Array | string, string]>([
    ['UTF-8 of four scripts', 'für 照片 עברית 🏳️\r\n\t\f', 'accepted'],
    ['UTF-8 with a mark', '\ufefftext', 'accepted'],
    ['UTF-16, little endian, with a mark', Buffer.from('\ufeff姓名,书名\n', 'utf16le'), 'accepted'],
    ['UTF-16, big endian, with a mark', Buffer.from('\ufeff姓名\n', 'utf16le').swap16(), 'accepted'],
    ['GB 18030', gb18030, 'accepted'],
    ['text that starts like a bitmap and a program', 'BMW, MZ, II*, ID3\n', 'accepted'],
    ['one letter', 'a', 'accepted'],
    ['a NUL', 'a\0b', 'TEXT_INVALID'],
    ['a NUL after much text', `${'a'.repeat(200_000)}\0`, 'TEXT_INVALID'],
    ['UTF-16 without a mark', Buffer.from('name', 'utf16le'), 'TEXT_INVALID'],
    ['UTF-16 with a NUL', Buffer.from('\ufeffa\0', 'utf16le'), 'TEXT_INVALID'],
    ['half of a UTF-16 pair', hex('fffe 00d8 6100'), 'TEXT_INVALID'],
    ['an odd number of bytes of UTF-16', hex('fffe 6100 62'), 'TEXT_INVALID'],
    ['UTF-8 by its mark, but not by its bytes', hex('efbbbf c328'), 'TEXT_INVALID'],
    ['neither encoding', hex('61 ff ff'), 'TEXT_INVALID'],
    ['GB 18030 with a control of binaries', Buffer.concat([gb18030, hex('01')]), 'TEXT_INVALID'],
    ['GB 18030 that ends within a character', gb18030.subarray(0, 3), 'TEXT_INVALID'],
    ['a PDF', '%PDF-1.4\n', 'HEADER_MISMATCH'],
    ['a ZIP', 'PK\x03\x04', 'HEADER_MISMATCH'],
    ['a JPEG', JPEG, 'HEADER_MISMATCH'],
  ])('UPL-4 %s', async (_what, bytes, expected) => {
    expect(await reasonOf('txt', bytes)).toBe(expected);
    expect(await reasonOf('csv', bytes)).toBe(expected);
  });

  it('UPL-4 a character across two reads is valid', async () => {
    for (let blanks = 65_530; blanks <= 65_540; blanks++) {
      expect(await reasonOf('txt', `${' '.repeat(blanks)}照🏳`)).toBe('accepted');
    }
  });

  it('UPL-4 the encodings are an option', async () => {
    const latin = Buffer.from('Gr\xfc\xdfe', 'latin1');
    expect(await reasonOf('txt', gb18030, { textEncodings: ['utf-8'] })).toBe('TEXT_INVALID');
    expect(await reasonOf('txt', latin, { textEncodings: ['utf-8', 'windows-1252'] })).toBe('accepted');
  });
});
