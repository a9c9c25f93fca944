import { randomUUID } from 'node:crypto';
import type { LossReason } from './events.js';
import { floorThrough, isWithin, readSpans, type Span, unite, writeSpans } from './spans.js';

/**
 * The mark of one part of a store. All times are the store's, in milliseconds. An envelope stamped further ahead of the
 * store's clock than {@link NEAR_MILLIS} is accepted only if the mark announced its stamp before. After a loss of the
 * nonces, the mark therefore shows which stamps may have been accepted.
 */
export interface Mark {
  /** Identifies this mark. A new one is drawn after each loss. */
  readonly id: string;
  /** The run of the store in which the mark was written. */
  readonly run: string;
  readonly born: number;
  /** Why envelopes are refused. */
  readonly reason: LossReason | null;
  /** Envelopes stamped at this time or before are refused: they may have been accepted before a loss. */
  readonly floor: number;
  /** Later stamps that are refused for the same reason. */
  readonly refused: readonly Span[];
  /**
   * Stamps far ahead that are accepted. They are announced before the first such envelope is accepted, so that every
   * node knows them.
   */
  readonly announced: readonly Span[];
  /** The longest window of the accepted envelopes, for which records are kept. 0 if none was accepted. */
  readonly window: number;
}

/** The stamps that may have been accepted before a loss. */
export type Refusals = Pick<Mark, 'floor' | 'refused'>;

/** How far ahead of the store's clock an envelope may always be stamped. Clocks kept by NTP differ less. */
export const NEAR_MILLIS = 1000;

/** The minimum reach of an announcement ahead of the store's clock. Honest clients wait less than 10 s for it. */
const MIN_REACH_MILLIS = 8000;

/** The reach of an announcement ahead of the stamp. The next one is then announced before the client needs it. */
const REACH_MILLIS = 5000;

/** Requests of one client may overtake each other by this time. */
const OVERTAKING_MILLIS = 1000;

export function drawMark(drawn: Pick<Mark, 'run' | 'born' | 'reason' | 'window'>, refusals: Refusals): Mark {
  return { id: randomUUID(), ...drawn, ...refusals, announced: [] };
}

/** The union of all refusals. */
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

/** Whether the refusals include all of the others. */
export function includes(refusals: Refusals, others: Refusals): boolean {
  if (others.floor > refusals.floor) return false;
  return others.refused.every(
    ({ from, to }) => to <= refusals.floor || refusals.refused.some((span) => span.from <= from && span.to >= to),
  );
}

/** The stamps to announce with a stamp that is ahead of this time. */
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

/** Null if this version would not write the text. */
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
