import { isActiveContent, isTextExtension } from '../files/index.js';

/** The maximum length in UTF-16 code units, which is about 400 entries. */
export const MAX_LIST_LENGTH = 8192;

/** Examples of lists, for messages. */
export const EXTENSIONS_EXAMPLE = '"jpg, png, pdf"';
export const MEDIA_TYPES_EXAMPLE = '"image/jpeg, application/pdf"';
export const PREVIEWS_EXAMPLE = '"jpg, png"';

/** A folded extension. Only the last extension of a file counts, so `tar.gz` would never match. */
const EXTENSION = /^[a-z0-9][a-z0-9_+-]{0,15}$/;

/** A folded media type without parameters: RFC 6838, section 4.2. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Folds ASCII letters only, so that no letter of another script becomes part of an extension. */
function fold(text: string): string {
  return text.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Empty entries are ignored. */
function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map(fold)
    .filter((entry) => entry !== '');
}

/** Extensions in the form for comparison: lower case, without a leading dot. */
export function extensionsOf(text: string): string[] {
  return entriesOf(text).map((entry) => entry.replace(/^\./, ''));
}

/** Media types in the form for comparison: lower case. */
export function mediaTypesOf(text: string): string[] {
  return entriesOf(text);
}

/** The faults of a list of extensions in one sentence, or null. An empty list refuses everything. */
export function extensionListFault(text: string): string | null {
  return listFault(text, extensionsOf(text), 'extensions', EXTENSIONS_EXAMPLE, (entry) => {
    if (entry.includes('*')) return 'is a pattern: list each extension';
    if (/[;:|/ ]/.test(entry)) return 'contains a separator other than the comma';
    return EXTENSION.test(entry) ? null : 'is not an extension of 1 to 16 letters and digits';
  });
}

/** The faults of a list of media types in one sentence, or null. */
export function mediaTypeListFault(text: string): string | null {
  return listFault(text, mediaTypesOf(text), 'media types', MEDIA_TYPES_EXAMPLE, (entry) => {
    if (entry.includes('*')) return 'is a pattern: list each media type';
    return MEDIA_TYPE.test(entry) ? null : 'is not a media type such as image/png, without parameters';
  });
}

/**
 * The faults of the list of extensions for public preview in one sentence, or null. The list must contain neither
 * active content nor text, because text has no signature to verify.
 */
export function previewListFault(text: string): string | null {
  return (
    extensionListFault(text) ??
    listFault(text, extensionsOf(text), 'extensions', PREVIEWS_EXAMPLE, (entry) => {
      if (isActiveContent(entry)) return 'is active content, which stays private';
      return isTextExtension(entry) ? 'is text, which has no signature to verify and stays private' : null;
    })
  );
}

function listFault(
  text: string,
  entries: readonly string[],
  things: string,
  example: string,
  faultOf: (entry: string) => string | null,
): string | null {
  if (text.length > MAX_LIST_LENGTH) return `The list is longer than ${MAX_LIST_LENGTH} characters`;
  const faults = entries.flatMap((entry, index) => {
    const fault = faultOf(entry);
    return fault === null ? [] : [`entry ${index + 1} ${fault}`];
  });
  if (faults.length === 0) return null;
  return `A list of ${things}, separated by commas, such as ${example}; ${faults.join('; ')}`;
}
