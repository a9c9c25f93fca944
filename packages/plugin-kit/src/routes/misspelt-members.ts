import { closestName } from '../options/index.js';
import type { DescribedRoute } from './described-route.js';

/** The longest difference in length between a member and its misspelling: `permissions`, `idempotent`. */
const MAX_LENGTH_DIFFERENCE = 2;

/**
 * Members of a `config` that were probably meant for the plugin. Fastify's types take any member, so a misspelt one
 * compiles, and its protection would be off. A member of another plugin with such a name is not a fault if the right
 * member is given as well.
 */
export function misspeltMemberFaults(config: DescribedRoute['config'], members: readonly string[]): string[] {
  const missing = members.filter((member) => !Object.hasOwn(config, member));
  return Object.keys(config)
    .filter((name) => !members.includes(name))
    .flatMap((name) => {
      const meant = closestName(name, missing);
      if (meant === null || Math.abs(meant.length - name.length) > MAX_LENGTH_DIFFERENCE || !begins(name, meant))
        return [];
      return [
        `config.${name} is not known; did you mean config.${meant}? If another plugin reads it, give config.${meant} as ` +
          'well, such as undefined',
      ];
    });
}

/** Most misspellings are not in the first letter, and it distinguishes `edit` from `audit`. */
function begins(name: string, meant: string): boolean {
  return name[0]?.toLowerCase() === meant[0];
}
