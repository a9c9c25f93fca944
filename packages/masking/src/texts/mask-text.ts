import { cleanText } from './clean-text.js';
import { reportCommandLines } from './command-lines.js';
import { composeOffsets, type DecodedText, decodeEscapes, decodeNames, decodePercent } from './decodings.js';
import { reportFileNames } from './file-names.js';
import { reportGraphqlVariables } from './graphql-variables.js';
import { reportMarkupValues } from './markup-values.js';
import { reportNamedValues } from './named-values.js';
import { hasNoSecret, reportSecretForms } from './secret-forms.js';
import { MASK, type Report, replaceSpans, type Span } from './spans.js';
import { reportSqlValues } from './sql-values.js';
import { FEATURES, featuresOf } from './text-features.js';
import { reportUrlCredentials } from './url-credentials.js';

/** The maximum number of nested encodings. A text with more is masked as a whole. */
const MAX_LEVELS = 6;

/** The maximum number of readings of one text. Two nested encodings can be decoded in several orders. */
const MAX_READINGS = 40;

/**
 * The length of all decoded readings of one text together, as a multiple of its length. Two levels of escapes
 * around two of percent-encoding, in every order, have eight.
 */
const DECODED_FACTOR = 8;

/** The length of all decoded readings of a short text together, in UTF-16 units. */
const MIN_DECODED_UNITS = 2048;

/** The maximum number of rounds. Masking a masked text changes little, and nothing after a few rounds. */
const MAX_ROUNDS = 6;

/** The length that is read, as a multiple of the kept length, because masking may shorten a text. */
const READ_FACTOR = 4;

/**
 * Units that are read beyond that and never shown. A secret that the end of the reading would cut is recognised, unless
 * it is longer than this.
 */
const LOOK_AHEAD = 2048;

/**
 * Masks everything in a text that is or looks like a secret: values by their names, credentials in URLs, and secrets by
 * their form, including encoded ones. Mobile numbers are kept in part. Masking the result again changes nothing. The
 * time is proportional to the length.
 *
 * @param maxLength the kept length of the result, in UTF-16 units; default all. The cut does not halve a secret,
 * because the text is masked before. At most 4 times `maxLength` and 2048 units of the text are read.
 *
 * @example
 * ```ts
 * serializers: {
 *   err: ({ name, message, stack = '' }: Error) => ({
 *     type: name,
 *     message: maskText(message, 1000),
 *     stack: maskText(stack, 4000),
 *   }),
 *   req: ({ method, url }: { method: string; url: string }) => ({ method, url: maskText(url, 1000) }),
 * },
 * ```
 */
export function maskText(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const readLength = maxLength * READ_FACTOR + LOOK_AHEAD;
  const isCut = text.length > readLength;
  const read = isCut ? text.slice(0, readLength) : text;
  if (hasNoSecret(read)) return read.length <= maxLength ? read : settle(cutMasked(read, maxLength), maxLength);
  const masked = maskOnce(read, isCut);
  const kept = cutMasked(masked, maxLength);
  return kept === text ? text : settle(kept, maxLength);
}

/**
 * A text that every sink can store, masked and at most `maxLength` UTF-16 units long. Masking and cleaning it again
 * changes nothing.
 */
export function storedText(text: string, maxLength: number): string {
  let kept = maskText(text, maxLength);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const cleaned = cutMasked(cleanText(kept, maxLength), maxLength);
    if (cleaned === kept) return kept;
    kept = maskText(cleaned, maxLength);
  }
  return MASK;
}

/**
 * The texts of a record, each as {@link storedText} keeps it. Undefined and null become null. Other values are
 * converted to a text.
 */
export function storedTexts<Name extends string>(
  texts: Readonly<Record<Name, unknown>>,
  maxLengths: Readonly<Record<Name, number>>,
): Record<Name, string | null> {
  const kept = {} as Record<Name, string | null>;
  for (const name of Object.keys(maxLengths) as Name[]) {
    const text = texts[name];
    kept[name] = text === undefined || text === null ? null : storedText(String(text), maxLengths[name]);
  }
  return kept;
}

/** Masks until nothing changes, so that masking a masked text changes nothing. */
function settle(text: string, maxLength: number): string {
  let masked = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = hasNoSecret(masked) ? masked : cutMasked(maskOnce(masked, false), maxLength);
    if (next === masked) return masked;
    masked = next;
  }
  return MASK;
}

/** Cuts a masked text, not within a placeholder or a surrogate pair. */
function cutMasked(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const placeholder = text.lastIndexOf(MASK, maxLength - 1);
  if (placeholder !== -1 && placeholder + MASK.length > maxLength) return text.slice(0, placeholder);
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength);
}

function maskOnce(text: string, isCut: boolean): string {
  const spans: Span[] = [];
  if (!readAllLevels(text, isCut, spans)) return MASK;
  if (spans.length === 0 && !isCut) return text;
  return replaceSpans(text, spans, isCut ? text.length - LOOK_AHEAD : text.length);
}

/** Reads a text and all its decodings. False if there are more levels, orders or units of decoding than the limits. */
function readAllLevels(text: string, isCut: boolean, spans: Span[]): boolean {
  // Null until there is a second reading.
  let known: Set<string> | null = null;
  let unitsLeft = Math.max(text.length * DECODED_FACTOR, MIN_DECODED_UNITS);

  function read(current: string, offsets: Uint32Array | null, level: number): boolean {
    const features = featuresOf(current);
    report(current, features, offsets);
    if (!(features & (FEATURES.percent | FEATURES.escapes))) return true;
    const named = decodeNames(current);
    if (named !== null && named.text !== current)
      report(named.text, featuresOf(named.text), composeOffsets(offsets, named.offsets));
    return (
      (!(features & FEATURES.percent) || readDecoded(decodePercent(current), offsets, level)) &&
      (!(features & FEATURES.escapes) || readDecoded(decodeEscapes(current), offsets, level))
    );
  }

  function report(current: string, features: number, offsets: Uint32Array | null): void {
    reportSecrets(current, features, isCut, (start, end, replacement = MASK) => {
      const [from = 0, to = 0] = offsets === null ? [start, end] : [offsets[start], offsets[end]];
      spans.push({ start: from, end: to, replacement });
    });
  }

  function readDecoded(decoded: DecodedText | null, offsets: Uint32Array | null, level: number): boolean {
    if (decoded === null || known?.has(decoded.text)) return true;
    known ??= new Set();
    unitsLeft -= decoded.text.length;
    if (level >= MAX_LEVELS || known.size >= MAX_READINGS || unitsLeft < 0) return false;
    known.add(decoded.text);
    return read(decoded.text, composeOffsets(offsets, decoded.offsets), level + 1);
  }

  return read(text, null, 0);
}

function reportSecrets(text: string, features: number, isCut: boolean, report: Report): void {
  if (features & FEATURES.pairs) {
    reportNamedValues(text, report);
    if (features & FEATURES.dollar) reportGraphqlVariables(text, report);
  }
  if (features & FEATURES.replaced) reportFileNames(text, report);
  if (features & FEATURES.urls && (features & FEATURES.at || isCut)) reportUrlCredentials(text, report, isCut);
  if (features & FEATURES.elements) reportMarkupValues(text, report);
  reportCommandLines(text, features, report);
  if (features & FEATURES.tuples) reportSqlValues(text, report);
  reportSecretForms(text, features, report);
}
