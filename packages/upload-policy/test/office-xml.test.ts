import { describe, expect, it } from 'vitest';
import { reasonOf } from './memory-source.js';
import { office, override, type Package, RELATION, relation, SHEET, typeList, WORD } from './office-builder.js';
import type { BuiltEntry } from './zip-builder.js';

const VBA_TYPE = 'application/vnd.ms-office.vbaProject';
const VBA_RELATION = 'http://schemas.microsoft.com/office/2006/relationships/vbaProject';
const WORKSHEET = RELATION.replace('officeDocument', 'worksheet');
const link = (type: string, more = '') => `<Relationship Id="r1" Type="${type}" Target="a.bin" ${more}/>`;

/** A document of which the list of relationships of its main part has these elements. */
function related(inside: string | Buffer, name = 'word/_rels/document.xml.rels'): Promise<string> {
  const bytes = typeof inside === 'string' ? `<Relationships xmlns="r">${inside}</Relationships>` : inside;
  const others: BuiltEntry[] = [
    { name: 'word/a.bin', bytes: 'x' },
    { name, bytes },
  ];
  return reasonOf('docx', office({ others }));
}

/** A document with a part of the name, of which the list of types has these lines. */
function typed(lines: string, name = 'word/a.bin'): Promise<string> {
  const types = typeList(override('/word/document.xml', WORD) + lines);
  return reasonOf('docx', office({ types, others: [{ name, bytes: 'x' }] }));
}

const binaries = (type: string) => `<Default Extension="bin" ContentType="${type}"/>`;

describe('relationships to macros', () => {
  it('UPL-12 pass in no place where a conforming parser sees them', async () => {
    expect(await related(link(WORKSHEET))).toBe('accepted');
    for (const [inside, reason] of [
      // The comment of a parser ends before the relationship. If it ended within its own start, a section or an
      // instruction would hide the relationship.
      [`<!--> <![CDATA[ -->${link(VBA_RELATION)}<!-- ]]> -->`, 'OFFICE_MACROS'],
      [`<!--> <? -->${link(VBA_RELATION)}<!-- ?> -->`, 'OFFICE_MACROS'],
      [`<!--> -->${link(VBA_RELATION)}<!-- -->`, 'OFFICE_MACROS'],
      // Not XML.
      [`<!-- a -- b -->${link(WORKSHEET)}`, 'OFFICE_PART_MISSING'],
      [`<!-- a --->${link(WORKSHEET)}`, 'OFFICE_PART_MISSING'],
      [`<!----->${link(WORKSHEET)}`, 'OFFICE_PART_MISSING'],
      [`<?>${link(VBA_RELATION)}<?a ?>`, 'OFFICE_PART_MISSING'],
      [`<?a?>${link(WORKSHEET)}</Relationships><!-- <Relationships> -->`, 'OFFICE_PART_MISSING'],
      [`</a ${link(VBA_RELATION)}>`, 'OFFICE_PART_MISSING'],
      [`a & b${link(WORKSHEET)}`, 'OFFICE_PART_MISSING'],
      [`]]>${link(WORKSHEET)}`, 'OFFICE_PART_MISSING'],
      [`<a>${link(WORKSHEET)}</a>`, 'OFFICE_PART_MISSING'],
      [`<a>${link(WORKSHEET)}`, 'OFFICE_PART_MISSING'],
      [link(WORKSHEET, 'xml:base="/other/"'), 'OFFICE_PART_MISSING'],
      [`<?xml version="1.0"?>${link(WORKSHEET)}`, 'OFFICE_PART_MISSING'],
      [link(WORKSHEET).replace(' Type', '\u00a0Type'), 'OFFICE_PART_MISSING'],
      [`${link(WORKSHEET)}\0`, 'OFFICE_PART_MISSING'],
    ] as const) {
      expect(await related(inside), inside).toBe(reason);
    }
  });

  it('UPL-12 are read with their character references, with any number of leading zeros', async () => {
    for (const written of ['&#x61;', '&#x00000061;', '&#97;', `&#${'0'.repeat(300)}97;`, `&#x${'0'.repeat(2000)}61;`])
      expect(await related(link(VBA_RELATION.replace('vba', `vb${written}`))), written).toBe('OFFICE_MACROS');
  });

  it('UPL-12 a reference that stands for no character refuses the list', async () => {
    for (const written of [
      ...['&a;', '&nbsp;', '&AMP;', '&Lt;', '&toString;', '&amp', '&', '&;', '&#;', '&#x;', '& amp;', '&#x6g;'],
      ...['&#X61;', '&#0;', '&#x0;', '&#8;', '&#xD800;', '&#57343;', '&#xFFFE;', '&#x110000;', '&#99999999999;'],
    ])
      expect(await related(link(WORKSHEET, `Target2="${written}"`)), written).toBe('OFFICE_PART_MISSING');
    const every = '&amp;&lt;&gt;&quot;&apos;&#9;&#xA;&#x00D;&#xd7FF;&#xE000;&#xfffd;&#x10000;&#x10FFFF;';
    expect(await related(link(WORKSHEET, `Target2="${every}"`))).toBe('accepted');
  });

  it('UPL-12 are read in the encoding that a parser finds, or not at all', async () => {
    const list = (type: string) => `<Relationships>${link(type)}</Relationships>`;
    const declared = (encoding: string, version = '1.0') => `<?xml version="${version}" encoding="${encoding}"?>`;
    const sixteen = (text: string) => Buffer.from(text, 'utf16le');
    for (const [bytes, reason] of [
      [Buffer.from(declared('UTF-8') + list(VBA_RELATION)), 'OFFICE_MACROS'],
      [sixteen(`\ufeff${declared('UTF-16')}${list(VBA_RELATION)}`), 'OFFICE_MACROS'],
      [sixteen(`\ufeff${declared('UTF-16')}${list(WORKSHEET)}`), 'accepted'],
      [sixteen(`\ufeff${declared('UTF-8')}${list(WORKSHEET)}`), 'OFFICE_PART_MISSING'],
      [sixteen(`\ufeff${declared('utf-16be')}${list(WORKSHEET)}`), 'OFFICE_PART_MISSING'],
      [sixteen(list(VBA_RELATION)), 'OFFICE_PART_MISSING'],
      [Buffer.from(declared('UTF-16') + list(WORKSHEET)), 'OFFICE_PART_MISSING'],
      [Buffer.from(`${declared('us-ascii')}<!-- \u00fc -->${list(WORKSHEET)}`), 'OFFICE_PART_MISSING'],
      [Buffer.from(declared('UTF-8', '1.1') + list(WORKSHEET)), 'OFFICE_PART_MISSING'],
      [Buffer.from(declared("utf-8' encoding='utf-7").replaceAll('"', "'") + list(WORKSHEET)), 'OFFICE_PART_MISSING'],
      [Buffer.from(`<?xml version="encoding='utf-8'" encoding="x"?>${list(WORKSHEET)}`), 'OFFICE_PART_MISSING'],
      [Buffer.from(` ${declared('utf-8')}${list(WORKSHEET)}`), 'OFFICE_PART_MISSING'],
      [Buffer.from('no markup at all'), 'OFFICE_PART_MISSING'],
      [Buffer.from(''), 'OFFICE_PART_MISSING'],
    ] as const) {
      expect(await related(bytes), String(bytes)).toBe(reason);
    }
  });

  it('UPL-12 are found under every name that a reader may find them under', async () => {
    for (const name of [
      'word/./_rels/document.xml.rels',
      'word//_rels/document.xml.rels',
      './word/%5Frels/document.xml.rels',
    ])
      expect(await related(link(VBA_RELATION), name), name).toBe('OFFICE_MACROS');
    for (const hidden of ['word/%ff/vba%50roject.bin', './word/./vbaProject.bin', 'word//vbaProject.bin'])
      expect(await typed('', hidden), hidden).toBe('OFFICE_MACROS');
  });
});

describe('types of macros', () => {
  it('UPL-12 count for the part that a conforming parser gives them to', async () => {
    expect(await typed(binaries('application/x'))).toBe('accepted');
    expect(await typed(`<!-->--><!-- -->${override('/word/a.bin', VBA_TYPE)}`)).toBe('OFFICE_MACROS');
    // A line end in an attribute is a blank.
    expect(await typed(override('/word/a\nb.bin', VBA_TYPE), 'word/a b.bin')).toBe('OFFICE_MACROS');
    expect(await typed(override('/word/a\r\nb.bin', VBA_TYPE), 'word/a b.bin')).toBe('OFFICE_MACROS');
    expect(await typed(override(' /word/a.bin\t', VBA_TYPE))).toBe('OFFICE_MACROS');
    expect(await typed('<Default Extension="bin " ContentType="&#x0061;pplication/vnd.ms-office.vbaProject"/>')).toBe(
      'OFFICE_MACROS',
    );
  });

  it('UPL-12 of an extension are not hidden by a type of the part that another reader does not see', async () => {
    const harmless = override('/word/a.bin', 'application/x');
    for (const [lines, reason] of [
      // As after the macros of a document were removed.
      [harmless, 'accepted'],
      [override('/word/%61.bin', 'application/x'), 'OFFICE_MACROS'],
      [harmless.replace('Override', 'o:Override xmlns:o="other"'), 'OFFICE_PART_MISSING'],
      [harmless.replace('Override', 'Override xmlns="other"'), 'OFFICE_PART_MISSING'],
      [harmless.replace('Override', 'o:Override'), 'OFFICE_PART_MISSING'],
      [`<a>${harmless}</a>`, 'OFFICE_PART_MISSING'],
    ] as const) {
      expect(await typed(binaries(VBA_TYPE) + lines), lines).toBe(reason);
    }
  });
});

describe('the main part', () => {
  it('UPL-12 is the only one that any reader could take for it', async () => {
    const main = relation('word/document.xml').replace(/<\/?Relationships>/g, '');
    for (const other of [
      main.replace('officeDocument"', 'OfficeDocument"').replace('document.xml', 'a.xml'),
      main.replace('Target=', 'TargetMode="EXTERNAL" Target='),
      main.replace(RELATION, ` ${RELATION}\n`),
    ]) {
      const relations = `<Relationships>${main}${other}</Relationships>`;
      expect(await reasonOf('docx', office({ relations })), other).toBe('OFFICE_PART_MISSING');
    }
  });
});

describe('genuine packages', () => {
  it.each<[string, Package]>([
    [
      'comments, instructions and texts',
      {
        types:
          '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<!-- a - b > <![CDATA[ --><?a b?>' +
          `<Types xmlns="t"><!---->\n<!---> &x; -->${override('/word/document.xml', WORD)}<?a?>a &amp; b` +
          '<![CDATA[<Override>]]></Types >\n<!-- the end -->\n',
      },
    ],
    [
      'entities and references with leading zeros',
      {
        types: typeList(override('/word/a&amp;b&#x00000020;c.xml', WORD)),
        relations: relation('word/a&#0038;b%20c.xml'),
        mainPart: 'word/a&b c.xml',
      },
    ],
    [
      'prefixes that are bound to one namespace',
      {
        types:
          `<p:Types xmlns:p="t" xmlns="u"><Override xmlns="t" PartName="/word/document.xml" ContentType='${WORD}'/>` +
          '<q:Default xmlns:q="t" Extension="xml" ContentType="application/xml"></q:Default></p:Types>',
      },
    ],
  ])('UPL-3 with %s pass', async (_what, parts) => expect(await reasonOf('docx', office(parts))).toBe('accepted'));

  it('UPL-3 a workbook with printer settings passes', async () => {
    const workbook = office({
      types: typeList(override('/xl/workbook.xml', SHEET) + binaries('application/vnd.x.printerSettings')),
      relations: relation('xl/workbook.xml'),
      mainPart: 'xl/workbook.xml',
      others: [{ name: 'xl/printerSettings/printerSettings1.bin', bytes: 'x' }],
    });
    expect(await reasonOf('xlsx', workbook)).toBe('accepted');
  });
});

describe('lists that would take hours', () => {
  it('UPL-4 are refused at once', async () => {
    const long = 2_000_000;
    // A search that began anew at each of these would take hours.
    for (const inside of [
      '&'.repeat(long),
      `&#${'0'.repeat(long)}`,
      `&#x${'0'.repeat(long)}g;`,
      '<!-->'.repeat(long / 5),
      '<!--'.repeat(long / 4),
      `<!--${'->'.repeat(long / 2)}`,
      '<?a '.repeat(long / 4),
      `<?a ${'?'.repeat(long)}`,
      `</${'a'.repeat(long)}`,
      `</a${' '.repeat(long)}`,
      ']]'.repeat(long / 2),
    ]) {
      expect(await related(`${inside}</a>`)).toBe('OFFICE_PART_MISSING');
    }
    expect(await related(Buffer.from(`<?xml version="1.0"${' '.repeat(long)}x?><a/>`))).toBe('OFFICE_PART_MISSING');
    expect(await related(Buffer.from(`${' '.repeat(long)}<a>${' '.repeat(long / 4)}`))).toBe('OFFICE_PART_MISSING');
  });
});
