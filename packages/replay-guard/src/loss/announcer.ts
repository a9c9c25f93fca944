import { MARK_TTL_MILLIS, type MarkKeeper, timeAt } from '@sallyport/ttl-store/loss';
import type { NonceMarkOptions } from './known.js';
import type { Mark } from './mark.js';
import { ripened, type Span, unite } from './spans.js';
import { tellWitness } from './witness.js';

/** Changes a mark although nothing was lost. */
export interface Announcing {
  /** The time from which an announcement counts. */
  readonly ripeMillis: number;
  /** Announces stamps that are ahead of the store's clock. It resolves when the mark or its next version has them. */
  announce(part: number, span: Span): Promise<void>;
  /** Records in the mark that envelopes of this longer window are accepted. */
  widen(part: number, windowMillis: number, time: number): Promise<void>;
}

export interface AnnouncerDependencies
  extends Pick<NonceMarkOptions, 'marks' | 'clockSkewSeconds' | 'witness' | 'monotonic' | 'wait'>,
    Pick<MarkKeeper<Mark>, 'known' | 'settle' | 'replace'> {
  readonly witnessKey: string;
}

/**
 * The time until every node that reaches the store knows an announcement: two beats, and a second for the write. With a
 * witness every node knows it at once.
 */
const RIPE_MILLIS = 3000;

/** The store rejects an announcement that arrives later, because it would count before every node knows it. */
const MAX_WRITE_MILLIS = 1000;

/**
 * A node writes its announcements together, at most once in this time. Each write makes the other nodes read the mark
 * again, and a client that sends envelopes far ahead of the clock must not keep them busy.
 */
const MIN_PAUSE_MILLIS = 250;

/** Each attempt fails only if another node wrote the mark in between. The claim announces again. */
const MAX_ATTEMPTS = 5;

interface Wanted {
  spans: Span[];
  writing: Promise<void> | null;
  lastAt: number;
}

export function createAnnouncer(dependencies: AnnouncerDependencies): Announcing {
  const { marks, clockSkewSeconds, witness, witnessKey, monotonic, wait, known, settle, replace } = dependencies;
  const ripeMillis = witness === null ? RIPE_MILLIS : 0;
  const wanted: Wanted[] = Array.from({ length: marks.parts }, () => ({
    spans: [],
    writing: null,
    lastAt: Number.NEGATIVE_INFINITY,
  }));

  async function writeWanted(part: number): Promise<void> {
    const state = wanted[part] as Wanted;
    const pause = state.lastAt + MIN_PAUSE_MILLIS - monotonic();
    await (pause > 0 ? wait(pause) : null);
    state.lastAt = monotonic();
    const spans = state.spans.splice(0);
    // Later announcements go into the next version.
    state.writing = null;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const present = known(part) ?? (await settle(part));
      const { mark, contact } = present;
      const time = timeAt(contact, monotonic());
      const now = spans.map((span) => ({ ...span, since: time }));
      if (witness !== null) await tellWitness(witness, witnessKey, now, time, MARK_TTL_MILLIS);
      const announced = unite([...ripened(mark.announced, time, ripeMillis), ...now], time);
      const notAfter = witness === null ? time + MAX_WRITE_MILLIS : undefined;
      if ((await replace(part, { ...mark, announced }, present, contact, notAfter)) !== null) return;
      await settle(part);
    }
  }

  return {
    ripeMillis,

    announce(part, span) {
      const state = wanted[part] as Wanted;
      state.spans.push(span);
      state.writing ??= writeWanted(part);
      return state.writing;
    },

    async widen(part, windowMillis, time) {
      const present = known(part) ?? (await settle(part));
      const { mark, contact } = present;
      if (mark.window >= windowMillis) return;
      // Records of earlier envelopes have expired. A mark without a window belongs to a store without nonces.
      const floor = mark.window === 0 ? 0 : time - mark.window - clockSkewSeconds * 1000;
      const reason = floor > mark.floor ? 'window' : mark.reason;
      const wider = { ...mark, floor: Math.max(mark.floor, Math.floor(floor)), reason, window: windowMillis };
      if ((await replace(part, wider, present, contact)) === null) await settle(part);
    },
  };
}
