import type { ByteRange } from './file-disk.js';

/** What of a content is to be sent. */
export type RangeChoice =
  | { readonly kind: 'whole' }
  | ({ readonly kind: 'part' } & ByteRange)
  | { readonly kind: 'unsatisfiable' };

const WHOLE: RangeChoice = { kind: 'whole' };
const UNSATISFIABLE: RangeChoice = { kind: 'unsatisfiable' };

/** One range of bytes. More than one, another unit and what is malformed may be overlooked (RFC 9110, 14.2). */
const SINGLE_RANGE = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i;

/**
 * Reads the header `Range` (RFC 9110, 14.1.2).
 *
 * @param size of the content, in bytes; at least 1
 */
export function chooseRange(header: string | undefined, size: number): RangeChoice {
  const [, from = '', to = ''] = SINGLE_RANGE.exec(header ?? '') ?? [];
  if (from === '' && to === '') return WHOLE;
  if (from === '') {
    const length = Number(to);
    return length === 0 ? UNSATISFIABLE : { kind: 'part', first: Math.max(0, size - length), last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return WHOLE;
  return first >= size ? UNSATISFIABLE : { kind: 'part', first, last };
}
