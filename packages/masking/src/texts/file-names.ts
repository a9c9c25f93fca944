import { isSecretName } from '../sensitive-names.js';
import type { Report } from './spans.js';
import { findValueEnds, type ValueEnds } from './value-ends.js';

/** JSON in a file name, of which programs replace what file systems refuse: `{_token___x_}`, `{"token"_"x"}`. */
const MEMBER = /(?<=[{[,_]["'_])([\p{L}\p{N}][\p{L}\p{N}_-]{0,63}?)["'_][:_]["'_](?=[^"'_\s])/gu;

/** Reports what such names hold under a sensitive name. */
export function reportFileNames(text: string, report: Report): void {
  let ends: ValueEnds | null = null;
  for (const { index, 0: match, 1: name = '' } of text.matchAll(MEMBER)) {
    if (!name.split('___').some(isSecretName)) continue;
    ends ??= findValueEnds(text);
    const start = index + match.length;
    const end = ends.bareEnd(start, 'word');
    if (end > start) report(start, end);
  }
}
