/** A start tag: the name without its prefix, and the attributes under their names as written, prefixes included. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * The maximum number of tags, comments and attributes. A package has three per part, so a list of ten thousand parts
 * has 30 000. In memory they take fifty times their size in the text, and they compress to almost nothing.
 */
const MAX_PIECES = 100_000;

/** The longest value of an attribute: a type, or the path of a part. */
const MAX_VALUE_LENGTH = 4096;

/** The root of a list, and its elements. In a deeper one, readers would differ about what it means. */
const MAX_DEPTH = 2;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

// Sticky, so that a mismatch ends the reading. A search from every position would take quadratic time. Lists have
// names of ASCII.
const BLANKS = /[ \t\r\n]*/y;
const NAME = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y;
const ATTRIBUTE = /[ \t\r\n]+([A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?)[ \t\r\n]*=[ \t\r\n]*(?:"([^"<]*)"|'([^'<]*)')/y;
const END_OF_TAG = /[ \t\r\n]*(\/?)>/y;
const END_TAG = /<\/([A-Za-z_][\w.:-]*)[ \t\r\n]*>/y;
const INSTRUCTION = /<\?(?![Xx][Mm][Ll][ \t\r\n?])[A-Za-z_][\w.-]*(?=[ \t\r\n]|\?>)/y;

/** A piece of markup by its end. */
interface Piece {
  readonly end: number;
  /** The start tag, and whether its element ends with it. */
  readonly opened?: XmlElement & { readonly isEmpty: boolean };
  /** The name of an end tag. */
  readonly closed?: string;
}

/**
 * The elements in the root of an XML document, without its texts. Null where a conforming parser refuses the document
 * or could see other elements than this one: an element outside the root's namespace or within another element, a base
 * for references, a document type (ECMA-376 part 2, section 6.1.4), or more or longer pieces than any genuine one.
 *
 * @param text the document without its declaration
 */
export function xmlElements(text: string): XmlElement[] | null {
  const elements: XmlElement[] = [];
  const open: string[] = [];
  let root: XmlElement | null = null;
  let pieces = 0;
  let at = 0;
  for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', at)) {
    if (open.length === 0 ? !isBlank(text, at, start) : !isCharacterData(text.slice(at, start))) return null;
    pieces++;
    const piece = readPiece(text, start, { isInRoot: open.length > 0, maxAttributes: MAX_PIECES - pieces });
    if (piece === null) return null;
    const { end, opened, closed } = piece;
    if (closed !== undefined && open.pop() !== closed) return null;
    if (opened !== undefined) {
      pieces += opened.attributes.size;
      if (open.length === 0 ? root !== null : open.length === MAX_DEPTH) return null;
      if (!belongsTo(root ?? opened, opened)) return null;
      if (root === null) root = opened;
      else elements.push({ name: localName(opened.name), attributes: opened.attributes });
      if (!opened.isEmpty) open.push(opened.name);
    }
    if (pieces > MAX_PIECES) return null;
    at = end;
  }
  return root !== null && open.length === 0 && isBlank(text, at, text.length) ? elements : null;
}

function isBlank(text: string, start: number, end: number): boolean {
  BLANKS.lastIndex = start;
  BLANKS.exec(text);
  return BLANKS.lastIndex === end;
}

/** Section 2.4 of the recommendation. */
function isCharacterData(text: string): boolean {
  return !text.includes(']]>') && withoutReferences(text) !== null;
}

/** Whether the element is in the namespace of the root. */
function belongsTo(root: XmlElement, { name, attributes }: XmlElement): boolean {
  if (attributes.has('xml:base')) return false;
  const namespace = namespaceOf(root.name, root.attributes);
  return namespace !== undefined && namespaceOf(name, attributes, root.attributes) === namespace;
}

function namespaceOf(name: string, ...scopes: readonly ReadonlyMap<string, string>[]): string | undefined {
  const colon = name.indexOf(':');
  const declaration = colon === -1 ? 'xmlns' : `xmlns:${name.slice(0, colon)}`;
  const scope = scopes.find((attributes) => attributes.has(declaration));
  return scope?.get(declaration) ?? (colon === -1 ? '' : undefined);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

interface Place {
  readonly isInRoot: boolean;
  readonly maxAttributes: number;
}

function readPiece(text: string, start: number, { isInRoot, maxAttributes }: Place): Piece | null {
  if (text.startsWith('<!--', start)) return readComment(text, start);
  if (text.startsWith('<![CDATA[', start)) return isInRoot ? endingWith(text, ']]>', start + 9) : null;
  if (text.startsWith('<?', start)) {
    INSTRUCTION.lastIndex = start;
    return INSTRUCTION.test(text) ? endingWith(text, '?>', INSTRUCTION.lastIndex) : null;
  }
  if (!text.startsWith('</', start)) return readStartTag(text, start + 1, maxAttributes);
  END_TAG.lastIndex = start;
  const closed = END_TAG.exec(text)?.[1];
  return closed === undefined ? null : { end: END_TAG.lastIndex, closed };
}

/** Two hyphens end a comment, or the document is not XML: section 2.5 of the recommendation. */
function readComment(text: string, start: number): Piece | null {
  const hyphens = text.indexOf('--', start + 4);
  return hyphens !== -1 && text[hyphens + 2] === '>' ? { end: hyphens + 3 } : null;
}

function endingWith(text: string, mark: string, from: number): Piece | null {
  const found = text.indexOf(mark, from);
  return found === -1 ? null : { end: found + mark.length };
}

/** @param start the position after the `<` */
function readStartTag(text: string, start: number, maxAttributes: number): Piece | null {
  let at = start;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };

  const name = next(NAME)?.[0];
  if (name === undefined) return null;
  const attributes = new Map<string, string>();
  for (let found = next(ATTRIBUTE); found !== null; found = next(ATTRIBUTE)) {
    const [, attribute = '', quoted, singleQuoted] = found;
    // A repeated name is not XML: some readers would use the first value and others the last.
    if (attributes.has(attribute) || attributes.size === maxAttributes) return null;
    const value = attributeValue(quoted ?? singleQuoted ?? '');
    if (value === null) return null;
    attributes.set(attribute, value);
  }
  const ending = next(END_OF_TAG);
  return ending === null ? null : { end: at, opened: { name, attributes, isEmpty: ending[1] === '/' } };
}

/** The value as a parser gives it: section 3.3.3 of the recommendation. Null if it is too long or not XML. */
function attributeValue(written: string): string | null {
  // White space first: a line end that a reference stands for stays.
  return written.length > MAX_VALUE_LENGTH ? null : withoutReferences(written.replaceAll(/\r\n|[\t\r\n]/g, ' '));
}

/** Null if one of the references stands for nothing: then a parser refuses the document. */
function withoutReferences(text: string): string | null {
  let decoded = '';
  let at = 0;
  for (const { index, 0: written, 1: reference = '' } of text.matchAll(/&([^&;]*);?/g)) {
    const character = written.endsWith(';') ? characterOf(reference) : undefined;
    if (character === undefined) return null;
    decoded += text.slice(at, index) + character;
    at = index + written.length;
  }
  return decoded + text.slice(at);
}

/** The character of an entity or of a character reference. Undefined if it is none. */
function characterOf(reference: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([\dA-Fa-f]+)|(\d+))$/.exec(reference) ?? [];
  if (hex === undefined && decimal === undefined) return ENTITIES.get(reference);
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return isCharacter(point) ? String.fromCodePoint(point) : undefined;
}

/** Section 2.2 of the recommendation. */
function isCharacter(point: number): boolean {
  if (point < 0x20) return point === 9 || point === 10 || point === 13;
  return point <= 0xd7ff || (point >= 0xe000 && point <= 0xfffd) || (point >= 0x10000 && point <= 0x10ffff);
}
