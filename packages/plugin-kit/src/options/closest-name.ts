/** A name that is shorter says too little: `id` is in `issuerUrl`, and not meant. */
const MIN_CONTAINED_LENGTH = 4;

/** `min` and `max` are whole abbreviations; two letters begin too many names. */
const MIN_ABBREVIATION_LENGTH = 3;

/**
 * The known name that was probably meant: one that contains the given name or is contained in it, a single word that
 * the given name abbreviates (`min` for `minimum`), or one that differs in at most a third of its letters; the nearest
 * of them. Case is ignored. Null where none is near: a wrong guess misleads.
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

/** Two wrong letters, or two that changed places. More would refuse names that were not meant. */
const MAX_SLIP_EDITS = 2;

/** Whether the name is this known one but for a slip of the keyboard. Case is ignored. */
export function isSlipOf(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > MAX_SLIP_EDITS) return false;
  return editDistance(name.toLowerCase(), known.toLowerCase()) <= MAX_SLIP_EDITS;
}

function isContained(part: string, whole: string): boolean {
  return part.length >= MIN_CONTAINED_LENGTH && whole.includes(part);
}

/** `key` begins `keyPrefix` and is no abbreviation of it: names of several words are left out. */
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
