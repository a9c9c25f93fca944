import { CONFUSABLES_VERSION, confusables } from './confusables.generated.js';
import { normalizeUsername } from './username.js';

/** Every skeleton that this version of the table makes begins with it. */
export const SKELETON_PREFIX = `${CONFUSABLES_VERSION}:`;

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
 * same. It begins with the version of the table: those of different versions are not equal.
 */
export function skeletonOf(username: string): string {
  const characters = [...normalizeUsername(username).normalize('NFD')];
  const skeleton = characters.map((character) => prototypes.get(character) ?? character).join('');
  return `${SKELETON_PREFIX}${skeleton.normalize('NFD')}`;
}
