/** Stamps from the first to the last, in milliseconds. `since` is the time at which they were announced. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly since: number;
}

/**
 * A mark is read with each claim, so it stays short. If there are more spans, the two closest ones are merged. A client
 * that sends envelopes at that many distances can thus make more future stamps refused after a loss.
 */
const MAX_SPANS = 32;

export function isWithin(spans: readonly Span[], stamp: number): boolean {
  return spans.some(({ from, to }) => stamp >= from && stamp <= to);
}

/** The spans that reach beyond a stamp, in order, at most {@link MAX_SPANS}. */
export function unite(spans: readonly Span[], beyond: number): readonly Span[] {
  const sorted = spans.filter(({ to }) => to > beyond).sort((one, other) => one.from - other.from || one.to - other.to);
  const united: Span[] = [];
  for (const span of sorted) {
    const last = united.at(-1);
    // If two spans overlap, the later part has to ripen. A span that is already announced is unchanged.
    if (last !== undefined && span.to <= last.to && span.since >= last.since) continue;
    const isMore = last !== undefined && span.from <= last.to + 1 && span.since === last.since;
    if (isMore) united[united.length - 1] = joined(last, span);
    else united.push(span);
  }
  while (united.length > MAX_SPANS) {
    let closest = 1;
    const gapBefore = (place: number) => (united[place] as Span).from - (united[place - 1] as Span).to;
    for (let place = 2; place < united.length; place += 1) if (gapBefore(place) < gapBefore(closest)) closest = place;
    united.splice(closest - 1, 2, joined(united[closest - 1] as Span, united[closest] as Span));
  }
  return united;
}

function joined(one: Span, other: Span): Span {
  return {
    from: Math.min(one.from, other.from),
    to: Math.max(one.to, other.to),
    since: Math.max(one.since, other.since),
  };
}

/** Spans that every node knows are equivalent, so overlapping ones are merged. */
export function ripened(spans: readonly Span[], time: number, ripeMillis: number): readonly Span[] {
  return spans.map((span) => (span.since + ripeMillis <= time ? { ...span, since: 0 } : span));
}

/** The stamp up to which everything is refused, if everything up to `floor` is, and the stamps of the spans. */
export function floorThrough(spans: readonly Span[], floor: number): number {
  let reached = floor;
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    if (from <= reached + 1) reached = Math.max(reached, to);
  }
  return reached;
}

/** The text of spans in a mark and in a witness. */
export function writeSpans(spans: readonly Span[]): unknown {
  return spans.map(({ from, to, since }) => [from, to, since]);
}

/** Null if `writeSpans` would not write the text. */
export function readSpans(value: unknown): readonly Span[] | null {
  if (!Array.isArray(value)) return null;
  const spans: Span[] = [];
  for (const item of value as unknown[]) {
    if (!Array.isArray(item) || item.length !== 3 || !item.every(Number.isSafeInteger)) return null;
    const [from, to, since] = item as [number, number, number];
    spans.push({ from, to, since });
  }
  return spans;
}
