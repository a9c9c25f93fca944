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

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Constructs that contain no elements, by their start and end. */
const SKIPPED: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];

// Sticky, so that a mismatch ends the reading. A search from every position would take quadratic time.
const NAME = /[^\s<>/!?="']+/y;
const ATTRIBUTE = /\s*([^\s<>/="']+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const END_OF_TAG = /\s*\/?>/y;

/**
 * The elements of an XML document, without its texts. Null if it is not XML, has more or longer pieces than any genuine
 * one, or has a document type declaration, which packages must not have (ECMA-376 part 2, section 6.1.4).
 */
export function xmlElements(text: string): XmlElement[] | null {
  const elements: XmlElement[] = [];
  let pieces = 0;
  for (let at = text.indexOf('<'); at !== -1; ) {
    const skipped = SKIPPED.find(([start]) => text.startsWith(start, at));
    const isClosing = text.startsWith('</', at);
    let end: number;
    pieces++;
    if (skipped !== undefined || isClosing) {
      end = text.indexOf(skipped?.[1] ?? '>', at + 2);
    } else {
      const read = readElement(text, at + 1, MAX_PIECES - pieces);
      end = read?.end ?? -1;
      pieces += read?.element.attributes.size ?? 0;
      if (read !== null) elements.push(read.element);
    }
    if (end === -1 || pieces > MAX_PIECES) return null;
    at = text.indexOf('<', end);
  }
  return elements;
}

/** @param start the position after the `<` */
function readElement(
  text: string,
  start: number,
  maxAttributes: number,
): { readonly element: XmlElement; readonly end: number } | null {
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
    const value = quoted ?? singleQuoted ?? '';
    if (value.length > MAX_VALUE_LENGTH) return null;
    attributes.set(attribute, withoutEntities(value));
  }
  if (next(END_OF_TAG) === null) return null;
  return { element: { name: withoutPrefix(name), attributes }, end: at };
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function withoutEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
