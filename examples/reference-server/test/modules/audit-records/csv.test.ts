import type { AuditRecord } from '@sallyport/audit-log';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../../scripts/test-properties.js';
import { type CsvSeparator, csvHeader, csvLine } from '../../../src/modules/audit-records/csv.js';

const record = (reason: string | null, parameters: unknown = null): AuditRecord => ({
  id: '1',
  occurredAt: 1_700_000_000_000,
  actor: 'admin:1',
  action: 'payment.create',
  target: null,
  outcome: 'success',
  reason,
  durationMillis: 1500,
  parameters: parameters as AuditRecord['parameters'],
  clientIp: '203.0.113.7',
  extra: { requestId: null, terminal: null, method: null, path: null, userAgent: null, exception: null },
});

/**
 * The rows that a spreadsheet with this separator shows. A cell that begins with a quote goes on to the next single
 * quote; what follows up to the separator is taken as it is, further quotes included.
 */
function rowsIn(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  for (let at = 0; at < text.length; ) {
    const row: string[] = [];
    for (;;) {
      let cell = '';
      if (text[at] === '"') {
        for (at++; at < text.length; at++) {
          if (text[at] === '"' && text[++at] !== '"') break;
          cell += text[at];
        }
      }
      while (at < text.length && ![separator, '\r', '\n'].includes(text[at]!)) cell += text[at++];
      row.push(cell);
      if (text[at] !== separator) break;
      at++;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    rows.push(row);
  }
  return rows;
}

const separators: readonly (readonly [CsvSeparator, string])[] = [
  ['comma', ','],
  ['semicolon', ';'],
];

describe('CSV', () => {
  it.each(separators)('AUD-5 separated by %s: every text is quoted, and every cell comes back', (name, separator) => {
    const texts = ['plain', 'a,b', 'a;b', 'a\tb', 'say "x"', 'two\r\nlines', '照片', '12,5', '1.5', ' ', '007'];
    for (const text of texts) {
      const line = csvLine(record(text, { text }), separator === ',' ? 'comma' : 'semicolon');
      const [row = [], ...others] = rowsIn(line, separator);
      expect(others).toEqual([]);
      expect(row).toHaveLength(17);
      expect([row[6], row[7], row[15]]).toEqual([text, '1500', JSON.stringify({ text })]);
      expect(line).toContain(`"${text.replaceAll('"', '""')}"${separator}1500${separator}"`);
    }
    const [header = []] = rowsIn(csvHeader(name), separator);
    expect(header).toHaveLength(17);
    expect(
      csvHeader(name)
        .split(separator)
        .every((cell) => /^"\w+"(?:\r\n)?$/.test(cell)),
    ).toBe(true);
  });

  it('CON-8 the name of the actor is the last column', () => {
    const nameOf = (actor: string) => (actor === 'admin:1' ? '=lin' : undefined);
    expect(csvHeader('comma')).toMatch(/,"parameters","actorName"\r\n$/);
    expect(csvLine(record(null), 'comma', nameOf)).toMatch(/,"'=lin"\r\n$/);
    expect(csvLine({ ...record(null), actor: 'admin:2' }, 'comma', nameOf)).toMatch(/",\r\n$/);
  });

  it('AUD-5 a null is an empty cell', () => {
    expect(csvLine(record(null), 'semicolon')).toContain(';"success";;1500;');
  });

  it.each<[string, CsvSeparator, string, string]>([
    ['behind a semicolon', 'comma', 'x;=1+2', "x;'=1+2"],
    ['behind a semicolon and a quote', 'comma', 'x;"=1+2', 'x;""\'=1+2'],
    ['behind a semicolon and blanks', 'comma', 'x; \t@SUM(A1)', "x; \t'@SUM(A1)"],
    ['behind a line end', 'comma', 'x\n-1', "x\n'-1"],
    ['behind a comma', 'semicolon', 'x,=1+2', "x,'=1+2"],
    ['at the start', 'semicolon', '=1+2', "'=1+2"],
  ])('AUD-5 a formula %s gets an apostrophe', (_where, separator, text, expected) => {
    expect(csvLine(record(text), separator)).toContain(`"${expected}"`);
  });

  it('AUD-5 a text without a formula keeps its separators', () => {
    expect(csvLine(record('a,-b; c', [1, -2]), 'comma')).toContain('"a,-b; c",1500,"203.0.113.7",');
    expect(csvLine(record('a;-b, c'), 'semicolon')).toContain('"a;-b, c";1500;');
  });

  it('AUD-5 no cell is a formula, whatever the text and the separator of the spreadsheet', () => {
    const piece = fc.constantFrom('a', '=1', '+', '-', '@', '＝', ',', ';', '"', "'", '\t', '\r', '\n', ' ', '\0', '1');
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, fc.constantFrom(...separators), fc.constantFrom(',', ';'), (a, b, [name], locale) => {
        const file = csvHeader(name) + csvLine(record(a, { b }), name) + csvLine(record(b, [a]), name);
        for (const cell of rowsIn(file, locale).flat()) expect(cell).not.toMatch(/^[\s\0]*[=+\-@＝＋－＠]/);
      }),
      { numRuns: cases(3000) },
    );
  });
});
