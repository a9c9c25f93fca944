import { describe, expect, it } from 'vitest';
import { reasonOf } from './memory-source.js';
import {
  office,
  override,
  type Package,
  RELATION,
  relation,
  SHEET,
  STRICT_RELATION,
  typeList,
  WORD,
} from './office-builder.js';
import { type BuiltEntry, buildZip, unicodePath } from './zip-builder.js';

const docx = (parts?: Package) => reasonOf('docx', office(parts));

describe('packages that would take hours', () => {
  const long = 4_000_000;
  it.each<[string, Package]>([
    [
      'white space within a type',
      { types: `<Types><Default Extension="a" ContentType="a${' '.repeat(long)}b"/></Types>` },
    ],
    ['a path without an end', { types: '<Types/>', relations: relation(`${'a'.repeat(long)}/b`) }],
    ['a name without an end', { types: `<Types><Default ${'a'.repeat(long)}="x"/></Types>` }],
  ])('UPL-4 are refused at once: %s', async (_what, parts) => {
    expect(await docx(parts)).toBe('OFFICE_PART_MISSING');
  });
});

describe('packages as different producers write them', () => {
  it.each<[string, Package]>([
    ['the type list last', {}],
    [
      'a main part of another name',
      {
        types: typeList(override('/word/document2.xml', WORD)),
        relations: relation('/word/document2.xml'),
        mainPart: 'word/document2.xml',
      },
    ],
    ['the main type by extension', { types: `<Types><Default Extension="xml" ContentType="${WORD}"/></Types>` }],
    ['strict relationships', { relations: relation('word/document.xml', STRICT_RELATION) }],
    [
      'prefixes, single quotes, blanks, comments',
      {
        types:
          '<!-- <Override PartName="/x"/> --><p:Types xmlns:p="x">\n <p:Override\n ' +
          `PartName = '/word/document.xml' ContentType='${WORD}' ></p:Override></p:Types>`,
      },
    ],
    [
      'another case in names and types',
      {
        types: typeList(override('/Word/Document.XML', WORD.toUpperCase())),
        relations: relation('WORD/document.xml'),
      },
    ],
    [
      'entities and percent signs',
      {
        types: typeList(override('/word/a&amp;b&#x20;c.xml', WORD)),
        relations: relation('./word/a&amp;b%20c.xml'),
        mainPart: 'word/a&b c.xml',
      },
    ],
    [
      'UTF-16 with a mark',
      { types: Buffer.from(`\ufeff${typeList(override('/word/document.xml', WORD))}`, 'utf16le') },
    ],
    ['a byte-order mark of UTF-8', { types: `\ufeff${typeList(override('/word/document.xml', WORD))}` }],
    [
      'a folder, a picture, an embedded file',
      {
        others: [
          { name: 'word/', isStored: true },
          { name: 'word/media/image1.png', bytes: 'png' },
          { name: 'word/embeddings/Workbook.xlsx', bytes: 'PK' },
        ],
      },
    ],
  ])('UPL-3 UP-01 %s: accepted', async (_what, parts) => expect(await docx(parts)).toBe('accepted'));

  it('UPL-3 a workbook passes as a workbook and not as a document', async () => {
    const workbook = office({
      types: typeList(override('/xl/workbook.xml', SHEET)),
      relations: relation('xl/workbook.xml'),
      mainPart: 'xl/workbook.xml',
    });
    expect(await reasonOf('xlsx', workbook)).toBe('accepted');
    expect(await reasonOf('docx', workbook)).toBe('OFFICE_PART_MISSING');
    expect(await reasonOf('zip', workbook)).toBe('accepted');
  });
});

describe('packages that do not fit their extension', () => {
  it.each<[string, string, Package]>([
    ['a main part that is missing', 'OFFICE_PART_MISSING', { mainPart: 'word/other.xml' }],
    ['a main part without a type', 'OFFICE_PART_MISSING', { types: typeList('') }],
    [
      'a template',
      'OFFICE_PART_MISSING',
      {
        types: typeList(override('/word/document.xml', WORD.replace('document.main', 'template.main'))),
      },
    ],
    [
      'a main part elsewhere',
      'OFFICE_PART_MISSING',
      {
        relations: relation('http://192.0.2.1/a.docx', RELATION, 'TargetMode="External"'),
      },
    ],
    [
      'two main parts',
      'OFFICE_PART_MISSING',
      {
        relations: `${relation('word/document.xml')}${relation('word/document.xml')}`,
      },
    ],
    [
      'a type in a comment',
      'OFFICE_PART_MISSING',
      {
        types: `<Types><!-- ${override('/word/document.xml', WORD)} --></Types>`,
      },
    ],
    [
      'a document type',
      'OFFICE_PART_MISSING',
      {
        types: `<!DOCTYPE x [<!ENTITY a "b">]>${typeList(override('/word/document.xml', WORD))}`,
      },
    ],
    [
      'a type that another reader takes for none',
      'OFFICE_PART_MISSING',
      { types: typeList(`<Override PartName="/word/document.xml" ContentType="x" y:ContentType="${WORD}"/>`) },
    ],
    [
      'an attribute twice',
      'OFFICE_PART_MISSING',
      { types: typeList(`<Override PartName="/word/document.xml" ContentType="x" ContentType="${WORD}"/>`) },
    ],
    [
      'two types of one part',
      'OFFICE_ENTRY_DUPLICATE',
      { types: typeList(override('/word/document.xml', 'x') + override('/Word/document.xml', WORD)) },
    ],
    ['a type list that is not XML', 'OFFICE_PART_MISSING', { types: '<Types a=b <c>' }],
    ['a type list that is not text', 'OFFICE_PART_MISSING', { types: Buffer.from([0xc3, 0x28]) }],
    ['a type list that is too large', 'ARCHIVE_BOMB', { types: ' '.repeat(5_000_000) }],
    ['macros', 'OFFICE_MACROS', { others: [{ name: 'word/vbaProject.bin', bytes: 'x' }] }],
    [
      'macros of another name',
      'OFFICE_MACROS',
      {
        types: typeList(
          override('/word/document.xml', WORD) + override('/word/a.bin', 'application/vnd.ms-office.vbaProject'),
        ),
        others: [{ name: 'word/a.bin', bytes: 'x' }],
      },
    ],
    ['an entry twice', 'OFFICE_ENTRY_DUPLICATE', { others: [{ name: 'word/document.xml', bytes: '<other/>' }] }],
    [
      'an entry twice, in another case',
      'OFFICE_ENTRY_DUPLICATE',
      { others: [{ name: 'WORD/Document.xml', bytes: 'x' }] },
    ],
    [
      'an entry twice, with a backslash',
      'OFFICE_ENTRY_DUPLICATE',
      { others: [{ name: 'word\\document.xml', bytes: 'x' }] },
    ],
    [
      'an encrypted entry',
      'OFFICE_ENCRYPTED',
      {
        others: [{ name: 'word/a.xml', bytes: 'x'.repeat(20), isStored: true, flags: 0x801 }],
      },
    ],
  ])('UPL-3 UPL-4 %s: refused', async (_what, reason, parts) => expect(await docx(parts)).toBe(reason));

  it.each<[string, Package]>([
    ['a main part', { mainPart: 'word\\document.xml' }],
    [
      'a main part in a folder of which the list has the backslash too',
      {
        mainPart: 'word\\document.xml',
        relations: relation('word\\document.xml'),
        types: typeList(override('/word\\document.xml', WORD)),
      },
    ],
  ])('UPL-10 %s with a backslash in its entry name does not count', async (_what, parts) => {
    expect(await docx(parts)).toBe('OFFICE_PART_MISSING');
  });

  it('UPL-10 the relationships with a backslash in their entry name do not count, nor do those of an xlsx', async () => {
    for (const [extension, folder, name, type] of [
      ['docx', 'word', 'document.xml', WORD],
      ['xlsx', 'xl', 'workbook.xml', SHEET],
    ] as const) {
      const file = (rels: string, part: string) =>
        buildZip([
          { name: '[Content_Types].xml', bytes: typeList(override(`/${folder}/${name}`, type)) },
          { name: rels, bytes: relation(`${folder}/${name}`) },
          { name: part, bytes: '<x/>' },
          { name: `${folder}\\media\\image1.png`, bytes: 'png' },
        ]);
      expect(await reasonOf(extension, file('_rels/.rels', `${folder}/${name}`))).toBe('accepted');
      expect(await reasonOf(extension, file('_rels\\.rels', `${folder}/${name}`))).toBe('OFFICE_PART_MISSING');
      expect(await reasonOf(extension, file('_rels/.rels', `${folder}\\${name}`))).toBe('OFFICE_PART_MISSING');
    }
  });

  it('UPL-10 an entry that has its name by the Unicode path of an extra field only does not count', async () => {
    const parts = (name: string, path: string): BuiltEntry[] => [
      { name: '_rels/.rels', bytes: relation('word/document.xml') },
      { name: '[Content_Types].xml', bytes: typeList(override('/word/document.xml', WORD)) },
      { name, bytes: '<document/>', extra: unicodePath(name, path) },
    ];
    const file = (name: string, path: string) => reasonOf('docx', buildZip(parts(name, path)));
    expect(await file('word/document.xml', 'word/document.xml')).toBe('accepted');
    expect(await file('word/other.xml', 'word/document.xml')).toBe('OFFICE_PART_MISSING');
    expect(await file('word\\document.xml', 'word/document.xml')).toBe('OFFICE_PART_MISSING');
    expect(await file('word/document.xml', 'word/other.xml')).toBe('OFFICE_PART_MISSING');
    const second = { name: 'word/a.xml', bytes: '<other/>', extra: unicodePath('word/a.xml', 'word/document.xml') };
    expect(await docx({ others: [second] })).toBe('OFFICE_ENTRY_DUPLICATE');
    const macros = { name: 'word/vbaProject.bin', bytes: 'x', extra: unicodePath('word/vbaProject.bin', 'word/a.xml') };
    expect(await docx({ others: [macros] })).toBe('OFFICE_MACROS');
    expect(await docx({ others: [{ name: 'word\\vbaProject.bin', bytes: 'x' }] })).toBe('OFFICE_MACROS');
  });

  describe('with macro sheets of Excel 4', () => {
    const RELATIONS = 'http://schemas.microsoft.com/office/2006/relationships/';
    const workbook = (others: readonly BuiltEntry[], sheetType?: string, part = '/xl/sheets/sheet1.xml') =>
      reasonOf(
        'xlsx',
        office({
          types: typeList(
            override('/xl/workbook.xml', SHEET) + (sheetType === undefined ? '' : override(part, sheetType)),
          ),
          relations: relation('xl/workbook.xml'),
          mainPart: 'xl/workbook.xml',
          others,
        }),
      );
    const sheet = { name: 'xl/sheets/sheet1.xml', bytes: '<xm:macrosheet/>' };
    const list = (type: string, name = 'xl/_rels/workbook.xml.rels') => ({
      name,
      bytes: relation('sheets/sheet1.xml', type),
    });

    it('UPL-12 a sheet in the folder of macro sheets is refused', async () => {
      for (const name of ['xl/macrosheets/sheet1.xml', 'xl/intlMacrosheets/a.xml', 'XL\\MacroSheets\\sheet1.xml'])
        expect(await workbook([{ name, bytes: '<x/>' }]), name).toBe('OFFICE_MACROS');
    });

    it('UPL-12 a sheet of the type of macro sheets is refused, under any name', async () => {
      for (const type of ['macrosheet', 'intlmacrosheet', 'MacroSheet'])
        expect(await workbook([sheet], `application/vnd.ms-excel.${type}+xml`), type).toBe('OFFICE_MACROS');
    });

    it('UPL-12 a sheet that the workbook relates to as macros is refused, under any name and type', async () => {
      for (const type of ['xlMacrosheet', 'xlIntlMacrosheet', 'vbaProject']) {
        expect(await workbook([sheet, list(RELATIONS + type)]), type).toBe('OFFICE_MACROS');
        const hidden = list(RELATIONS + type, 'xl\\_rels\\workbook.xml.rels');
        expect(await workbook([sheet, hidden]), type).toBe('OFFICE_MACROS');
      }
    });

    it('UPL-12 spellings that one reader takes for the same are refused, too', async () => {
      const { name } = list('');
      for (const type of ['xlMacrosheet ', 'xlMacrosheet\n', 'xlMacro&#115;heet', 'XLMACROSHEET\t'])
        expect(await workbook([sheet, list(RELATIONS + type)]), type).toBe('OFFICE_MACROS');
      expect(await workbook([sheet, list(`${RELATIONS}xlMacrosheet`, name.replace('book', 'b%6fok'))])).toBe(
        'OFFICE_MACROS',
      );
      for (const type of [' application/vnd.ms-excel.macrosheet+xml', 'application/vnd.ms-excel.macrosheet+xml; a=b'])
        expect(await workbook([sheet], type), type).toBe('OFFICE_MACROS');
      for (const hidden of ['xl/macro%73heets/sheet1.xml', 'xl%2Fmacrosheets%2Fsheet1.xml', 'xl/vbaProject%2ebin'])
        expect(await workbook([{ name: hidden, bytes: '<x/>' }]), hidden).toBe('OFFICE_MACROS');
      const twice = { name: 'xl/work%62ook.xml', bytes: '<x/>' };
      expect(await workbook([twice])).toBe('OFFICE_ENTRY_DUPLICATE');
    });

    it('UPL-12 a list in another encoding than a package may have is not read', async () => {
      // In UTF-7, `+ADw-` is a less-than sign.
      const declaration = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`;
      const worksheets = list(RELATION.replace('officeDocument', 'worksheet'));
      for (const [encoding, reason] of [
        ['UTF-7', 'OFFICE_PART_MISSING'],
        ['IBM037', 'OFFICE_PART_MISSING'],
        ['utf-8', 'accepted'],
        ['US-ASCII', 'accepted'],
      ] as const) {
        const entry = { ...worksheets, bytes: declaration(encoding) + worksheets.bytes };
        expect(await workbook([sheet, entry]), encoding).toBe(reason);
      }
    });

    it('UPL-12 a worksheet passes, and a list of relationships that is not XML does not', async () => {
      const worksheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml';
      const related = list(RELATION.replace('officeDocument', 'worksheet'));
      expect(await workbook([sheet, related], worksheet)).toBe('accepted');
      expect(await workbook([sheet, { ...related, bytes: '<a' }], worksheet)).toBe('OFFICE_PART_MISSING');
    });
  });

  it('UPL-10 a wrong CRC of a part or of any other entry is refused', async () => {
    expect(await docx({ others: [{ name: 'word/a.xml', bytes: 'x', declaredCrc: 1 }] })).toBe('ARCHIVE_CRC_MISMATCH');
    const types = { name: '[Content_Types].xml', bytes: typeList(override('/word/document.xml', WORD)) };
    const file = buildZip([
      { name: '_rels/.rels', bytes: relation('word/document.xml') },
      { name: 'word/document.xml', bytes: '<document/>' },
      { ...types, declaredCrc: 1 },
    ]);
    expect(await reasonOf('docx', file)).toBe('ARCHIVE_CRC_MISMATCH');
  });

  it('UPL-4 a bomb, a path traversal and an ambiguity are refused in an Office file too', async () => {
    expect(await docx({ others: [{ name: 'word/a.xml', bytes: Buffer.alloc(20_000_000) }] })).toBe('ARCHIVE_BOMB');
    expect(await docx({ others: [{ name: '../a.xml', bytes: 'x' }] })).toBe('ARCHIVE_TRAVERSAL');
    expect(await docx({ others: [{ name: 'word/a.xml', bytes: 'x', isHidden: true }] })).toBe('ARCHIVE_AMBIGUOUS');
  });

  it('UPL-4 a list with more pieces than any genuine one is refused: 8 KiB would become 500 MB', async () => {
    const listed = override('/word/document.xml', WORD);
    const attributes = (count: number) => `<a ${Array.from({ length: count }, (_, n) => `a${n}=""`).join(' ')}/>`;
    expect(await docx({ types: typeList(listed + '<a/>'.repeat(90_000)) })).toBe('accepted');
    for (const pieces of ['<a/>'.repeat(100_000), attributes(100_000), '<!---->'.repeat(100_000)]) {
      expect(await docx({ types: typeList(listed + pieces) })).toBe('OFFICE_PART_MISSING');
    }
  });

  it('UPL-3 reading a list of types takes linear time', async () => {
    // A backtracking expression would take hours for each of these.
    for (const types of [
      `<${'a'.repeat(3_000_000)}`,
      `<a ${'b'.repeat(3_000_000)}`,
      `<a ${' '.repeat(3_000_000)}`,
      '<'.repeat(3_000_000),
      `<!--${'-'.repeat(3_000_000)}`,
    ]) {
      expect(await docx({ types })).toBe('OFFICE_PART_MISSING');
    }
  });
});
