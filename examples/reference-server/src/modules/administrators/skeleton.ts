import { CONFUSABLES_VERSION, confusables } from './confusables.generated.js';
import { normalizeUsername } from './username.js';

/** Counted up when skeletons are made otherwise from the same table. */
const RULES = 2;

/** Every skeleton that this version of the table and of the rules makes begins with it. */
export const SKELETON_PREFIX = `${CONFUSABLES_VERSION}/${RULES}:`;

/**
 * A dot above `i` or `j` takes the place of their own, so that nobody sees it: `admi\u0307n`, which is what
 * `ADM\u0130N` becomes in lower case. The table has single characters only. Marks below the letter may come first.
 */
const DOT_OF_DOTTED = /(\p{Soft_Dotted}[\u0316-\u0319\u031c-\u0333]*)\u0307/gu;

/** Characters that look like something else, and the text that they look like. */
const prototypes: ReadonlyMap<string, string> = new Map(
  confusables
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [prototype = '', sources = ''] = row.split(': ');
      return textsOf(sources).map((source) => [source, textsOf(prototype).join('')] as const);
    }),
);

function textsOf(codePoints: string): string[] {
  return codePoints.split(' ').map((point) => String.fromCodePoint(Number.parseInt(point, 16)));
}

/**
 * The text that names have in common if they look alike: the skeleton of UTS #39, section 4, of the normalised name. It
 * is for comparing with other skeletons, never for signing in, counting or showing (USR-6). `liu1` and `liul` have the
 * same. It begins with the version of table and rules: those of different versions are not equal.
 */
export function skeletonOf(username: string): string {
  const characters = [...normalizeUsername(username).normalize('NFD')];
  const skeleton = characters.map((character) => prototypes.get(character) ?? character).join('');
  return `${SKELETON_PREFIX}${skeleton.normalize('NFD').replaceAll(DOT_OF_DOTTED, '$1')}`;
}
