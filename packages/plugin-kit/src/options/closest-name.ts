/** A shorter name is ambiguous: `id` is in `issuerUrl`, but not meant. */
const MIN_CONTAINED_LENGTH = 4;

/** `min` and `max` are abbreviations. Two letters begin too many names. */
const MIN_ABBREVIATION_LENGTH = 3;

/**
 * The nearest known name, which was probably meant. It contains the given name or is contained in it, is a single word
 * that the given name abbreviates (`min` for `minimum`), or differs in at most a third of its letters. Case is ignored.
 * Null if none is near, because a wrong guess misleads.
 */
export function closestName(name: string, known: readonly string[]): string | null {
  const given = name.toLowerCase();
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    const edits = editDistance(given, other);
    const isNear =
      edits <= Math.ceil(given.length / 3) ||
      isContained(given, other) ||
      isContained(other, given) ||
      abbreviates(given, candidate);
    if (isNear && edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

/** Two wrong letters, or two swapped letters. With more, names that are no misspellings would be refused. */
const MAX_SLIP_EDITS = 2;

/** Whether the name is a typing error of this known one. Case is ignored. */
export function isSlipOf(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > MAX_SLIP_EDITS) return false;
  return editDistance(name.toLowerCase(), known.toLowerCase()) <= MAX_SLIP_EDITS;
}

function isContained(part: string, whole: string): boolean {
  return part.length >= MIN_CONTAINED_LENGTH && whole.includes(part);
}

/** Names of several words are excluded: `key` is the start of `keyPrefix`, but not an abbreviation of it. */
function abbreviates(given: string, candidate: string): boolean {
  return given.length >= MIN_ABBREVIATION_LENGTH && candidate.startsWith(given) && /^[a-z]+$/.test(candidate);
}

/** Levenshtein distance, one row of the matrix at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substitution = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
