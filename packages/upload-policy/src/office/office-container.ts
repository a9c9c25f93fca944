import { type ArchiveEntry, unpackEntry, type ZipArchive } from '../archives/index.js';
import { type PagedSource, Refusal } from '../files/index.js';
import { type XmlElement, xmlElements } from './xml-elements.js';
import { decodeXml } from './xml-text.js';

/** The maximum size of a part that is read, more than a content-type list of ten thousand parts. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

const CONTENT_TYPES = '[content_types].xml';
const RELATIONSHIPS = '_rels/.rels';

/** Transitional and strict, in lower case: ECMA-376 part 1, annex A; part 4. */
const MAIN_PART_RELATIONS: readonly string[] = [
  'http://schemas.openxmlformats.org/officedocument/2006/relationships/officedocument',
  'http://purl.oclc.org/ooxml/officedocument/relationships/officedocument',
];

/** The type of the main part. Macro files and templates have different types and extensions. */
const MAIN_PART_TYPES: Readonly<Record<string, string>> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml',
};

/** VBA, and the macro sheets of Excel 4, of an English and of a localised Excel: MS-OFFMACRO2, section 2.2. */
const MACRO_TYPES: ReadonlySet<string> = new Set([
  'application/vnd.ms-office.vbaproject',
  'application/vnd.ms-excel.macrosheet+xml',
  'application/vnd.ms-excel.intlmacrosheet+xml',
]);

/** The names that producers use. */
const MACRO_NAME = /\/vbaproject\.bin$|(?:^|\/)(?:intl)?macrosheets\//;

/** Excel finds the sheets of a workbook by its relationships. Their names and types may be any. */
const MACRO_RELATION = /\/(?:vbaproject|xl(?:intl)?macrosheet)$/;

/** The entries by the names of their parts. */
type Parts = ReadonlyMap<string, ArchiveEntry>;

/**
 * Checks that the package lists the types of its parts, and that its relationships lead to a main part of the
 * extension's type, as in a genuine one. The order of the entries and the name of the main part differ between
 * producers.
 *
 * @throws Refusal
 */
export async function checkOfficeContainer(source: PagedSource, archive: ZipArchive, extension: string): Promise<void> {
  const parts = partsOf(archive);
  const typesOf = readTypes(await readList(source, parts, CONTENT_TYPES));
  const names = archive.entries.flatMap(partNamesOf);
  const hasMacros = names.some((part) => MACRO_NAME.test(part) || typesOf(part).some((type) => MACRO_TYPES.has(type)));
  const mainPart = mainPartOf(await readList(source, parts, RELATIONSHIPS));
  if (hasMacros || (mainPart !== null && (await relatesToMacros(source, archive, mainPart)))) {
    throw new Refusal('OFFICE_MACROS', `A ${extension} file must not have macros, and this one does`);
  }
  const isGenuine = mainPart !== null && parts.has(mainPart) && typesOf(mainPart)[0] === MAIN_PART_TYPES[extension];
  if (!isGenuine) throw new Refusal('OFFICE_PART_MISSING', `The main part of a ${extension} file is missing`);
}

/**
 * Only entries whose header contains a part's name count. Some readers accept a backslash as a separator, or use the
 * Unicode path of an extra field, and would see parts that others don't. Requirement UPL-10.
 */
function partsOf({ entries }: ZipArchive): Parts {
  const seen = new Set<string>();
  const parts = new Map<string, ArchiveEntry>();
  for (const entry of entries) {
    if (entry.isEncrypted) throw new Refusal('OFFICE_ENCRYPTED', 'The Office file has encrypted entries');
    const names = partNamesOf(entry);
    if (names.some((name) => seen.has(name))) {
      throw new Refusal('OFFICE_ENTRY_DUPLICATE', 'The Office file has the same entry twice');
    }
    for (const name of names) seen.add(name);
    if (entry.headerName === entry.name) parts.set(entry.name.toLowerCase(), entry);
  }
  return parts;
}

/**
 * The names under which readers may find the entry, without case: ECMA-376 part 2, section 6.2.2.3. Some readers decode
 * them, as they decode a reference, or leave out segments that are empty or a dot.
 */
function partNamesOf({ name, headerName }: ArchiveEntry): string[] {
  const names = [name, headerName.replaceAll('\\', '/')].map((each) => each.toLowerCase());
  const decoded = [...names, ...names.map(withoutPercent)];
  return [...new Set([...decoded, ...decoded.map((each) => withoutRoot(each).replaceAll(/\/(?:\.?\/)+/g, '/'))])];
}

/** Whether the relationships of the main part lead to macros. A list whose name has backslashes counts, too. */
async function relatesToMacros(source: PagedSource, { entries }: ZipArchive, mainPart: string): Promise<boolean> {
  const nameAt = mainPart.lastIndexOf('/') + 1;
  const list = `${mainPart.slice(0, nameAt)}_rels/${mainPart.slice(nameAt)}.rels`;
  const entry = entries.find((each) => partNamesOf(each).includes(list));
  if (entry === undefined) return false;
  const elements = await readList(source, new Map([[list, entry]]), list);
  return elements.some(({ attributes }) => MACRO_RELATION.test(relationOf(attributes)));
}

async function readList(source: PagedSource, parts: Parts, name: string): Promise<readonly XmlElement[]> {
  const entry = parts.get(name);
  const text = entry === undefined ? null : decodeXml(await unpackEntry(source, entry, MAX_LIST_BYTES));
  const elements = text === null ? null : xmlElements(text);
  if (elements === null) {
    throw new Refusal('OFFICE_PART_MISSING', 'The file lacks an entry that every Office file has');
  }
  return elements;
}

/**
 * The types of a part, in lower case: its own, if it has one, and then that of its extension. The latter does not count
 * for a part that has its own under the same name: every reader finds that one.
 */
function readTypes(elements: readonly XmlElement[]): (part: string) => string[] {
  const byPart = new Map<string, string>();
  const byExtension = new Map<string, string>();
  const asWritten = new Set<string>();
  for (const { name, attributes } of elements) {
    // Some readers ignore parameters, which no type of a package has.
    const [type = ''] = (attributes.get('ContentType') ?? '').toLowerCase().split(';', 1);
    if (name === 'Override') asWritten.add((attributes.get('PartName') ?? '').toLowerCase());
    if (name === 'Override') setType(byPart, partName(attributes.get('PartName') ?? ''), type.trim());
    if (name === 'Default') setType(byExtension, (attributes.get('Extension') ?? '').trim().toLowerCase(), type.trim());
  }
  return (part) => {
    const ofExtension = byExtension.get(part.slice(part.lastIndexOf('.') + 1));
    return [byPart.get(part), asWritten.has(`/${part}`) ? undefined : ofExtension].filter((type) => type !== undefined);
  };
}

/** With two types, some readers would use the first and others would use the last. */
function setType(types: Map<string, string>, of: string, type: string): void {
  if ((types.get(of) ?? type) !== type) {
    throw new Refusal('OFFICE_ENTRY_DUPLICATE', 'The Office file declares two types of the same part');
  }
  types.set(of, type);
}

function mainPartOf(elements: readonly XmlElement[]): string | null {
  // Those of another case and those to other places count, too, because some readers take them for the main part's.
  const [found, ...others] = elements.filter(
    ({ name, attributes }) => name === 'Relationship' && MAIN_PART_RELATIONS.includes(relationOf(attributes)),
  );
  if (found === undefined || others.length > 0 || isExternal(found.attributes)) return null;
  const target = found.attributes.get('Target');
  return target === undefined ? null : partName(target);
}

/**
 * The type of a relationship, in lower case: a URI, whose outer white space is not part of it (XML Schema part 2,
 * section 4.3.6).
 */
function relationOf(attributes: ReadonlyMap<string, string>): string {
  return (attributes.get('Type') ?? '').trim().toLowerCase();
}

function isExternal(attributes: ReadonlyMap<string, string>): boolean {
  return attributes.get('TargetMode')?.trim().toLowerCase() === 'external';
}

/** The name of the entry that a reference from the package's root points to. */
function partName(reference: string): string {
  return withoutPercent(withoutRoot(reference.trim()).toLowerCase());
}

function withoutRoot(path: string): string {
  return path.replace(/^(?:\.?\/)+/, '');
}

/** Each run of escaped bytes is decoded by itself, so that one that is not UTF-8 leaves none of the others encoded. */
function withoutPercent(path: string): string {
  if (!path.includes('%')) return path;
  return path
    .replaceAll(/(?:%[\da-f]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
    .toLowerCase();
}
