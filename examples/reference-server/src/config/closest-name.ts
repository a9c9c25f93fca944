/** The candidate that differs from the name in the fewest edits, or null when none is near enough to be what was meant. */
export function closestName(name: string, candidates: readonly string[]): string | null {
  // A third of the name is about what a typing slip or a forgotten word changes; beyond it a suggestion only misleads.
  let best: { name: string | null; edits: number } = { name: null, edits: Math.ceil(name.length / 3) };
  for (const candidate of candidates) {
    const edits = editDistance(name, candidate);
    if (edits < best.edits) best = { name: candidate, edits };
  }
  return best.name;
}

/** Levenshtein distance, one row at a time. */
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
