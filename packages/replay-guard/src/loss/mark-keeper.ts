import type { MarkSight, MarkTerms } from '@sallyport/ttl-store';
import { type Announcing, createAnnouncer } from './announcer.js';
import type { LossReason, ReplayGuardState } from './events.js';
import { type Known, MARK_TTL_MILLIS, type MarkKeeperOptions } from './known.js';
import { drawMark, includes, type Mark, NEAR_MILLIS, type Refusals, readMark, refusalsOf, writeMark } from './mark.js';
import { floorThrough } from './spans.js';
import { type Contact, earliestTime, latestTime, TOLERANCE_MILLIS, timeAt } from './store-time.js';
import { readWitness } from './witness.js';

/** Keeps the marks of a store, and notices losses by them. It knows nothing of envelopes. */
export interface MarkKeeper extends Announcing {
  known(part: number): Known | null;
  /** Looks at the mark, and replaces it after a loss. Concurrent callers share one look. */
  settle(part: number): Promise<Known>;
  /** Settles all parts, so that an idle node notices a loss, and a restored mark is seen as older. */
  beat(timestampWindowSeconds?: number): Promise<void>;
  termsOf(known: Known): MarkTerms;
  /** An answer of the store under this mark. */
  note(part: number, known: Known, contact: Contact): void;
  state(): ReplayGuardState;
  /** Envelopes stamped at this time or before are refused in every part. */
  floor(): number;
}

/** A node that knows nothing trusts a mark only if another one has moved its expiry so recently. */
const MAX_UNKEPT_MILLIS = 10_000;

/** Readings of an expiry differ by less. A beat moves it by a second. */
const EXPIRY_ERROR_MILLIS = 100;

/** Each attempt fails only if another node wrote the mark in between, or the store lost data again. */
const MAX_ATTEMPTS = 5;

/** The smallest window that matters for a clock that is set back; the mark tells the real one. */
const DEFAULT_WINDOW_MILLIS = 300_000;

export function createMarkKeeper(options: MarkKeeperOptions): MarkKeeper {
  const { marks, keyPrefix, clockSkewSeconds, witness, isNewStore, monotonic, onEvent } = options;
  const key = `${keyPrefix}mark`;
  const witnessKey = `${keyPrefix}announced`;
  const parts = Array.from({ length: marks.parts }, () => ({
    known: null as Known | null,
    settling: null as Promise<Known> | null,
  }));
  type Part = (typeof parts)[number];
  let wasRecovering = false;

  const termsOf = ({ mark, text, expiresAt }: Known): MarkTerms => ({
    key,
    value: text,
    run: mark.run,
    minExpiresAt: expiresAt - EXPIRY_ERROR_MILLIS,
  });

  /** The terms of a process that knows nothing hold for no mark: it only looks. */
  const noTerms: MarkTerms = { key, value: '', run: '', minExpiresAt: 0 };

  /** What the mark of the store says about a loss; null: nothing was lost. */
  function lossOf(present: Mark | null, sight: MarkSight, before: Known | null): LossReason | null {
    if (present === null) return 'absent';
    if (present.run !== sight.run) return 'run';
    if (before === null) return sight.expiresAt < sight.time + MARK_TTL_MILLIS - MAX_UNKEPT_MILLIS ? 'older' : null;
    // After a loss that another node has noticed, the expiry may be that of another clock.
    const isOfSameRun = before.mark.run === sight.run;
    return isOfSameRun && sight.expiresAt < before.expiresAt - EXPIRY_ERROR_MILLIS ? 'older' : null;
  }

  /** The stamps that may have been accepted before a loss that was noticed now. */
  async function refusalsAfter(sight: MarkSight, present: Mark | null, before: Known | null): Promise<Refusals> {
    const floors = [present?.floor ?? 0, before?.mark.floor ?? 0];
    if (before !== null) {
      // The clock of a replica that took over may be behind the one by which envelopes were accepted.
      floors.push(Math.max(sight.time, latestTime(before.contact, monotonic())) + NEAR_MILLIS);
    } else if (!isNewStore || present !== null) {
      // Another process may have accepted envelopes until now. By its clock it kept the mark until its expiry told.
      const keptAt = present === null ? 0 : sight.expiresAt - MARK_TTL_MILLIS;
      floors.push(Math.max(sight.time, keptAt) + NEAR_MILLIS);
    }
    const witnessed = witness === null ? [] : await readWitness(witness, witnessKey);
    const spans = [present, before?.mark ?? null].flatMap((mark) => (mark ? [...mark.refused, ...mark.announced] : []));
    return refusalsOf(floors, [...spans, ...witnessed]);
  }

  /** What this process knows and another node may not, when that one has drawn a new mark. */
  function refusalsOfOther(present: Mark, before: Known | null): Refusals {
    if (before === null || before.mark.id === present.id) return present;
    const time = Math.max(present.born, latestTime(before.contact, monotonic()));
    const spans = [...present.refused, ...before.mark.refused, ...before.mark.announced];
    return refusalsOf([present.floor, before.mark.floor, time + NEAR_MILLIS], spans);
  }

  /** An envelope whose record has expired was stamped before this, whatever the store's clock says now. */
  function floorOfClock(part: number, sight: MarkSight, present: Mark | null, known: Known | null, sentAt: number) {
    const window = Math.max(DEFAULT_WINDOW_MILLIS, present?.window ?? 0, known?.mark.window ?? 0);
    const expired = (time: number) => time - window - clockSkewSeconds * 1000;
    if (known === null) {
      // Nobody keeps a mark for longer than that from now on: it was kept by a clock that was ahead.
      const keptAt = sight.expiresAt - MARK_TTL_MILLIS;
      if (present === null || keptAt <= sight.time + TOLERANCE_MILLIS) return 0;
      onEvent({ kind: 'store-clock-back', part, byMillis: keptAt - sight.time });
      return expired(keptAt);
    }
    const earliest = earliestTime(known.contact, sentAt);
    // Another run has another clock. What it may have accepted is known from the mark.
    if (sight.run !== known.mark.run || sight.time >= earliest) return 0;
    onEvent({ kind: 'store-clock-back', part, byMillis: earliest - sight.time });
    return expired(latestTime(known.contact, monotonic()));
  }

  async function look(part: number): Promise<Known> {
    const state = parts[part] as Part;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const before = state.known;
      const sentAt = monotonic();
      const sight = await marks.keep(part, before === null ? noTerms : termsOf(before), MARK_TTL_MILLIS);
      const contact = { time: sight.time, sentAt, answeredAt: monotonic() };
      const present = readMark(sight.value);
      const reason = lossOf(present, sight, before);
      const clockFloor = Math.floor(floorOfClock(part, sight, present, before, sentAt));
      if (present !== null && reason === null) {
        const { floor, refused } = refusalsOfOther(present, before);
        const refusals = refusalsOf([floor, clockFloor], refused);
        if (includes(present, refusals)) {
          const expiresAt =
            before?.mark.run === present.run ? Math.max(before.expiresAt, sight.expiresAt) : sight.expiresAt;
          state.known = { mark: present, text: sight.value as string, expiresAt, contact };
          return state.known;
        }
        const why = clockFloor > present.floor ? 'clock' : present.reason;
        const raised = await write(part, { ...present, ...refusals, reason: why }, sight.value, contact);
        if (raised !== null) return raised;
      } else {
        const why = reason as LossReason;
        const { floor, refused } = await refusalsAfter(sight, present, before);
        const refusals = refusalsOf([floor, clockFloor], refused);
        const window = Math.max(present?.window ?? 0, before?.mark.window ?? 0);
        const mark = drawMark({ run: sight.run, born: sight.time, reason: why, window }, refusals);
        const drawn = await write(part, mark, sight.value, contact);
        if (drawn === null) continue;
        // A new process refuses nothing that a client with a right clock sends, unless somebody was far ahead.
        const refusedMillis = refusals.floor - sight.time;
        if (before !== null || refusedMillis > NEAR_MILLIS)
          onEvent({ kind: 'loss', part, reason: why, refusedMillis: Math.max(0, refusedMillis) });
        return drawn;
      }
    }
    throw new Error('The mark of the nonce store changes all the time');
  }

  /** Null if another node was faster. */
  async function write(part: number, mark: Mark, expected: string | null, contact: Contact): Promise<Known | null> {
    const text = writeMark(mark);
    if (!(await marks.replace(part, key, expected, text, MARK_TTL_MILLIS))) return null;
    const known = { mark, text, expiresAt: contact.time + MARK_TTL_MILLIS, contact };
    (parts[part] as Part).known = known;
    return known;
  }

  function settle(part: number): Promise<Known> {
    const state = parts[part] as Part;
    state.settling ??= look(part).finally(() => {
      state.settling = null;
    });
    return state.settling;
  }

  function state(): ReplayGuardState {
    const moment = monotonic();
    let remainingMillis = 0;
    let reason: LossReason | null = null;
    for (const { known } of parts) {
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

  const announcing = createAnnouncer({
    ...options,
    witnessKey,
    known: (part) => parts[part]?.known ?? null,
    settle,
    write,
  });
  return {
    ...announcing,
    known: (part) => (parts[part] as Part).known,
    settle,
    termsOf,
    state,
    floor: () => Math.min(...parts.map(({ known }) => known?.mark.floor ?? Number.NEGATIVE_INFINITY)),

    async beat(timestampWindowSeconds = 0) {
      await Promise.all(
        parts.map(async (_, part) => {
          const { contact } = await settle(part);
          await announcing.widen(part, timestampWindowSeconds * 1000, contact.time);
        }),
      );
      const { isRecovering } = state();
      if (wasRecovering && !isRecovering) onEvent({ kind: 'recovered' });
      wasRecovering = isRecovering;
    },

    note(part, known, contact) {
      const state = parts[part] as Part;
      if (state.known === known && contact.time >= known.contact.time) state.known = { ...known, contact };
    },
  };
}
