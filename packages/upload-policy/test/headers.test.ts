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
