/** Sequences of rows that are missing, both ends included. */
export interface AuditGap {
  readonly from: number;
  readonly to: number;
}

/** The gaps by sequence, without overlaps. Adjacent gaps are merged. */
export function mergeGaps(gaps: Iterable<AuditGap>): AuditGap[] {
  const merged: AuditGap[] = [];
  for (const gap of [...gaps].sort((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last !== undefined && gap.from <= last.to + 1)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, gap.to) };
    else merged.push({ from: gap.from, to: gap.to });
  }
  return merged;
}

/** The parts of the gaps that none of the others contain. */
export function subtractGaps(gaps: readonly AuditGap[], others: Iterable<AuditGap>): AuditGap[] {
  const merged = mergeGaps(others);
  return gaps.flatMap(({ from, to }) => {
    const parts: AuditGap[] = [];
    let start = from;
    for (const other of merged) {
      if (other.to < start || other.from > to) continue;
      if (start < other.from) parts.push({ from: start, to: other.from - 1 });
      start = other.to + 1;
    }
    if (start <= to) parts.push({ from: start, to });
    return parts;
  });
}

/** Whether one of the gaps contains the row. */
export function hasRow(gaps: readonly AuditGap[], sequence: number): boolean {
  return gaps.some(({ from, to }) => from <= sequence && sequence <= to);
}

/** Whether the gaps contain all of the others. */
export function hasGaps(gaps: readonly AuditGap[], others: readonly AuditGap[]): boolean {
  return subtractGaps(others, gaps).length === 0;
}

/** The gaps for people: `95 to 100, 120`. */
export function describeGaps(gaps: readonly AuditGap[]): string {
  return gaps.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ');
}

/** The gaps in the form of a checkpoint: `95-100 120-120`. */
export function gapsText(gaps: readonly AuditGap[]): string {
  return gaps.map(({ from, to }) => `${from}-${to}`).join(' ');
}

/** Reads the text of {@link gapsText}. The values are not checked. */
export function readGaps(text: string): AuditGap[] {
  return text.split(' ').map((gap) => {
    const [from, to] = gap.split('-').map(Number);
    return { from: from ?? Number.NaN, to: to ?? Number.NaN };
  });
}

/** Whether the gaps are sorted and merged, and contain only rows up to `sequence`. */
export function arePlausibleGaps(gaps: readonly AuditGap[], sequence: number): boolean {
  let last = -1;
  for (const { from, to } of gaps) {
    if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to) && last + 1 < from && from <= to && to <= sequence))
      return false;
    last = to;
  }
  return true;
}
