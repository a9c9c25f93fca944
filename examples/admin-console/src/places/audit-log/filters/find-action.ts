/** The actions that are listed as the nearest ones. */
const MAX_NEAREST = 4;

/** The meaning of a typed action. */
export type FoundAction =
  /** An action, or the beginning of some, as the operations take it. */
  | { readonly action: string }
  /** The codes of the nearest actions. */
  | { readonly nearest: readonly string[] };

/**
 * Finds the action, or the group of actions, that was typed: by its code, its beginning, or a text that only this one
 * contains in its code or title. Of several between commas, each has to be a code.
 *
 * @param names the titles of the known actions, by their codes
 */
export function findAction(typed: string, names: ReadonlyMap<string, string>): FoundAction {
  const text = typed.trim().toLowerCase();
  const start = text.replace(/\*+$/, '');
  const codes = [...names.keys()];
  const several = text.split(',').map((each) => each.trim());
  if (several.length > 1 && several.every((each) => names.has(each))) return { action: several.join(',') };
  if (names.size === 0 || codes.some((code) => code.startsWith(start))) return { action: text };
  const found = codes.filter((code) => code.includes(text) || names.get(code)?.toLowerCase().includes(text));
  if (found.length === 1) return { action: found[0]! };
  const groups = new Set(codes.map(groupOf).filter((group) => group.includes(text)));
  const [group] = groups;
  const isWithin = found.every((code) => groupOf(code) === group);
  if (group !== undefined && groups.size === 1 && isWithin) return { action: group };
  const candidates = found.length > 0 ? found : codes;
  const likeness = new Map(
    candidates.map((code) => [code, Math.max(likenessOf(text, code), likenessOf(text, names.get(code) ?? ''))]),
  );
  return { nearest: candidates.sort((a, b) => likeness.get(b)! - likeness.get(a)!).slice(0, MAX_NEAREST) };
}

/** The beginning that an action shares with its group, such as `payment.`. */
export const groupOf = (action: string) => action.replace(/\..*/, '.');

/** The share of equal pairs of letters (Dice), from 0 to 1. */
function likenessOf(one: string, other: string): number {
  const [pairs, others] = [pairsOf(one), pairsOf(other.toLowerCase())];
  const shared = [...pairs].filter((pair) => others.has(pair)).length;
  return (2 * shared) / Math.max(1, pairs.size + others.size);
}

function pairsOf(text: string): Set<string> {
  return new Set(Array.from(text.slice(1), (letter, index) => text.charAt(index) + letter));
}
