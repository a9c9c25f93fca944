/** A strong entity tag (RFC 9110, 8.8.3): of the content alone, so two files of one content have one tag. */
export function entityTagOf({ sha256 }: { readonly sha256: string }): string {
  return `"${sha256}"`;
}

/** Whether `If-None-Match` names the tag, or any: then the client has the content (RFC 9110, 13.1.2). */
export function isKnownTo(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const entries = ifNoneMatch.split(',').map((entry) => entry.trim().replace(/^W\//, ''));
  return ifNoneMatch.trim() === '*' || entries.includes(tag);
}

/**
 * Whether `If-Range` lets a range be sent (RFC 9110, 13.1.5). The comparison is strong, and a date never matches, because
 * no date of last modification is ever sent.
 */
export function allowsRange(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange === tag;
}
