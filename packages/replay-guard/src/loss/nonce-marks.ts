import {
  createMarkKeeper,
  earliestTime,
  latestTime,
  MARK_TTL_MILLIS,
  type MarkKeeper,
  type MarkLook,
  TOLERANCE_MILLIS,
  timeAt,
} from '@sallyport/ttl-store/loss';
import { type Announcing, createAnnouncer } from './announcer.js';
import type { LossReason, ReplayGuardState } from './events.js';
import type { Known, NonceMarkOptions } from './known.js';
import { drawMark, includes, type Mark, NEAR_MILLIS, type Refusals, readMark, refusalsOf, writeMark } from './mark.js';
import { floorThrough } from './spans.js';
import { readWitness } from './witness.js';

/**
 * The marks of a nonce store. They refuse what may have been accepted before a loss. This module does not know
 * envelopes.
 */
export interface NonceMarks extends Announcing, Pick<MarkKeeper<Mark>, 'known' | 'settle' | 'termsOf' | 'note'> {
  /** Settles all parts, so that an idle node notices a loss and detects a restored mark as older. */
  beat(timestampWindowSeconds?: number): Promise<void>;
  state(): ReplayGuardState;
  /** Envelopes stamped at this time or before are refused in every part. */
  floor(): number;
}

/** The smallest window that matters when a clock is set back. The mark holds the real window. */
const DEFAULT_WINDOW_MILLIS = 300_000;

export function createNonceMarks(options: NonceMarkOptions): NonceMarks {
  const { marks, keyPrefix, clockSkewSeconds, witness, isNewStore, monotonic, onEvent } = options;
  const witnessKey = `${keyPrefix}announced`;
  const parts = Array.from({ length: marks.parts }, (_, part) => part);
  // The latest time of the store's clock that this process has seen, by part. The clock may have been set back since.
  const reached = parts.map(() => 0);
  let wasRecovering = false;

  /**
   * The last reading of the clock by which envelopes were accepted until now. The clock of a replica may be behind it.
   */
  function timeBefore({ sight, present, before }: MarkLook<Mark>): number {
    if (before !== null) return latestTime(before.contact, monotonic());
    // Another process kept the mark; its expiry shows until when.
    return present === null ? 0 : sight.expiresAt - MARK_TTL_MILLIS;
  }

  /** The stamps that may have been accepted before a loss that was noticed now. */
  async function refusalsAfter({ part, sight, present, before }: MarkLook<Mark>): Promise<Refusals> {
    const floors = [present?.floor ?? 0, before?.mark.floor ?? 0];
    // Some process may have accepted envelopes until now, unless the store is new.
    const isFirst = before === null && present === null && isNewStore;
    if (!isFirst) floors.push(Math.max(sight.time, reached[part] as number) + NEAR_MILLIS);
    const witnessed = witness === null ? [] : await readWitness(witness, witnessKey);
    const spans = [present, before?.mark ?? null].flatMap((mark) => (mark ? [...mark.refused, ...mark.announced] : []));
    return refusalsOf(floors, [...spans, ...witnessed]);
  }

  /** The refusals that this process knows and that the node which drew the new mark may not know. */
  function refusalsOfOther(part: number, present: Mark, before: Known | null): Refusals {
    if (before === null || before.mark.id === present.id) return present;
    const time = Math.max(present.born, reached[part] as number);
    const spans = [...present.refused, ...before.mark.refused, ...before.mark.announced];
    return refusalsOf([present.floor, before.mark.floor, time + NEAR_MILLIS], spans);
  }

  /** An envelope whose record has expired was stamped before this, regardless of the store's present clock. */
  function floorOfClock({ part, sight, present, before: known, contact }: MarkLook<Mark>): number {
    const window = Math.max(DEFAULT_WINDOW_MILLIS, present?.window ?? 0, known?.mark.window ?? 0);
    const expired = (time: number) => time - window - clockSkewSeconds * 1000;
    if (known === null) {
      // No process keeps a mark for longer than that. A later expiry was set by a clock that was ahead.
      const keptAt = sight.expiresAt - MARK_TTL_MILLIS;
      if (present === null || keptAt <= sight.time + TOLERANCE_MILLIS) return 0;
      onEvent({ kind: 'store-clock-back', part, byMillis: keptAt - sight.time });
      return expired(keptAt);
    }
    const earliest = earliestTime(known.contact, contact.sentAt);
    // Another run has another clock. The mark shows what that run may have accepted.
    if (sight.run !== known.mark.run || sight.time >= earliest) return 0;
    onEvent({ kind: 'store-clock-back', part, byMillis: earliest - sight.time });
    return expired(latestTime(known.contact, monotonic()));
  }

  async function next(look: MarkLook<Mark>): Promise<Mark | null> {
    const { part, sight, present, before, loss } = look;
    reached[part] = Math.max(reached[part] as number, timeBefore(look));
    const clockFloor = Math.floor(floorOfClock(look));
    if (present !== null && loss === null) {
      const { floor, refused } = refusalsOfOther(part, present, before);
      const refusals = refusalsOf([floor, clockFloor], refused);
      if (includes(present, refusals)) return null;
      return { ...present, ...refusals, reason: clockFloor > present.floor ? 'clock' : present.reason };
    }
    const { floor, refused } = await refusalsAfter(look);
    const window = Math.max(present?.window ?? 0, before?.mark.window ?? 0);
    const drawn = { run: sight.run, born: sight.time, reason: loss, window };
    return drawMark(drawn, refusalsOf([floor, clockFloor], refused));
  }

  function onWritten({ part, sight, before, loss }: MarkLook<Mark>, { floor }: Mark): void {
    if (loss === null) return;
    // A new process refuses no envelope of a client with a right clock, unless an envelope far ahead was accepted.
    const refusedMillis = floor - sight.time;
    if (before === null && refusedMillis <= NEAR_MILLIS) return;
    onEvent({ kind: 'loss', part, reason: loss, refusedMillis: Math.max(0, refusedMillis) });
  }

  const keeper = createMarkKeeper<Mark>({
    marks,
    key: `${keyPrefix}mark`,
    monotonic,
    read: readMark,
    write: writeMark,
    next,
    onWritten,
  });

  function state(): ReplayGuardState {
    const moment = monotonic();
    let remainingMillis = 0;
    let reason: LossReason | null = null;
    for (const part of parts) {
      const known = keeper.known(part);
      if (known === null) continue;
      const { mark, contact } = known;
      const time = timeAt(contact, moment);
      const remaining = floorThrough(mark.refused, Math.max(mark.floor, time - 1)) - time;
      if (remaining <= remainingMillis) continue;
      remainingMillis = Math.ceil(remaining);
      reason = mark.reason;
    }
    return { isRecovering: remainingMillis > 0, reason, remainingMillis };
  }

  const announcing = createAnnouncer({ ...options, ...keeper, witnessKey });
  const { known, settle, termsOf, note } = keeper;
  return {
    ...announcing,
    known,
    settle,
    termsOf,
    note,
    state,
    floor: () => Math.min(...parts.map((part) => known(part)?.mark.floor ?? Number.NEGATIVE_INFINITY)),

    async beat(timestampWindowSeconds = 0) {
      const widen = ({ contact }: Known, part: number) => {
        return announcing.widen(part, timestampWindowSeconds * 1000, contact.time);
      };
      await Promise.all((await keeper.beat()).map(widen));
      const { isRecovering } = state();
      if (wasRecovering && !isRecovering) onEvent({ kind: 'recovered' });
      wasRecovering = isRecovering;
    },
  };
}
