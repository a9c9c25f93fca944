/** White space of XML, which has fewer characters than `\s`: section 2.3 of the recommendation. */
const S = '[ \\t\\r\\n]';
const EQUALS = `${S}*=${S}*`;

const BEGINS_DECLARATION = /^<\?xml[ \t\r\n]/;

/** Section 2.8. Packages have XML 1.0: in XML 1.1, other characters are white space, too. */
const DECLARATION = new RegExp(
  `^<\\?xml${S}+version${EQUALS}(?:"1\\.0"|'1\\.0')` +
    `(?:${S}+encoding${EQUALS}(?:"([A-Za-z][\\w.-]*)"|'([A-Za-z][\\w.-]*)'))?` +
    `(?:${S}+standalone${EQUALS}(?:"(?:yes|no)"|'(?:yes|no)'))?${S}*\\?>`,
);

/** Characters that no document may have: section 2.2. */
const NOT_XML = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * The text of an XML document, without its declaration. Null if it is in another encoding than the two that a package
 * may have (ECMA-376 part 2, section 6.1.4), or declares another one: a reader that follows the declaration sees other
 * elements.
 */
export function decodeXml(bytes: Buffer): string | null {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return NOT_XML.test(text) ? null : withoutDeclaration(text, encoding);
  } catch {
    return null;
  }
}

function withoutDeclaration(text: string, encoding: string): string | null {
  if (!BEGINS_DECLARATION.test(text)) return text;
  const found = DECLARATION.exec(text);
  if (found === null) return null;
  const [declaration, quoted, singleQuoted] = found;
  const declared = (quoted ?? singleQuoted ?? encoding).toLowerCase();
  const isAscii = declared === 'us-ascii' || declared === 'ascii';
  // Some readers of ASCII ignore the eighth bit, with which a sign beyond it becomes a less-than sign.
  const fits = isAscii ? encoding === 'utf-8' && !NOT_ASCII.test(text) : namesOf(encoding).includes(declared);
  return fits ? text.slice(declaration.length) : null;
}

function namesOf(encoding: string): readonly string[] {
  return encoding === 'utf-8' ? ['utf-8', 'utf8'] : ['utf-16', encoding];
}
