import { type BuiltEntry, buildZip } from './zip-builder.js';

export const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
export const STRICT_RELATION = 'http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument';
export const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
export const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';

/** What differs from a genuine document. */
export interface Package {
  readonly types?: string | Buffer;
  readonly relations?: string;
  readonly mainPart?: string;
  readonly others?: readonly BuiltEntry[];
}

export const override = (part: string, type: string) => `<Override PartName="${part}" ContentType="${type}"/>`;
export const typeList = (lines: string) =>
  `<?xml version="1.0"?><Types xmlns="x"><Default Extension="xml" ContentType="application/xml"/>${lines}</Types>`;
export const relation = (target: string, type = RELATION, more = '') =>
  `<Relationships><Relationship Id="r1" Type="${type}" Target="${target}" ${more}/></Relationships>`;

/** A package with the minimum of a genuine one. */
export function office({
  types = typeList(override('/word/document.xml', WORD)),
  relations = relation('word/document.xml'),
  mainPart = 'word/document.xml',
  others = [],
}: Package = {}): Buffer {
  return buildZip([
    { name: '_rels/.rels', bytes: relations },
    { name: mainPart, bytes: '<document/>' },
    ...others,
    { name: '[Content_Types].xml', bytes: types },
  ]);
}
