import { isActiveContent, isTextExtension } from '../files/index.js';

/** Some 400 entries. */
export const MAX_LIST_LENGTH = 8192;

/** One extension, folded: the last one decides, so `tar.gz` could never be met. */
const EXTENSION = /^[a-z0-9][a-z0-9_+-]{0,15}$/;

/** One media type without parameters, folded: RFC 6838, section 4.2. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Capitals of ASCII only: no letter of another script may fold into an extension. */
function fold(text: string): string {
  return text.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Nothing between two commas is no entry. */
function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map(fold)
    .filter((entry) => entry !== '');
}

/** Extensions as they are compared: lower case, without a dot in front. */
export function extensionsOf(text: string): string[] {
  return entriesOf(text).map((entry) => entry.replace(/^\./, ''));
}

/** Media types as they are compared: lower case. */
export function mediaTypesOf(text: string): string[] {
  return entriesOf(text);
}

/** What is wrong with a list of extensions, in one sentence; null if nothing is. An empty list refuses everything. Requirement UPL-3. */
export function extensionListFault(text: string): string | null {
  return listFault(text, extensionsOf(text), 'extensions', '"jpg, png, pdf"', (entry) => {
    if (entry.includes('*')) return 'is a pattern: each extension is named by itself';
    if (/[;:|/ ]/.test(entry)) return 'holds a separator other than the comma';
    return EXTENSION.test(entry) ? null : 'is no extension of 1 to 16 letters and digits';
  });
}

/** What is wrong with a list of media types, in one sentence; null if nothing is. Requirement UPL-3. */
export function mediaTypeListFault(text: string): string | null {
  return listFault(text, mediaTypesOf(text), 'media types', '"image/jpeg, application/pdf"', (entry) => {
    if (entry.includes('*')) return 'is a pattern: each media type is named by itself';
    return MEDIA_TYPE.test(entry) ? null : 'is no media type such as image/png, without parameters';
  });
}

/**
 * What is wrong with the list of what may be previewed publicly. It holds nothing that a browser runs, and nothing that
 * has no signature to verify. Requirement UPL-5.
 */
export function previewListFault(text: string): string | null {
  return (
    extensionListFault(text) ??
    listFault(text, extensionsOf(text), 'extensions', '"jpg, png"', (entry) => {
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
