import { isSecretName } from '../sensitive-names.js';
import type { Report } from './spans.js';

/**
 * The start of an element. The length of its attributes is bounded, so that a text of many `<` is not read repeatedly.
 */
const ELEMENT = /<((?:[\w.-]{1,64}:)?([\p{L}_][\p{L}\p{N}_.-]{0,63}))((?:\s[^<>]{0,300})?)>/gu;

/** `name="password"` among the attributes. */
const NAMED_BY_ATTRIBUTE = /\b(?:name|key|id|field|property)\s{0,4}=\s{0,4}["']?([\p{L}\p{N}_.-]{1,64})/iu;

/** An element whose text is a name, and the element that follows: `<key>password</key><string>x</string>`. */
const NAME_ELEMENT = />\s*([\p{L}\p{N}_.-]{1,64})\s*<\/[\w:.-]{1,64}>\s*<([\w:.-]{1,64})(?:\s[^<>]{0,300})?>/gu;

/** The units that the search for missing end marks may read, as a multiple of the length: the time stays linear. */
const READ_FACTOR = 16;

/**
 * Reports the contents of XML elements with a sensitive name, up to their end mark or, if that is missing, to the end
 * of the text.
 */
export function reportMarkupValues(text: string, report: Report): void {
  // A reported part is not read again, so that each part of the text is searched once for an end mark.
  let reported = 0;
  const lastEndMark = text.lastIndexOf('</');
  let unitsLeft = text.length * READ_FACTOR;
  for (const { index, 0: mark, 1: tag = '', 2: name = '', 3: attributes = '' } of text.matchAll(ELEMENT)) {
    if (index < reported) continue;
    const named = attributes.includes('=') ? NAMED_BY_ATTRIBUTE.exec(attributes)?.[1] : undefined;
    if (isSecretName(name) || (named !== undefined && isSecretName(named))) reportContent(tag, index + mark.length);
  }
  if (lastEndMark === -1) return;
  reported = 0;
  for (const { index, 0: mark, 1: name = '', 2: tag = '' } of text.matchAll(NAME_ELEMENT))
    if (index >= reported && isSecretName(name)) reportContent(tag, index + mark.length);

  function reportContent(tag: string, start: number): void {
    const close = endMark(tag, start);
    // `login <user> <password> to continue` contains no element.
    if (close === -1 && (start === text.length || text[start] === ' ')) return;
    reported = close === -1 ? text.length : close;
    if (reported > start) report(start, reported);
  }

  /** The end mark, or -1. After too many that are missing, the content may be all that follows. */
  function endMark(tag: string, start: number): number {
    if (start > lastEndMark) return -1;
    if (unitsLeft <= 0) return text.length;
    const end = text.indexOf(`</${tag}`, start);
    if (end === -1) unitsLeft -= text.length - start;
    return end;
  }
}
