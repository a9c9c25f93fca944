import { randomUUID } from 'node:crypto';
import type { LossReason } from './events.js';
import { floorThrough, isWithin, readSpans, type Span, unite, writeSpans } from './spans.js';

/**
 * The mark of one part of a store. All times are the store's, in milliseconds. No envelope is accepted that is stamped
 * further ahead of the store's clock than {@link NEAR_MILLIS}, unless the mark announced its stamp before: so the
 * stamps that may have been accepted before a loss are known from the mark, although the accepted nonces are lost.
 */
export interface Mark {
  /** Of this mark alone. A new one is drawn after each loss. */
  readonly id: string;
  /** The run of the store in which it was written. */
  readonly run: string;
  readonly born: number;
  /** Why envelopes are refused. */
  readonly reason: LossReason | null;
  /** Envelopes stamped at this time or before are refused: they may have been accepted before a loss. */
  readonly floor: number;
  /** So are these, which are later. */
  readonly refused: readonly Span[];
  /** Stamps far ahead that are accepted, announced so that every node knows it before the first is. */
  readonly announced: readonly Span[];
  /** The longest window of which envelopes were accepted; 0: none was. Records are kept for that long. */
  readonly window: number;
}

/** What may have been accepted before a loss. */
export type Refusals = Pick<Mark, 'floor' | 'refused'>;

/** How far ahead of the store's clock an envelope may always be stamped. Clocks kept by NTP differ less. */
export const NEAR_MILLIS = 1000;

/** An announcement reaches so far ahead of the store's clock at least: honest clients wait less than 10 s for it. */
const MIN_REACH_MILLIS = 8000;

/** And so far ahead of the stamp, so that the next one is announced before the client needs it. */
const REACH_MILLIS = 5000;

/** Requests of one client may overtake each other by so much. */
const OVERTAKING_MILLIS = 1000;

export function drawMark(drawn: Pick<Mark, 'run' | 'born' | 'reason' | 'window'>, refusals: Refusals): Mark {
  return { id: randomUUID(), ...drawn, ...refusals, announced: [] };
}

/** The refusals of all, together. */
export function refusalsOf(floors: readonly number[], spans: readonly Span[]): Refusals {
  const floor = floorThrough(spans, Math.floor(Math.max(...floors)));
  const refused = unite(
    spans.map((span) => ({ ...span, since: 0 })),
    floor,
  );
  return { floor, refused };
}

export function isRefused({ floor, refused }: Refusals, stamp: number): boolean {
  return stamp <= floor || isWithin(refused, stamp);
}

/** Whether the refusals refuse all that the others do. */
export function includes(refusals: Refusals, others: Refusals): boolean {
  if (others.floor > refusals.floor) return false;
  return others.refused.every(
    ({ from, to }) => to <= refusals.floor || refusals.refused.some((span) => span.from <= from && span.to >= to),
  );
}

/** The stamps that are announced with one that is ahead of this time. */
export function spanFor(stamp: number, time: number): Span {
  const from = stamp <= time + MIN_REACH_MILLIS ? time : stamp - OVERTAKING_MILLIS;
  const to = Math.max(time + MIN_REACH_MILLIS, stamp + REACH_MILLIS);
  return { from: Math.floor(from), to: Math.ceil(to), since: time };
}

/** Whether a stamp was announced, and every node knows it. */
export function isAnnounced(mark: Mark, stamp: number, time: number, ripeMillis: number): boolean {
  return isWithin(
    mark.announced.filter(({ since }) => since + ripeMillis <= time),
    stamp,
  );
}

export function writeMark({ refused, announced, ...mark }: Mark): string {
  return JSON.stringify({ ...mark, refused: writeSpans(refused), announced: writeSpans(announced) });
}

/** Null if the text is none that this version writes. */
export function readMark(text: string | null): Mark | null {
  if (text === null) return null;
  try {
    const { id, run, born, reason, floor, window, ...spans } = JSON.parse(text) as Record<keyof Mark, unknown>;
    if (typeof id !== 'string' || typeof run !== 'string') return null;
    if (reason !== null && typeof reason !== 'string') return null;
    if (![born, floor, window].every((time) => Number.isSafeInteger(time))) return null;
    const refused = readSpans(spans.refused);
    const announced = readSpans(spans.announced);
    if (refused === null || announced === null) return null;
    return { id, run, born, reason, floor, refused, announced, window } as Mark;
  } catch {
    return null;
  }
}
