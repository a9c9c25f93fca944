/** Replaces a secret. */
export const MASK = '[masked]';

/** Receives a part of a text that is masked. By default its replacement is {@link MASK}. */
export type Report = (start: number, end: number, replacement?: string) => void;

/** A part of a text, and its replacement. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/**
 * The first `shown` units of a text with its spans replaced. Spans that overlap become one. A span that begins within
 * `shown` is replaced whole.
 */
export function replaceSpans(text: string, spans: readonly Span[], shown: number): string {
  const pieces: string[] = [];
  let copied = 0;
  for (const { start, end, replacement } of mergeSpans(spans)) {
    if (start >= shown) break;
    pieces.push(text.slice(copied, start), replacement);
    copied = end;
  }
  if (copied < shown) pieces.push(text.slice(copied, shown));
  return pieces.join('');
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    // A number that is kept in part, such as a mobile number, is masked completely if it belongs to a secret.
    else if (span.end > last.end || span.replacement === MASK)
      merged[merged.length - 1] = { start: last.start, end: Math.max(span.end, last.end), replacement: MASK };
  }
  return merged;
}
