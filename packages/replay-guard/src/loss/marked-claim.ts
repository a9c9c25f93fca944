import { earliestTime, timeAt } from '@sallyport/ttl-store/loss';
import type { Known, NonceMarkOptions } from './known.js';
import { isAnnounced, isRefused, NEAR_MILLIS, spanFor } from './mark.js';
import { createNonceMarks, type NonceMarks } from './nonce-marks.js';
import { isWithin } from './spans.js';

export interface MarkedClaimOptions extends NonceMarkOptions {
  readonly replayTtlSeconds: number;
  /** The value of a record. */
  readonly record: string;
}

/** The fields of an envelope that a claim reads. */
interface StampedEnvelope {
  readonly nonce: Uint8Array;
  readonly timestamp: number;
  readonly timestampWindowSeconds: number;
}

/**
 * `first`: the first use of the envelope. `replayed`: it was used before. `refused`: it is outside the window, or it
 * may have been accepted before the store lost nonces, which does not prove that it was.
 */
export type ClaimVerdict = 'first' | 'replayed' | 'refused';

export interface MarkedClaim {
  /** Whether this is the first use of the key and the envelope is in time by the clock of the store. */
  claim(key: string, envelope: StampedEnvelope): Promise<ClaimVerdict>;
  readonly keeper: NonceMarks;
}

/** An attempt is repeated if the mark is new, if a stamp was announced, or if the clock was set back. */
const MAX_ATTEMPTS = 12;

/** The next announcement is made this long before the client needs it, which includes a second for the store. */
const RENEWAL_MILLIS = 1000;

/** Claims under a mark: one round trip, in which the store also looks at the mark and at its clock. */
export function createMarkedClaim(options: MarkedClaimOptions): MarkedClaim {
  const { marks, replayTtlSeconds, clockSkewSeconds, monotonic, wait, record } = options;
  const keeper = createNonceMarks(options);
  const skewMillis = clockSkewSeconds * 1000;

  /** Waits until an envelope so far ahead may be accepted. */
  async function announce(part: number, { mark }: Known, timestamp: number, time: number): Promise<void> {
    const spans = mark.announced.filter(({ from, to }) => timestamp >= from && timestamp <= to);
    if (spans.length === 0) return keeper.announce(part, spanFor(timestamp, time));
    const ripeAt = Math.min(...spans.map(({ since }) => since)) + keeper.ripeMillis;
    if (ripeAt > time) await wait(ripeAt - time);
  }

  /** Asks the store once. Null: ask again. */
  async function attempt(
    part: number,
    key: string,
    envelope: StampedEnvelope,
    known: Known,
  ): Promise<ClaimVerdict | null> {
    const { timestamp } = envelope;
    const { mark } = known;
    const windowMillis = envelope.timestampWindowSeconds * 1000;
    // RPL-6: the envelope may have been accepted before a loss.
    if (isRefused(mark, timestamp)) return 'refused';
    const sentAt = monotonic();
    const earliest = earliestTime(known.contact, sentAt);
    const estimate = timeAt(known.contact, sentAt);
    if (windowMillis > mark.window) {
      await keeper.widen(part, windowMillis, estimate);
      return null;
    }
    const isAllowed = isAnnounced(mark, timestamp, estimate, keeper.ripeMillis);
    // The next announcement has to ripen before the client needs it.
    const next = timestamp + keeper.ripeMillis + RENEWAL_MILLIS;
    const isUsed = isAllowed && timestamp - estimate > NEAR_MILLIS && keeper.ripeMillis > 0;
    if (isUsed && !isWithin(mark.announced, next)) {
      await keeper.announce(part, spanFor(timestamp, estimate));
      return null;
    }
    const ahead = isAllowed ? windowMillis : Math.min(windowMillis, NEAR_MILLIS);
    const answer = await marks.setIfAbsent(part, keeper.termsOf(known), {
      key,
      value: record,
      ttlMillis: replayTtlSeconds * 1000 + skewMillis,
      // Uses the longest window, because a server with a longer one accepts the envelope for that time.
      keepUntil: Math.ceil(timestamp + mark.window) + skewMillis,
      notBefore: Math.max(Math.ceil(timestamp - ahead), earliest),
      notAfter: Math.floor(timestamp + windowMillis),
    });
    const { outcome, time } = answer;
    if (outcome === 'unmarked' || time < earliest) {
      await keeper.settle(part);
      return null;
    }
    keeper.note(part, known, { time, sentAt, answeredAt: monotonic() });
    if (outcome === 'written') return 'first';
    if (outcome === 'present') return 'replayed';
    if (outcome === 'late' || timestamp - time > windowMillis) return 'refused';
    await announce(part, known, timestamp, time);
    return null;
  }

  return {
    keeper,
    async claim(key, envelope) {
      const part = (envelope.nonce[0] as number) % marks.parts;
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const verdict = await attempt(part, key, envelope, keeper.known(part) ?? (await keeper.settle(part)));
        if (verdict !== null) return verdict;
      }
      throw new Error('The mark of the nonce store changes all the time');
    },
  };
}
