import type { TtlStore } from '@sallyport/ttl-store';
import type { Counters, Tally } from '../counters.js';
import type { OneTimeCodeEvent } from '../events.js';

/** Sends are judged in slices of this length, after every code of the slice has been used or has expired. */
const SLICE_MILLIS = 900_000;

/** Fewer codes in a slice are not significant. At a true share of 70 %, less than 30 % of 50 occurs once in 10^9. */
const MIN_SAMPLE = 50;

/**
 * The share that ends the suspicion, in percent. It is well above the share that begins it, so that the state does not
 * flap.
 */
const RECOVERED_PERCENT = 50;

/** The time after which a suspicion without new evidence ends. */
const SUSPICION_MILLIS = 6 * 3_600_000;

/**
 * The lifetime of the counts. It covers the slice, the longest validity of a code and the clock differences of nodes.
 */
const SLICE_TTL_MILLIS = 3 * 3_600_000;

export interface UsedShareOptions {
  readonly store: Pick<TtlStore, 'get' | 'set' | 'setIfAbsent' | 'delete'>;
  readonly counters: Pick<Counters, 'add' | 'peek'>;
  readonly keyPrefix: string;
  readonly now: () => number;
  readonly tell: (event: OneTimeCodeEvent) => Promise<void>;
}

/** The rules of one judgement. */
interface ShareRules {
  readonly lowUsePercent: number;
  readonly validSeconds: number;
}

/** The share of used codes of a region or prefix. Toll fraud sends many codes and uses few. */
export interface UsedShare {
  /** Whether one of the scopes is under suspicion. */
  isLow(scopes: readonly string[]): Promise<boolean>;
  /** Counts a send, and judges the newest slice that is complete. `tally` reverts the counts. */
  noteSent(scopes: readonly string[], rules: ShareRules, tally: Tally): Promise<void>;
  noteUsed(scopes: readonly string[], sentAt: number): Promise<void>;
}

const sliceOf = (moment: number) => Math.floor(moment / SLICE_MILLIS);

export function createUsedShare({ store, counters, keyPrefix, now, tell }: UsedShareOptions): UsedShare {
  const nameOf = (what: 'sent' | 'used', scope: string, slice: number) => `${what}:${slice}:${scope}`;
  const markOf = (scope: string) => `${keyPrefix}low:${scope}`;

  async function judge(scope: string, { lowUsePercent, validSeconds }: ShareRules): Promise<void> {
    const slice = sliceOf(now() - validSeconds * 1000) - 1;
    const [sent, used] = await Promise.all([
      counters.peek(nameOf('sent', scope, slice)),
      counters.peek(nameOf('used', scope, slice)),
    ]);
    if (sent < MIN_SAMPLE) return;
    const percent = (100 * used) / sent;
    if (percent < lowUsePercent) {
      const isNew = await store.setIfAbsent(markOf(scope), String(slice), SUSPICION_MILLIS);
      if (isNew) await tell({ type: 'low-use', scope, sent, used });
      // One write per slice keeps a suspicion alive.
      else if ((await store.get(markOf(scope))) !== String(slice)) {
        await store.set(markOf(scope), String(slice), SUSPICION_MILLIS);
      }
    } else if (percent >= RECOVERED_PERCENT && (await store.delete(markOf(scope)))) {
      await tell({ type: 'use-recovered', scope, sent, used });
    }
  }

  return {
    async isLow(scopes) {
      const marks = await Promise.all(scopes.map((scope) => store.get(markOf(scope))));
      return marks.some((mark) => mark !== null);
    },

    async noteSent(scopes, rules, tally) {
      const slice = sliceOf(now());
      await Promise.all(
        scopes.flatMap((scope) => [
          tally.add(nameOf('sent', scope, slice), SLICE_TTL_MILLIS),
          // An earlier slice, which this send is not in.
          judge(scope, rules),
        ]),
      );
    },

    async noteUsed(scopes, sentAt) {
      const slice = sliceOf(sentAt);
      await Promise.all(scopes.map((scope) => counters.add(nameOf('used', scope, slice), SLICE_TTL_MILLIS)));
    },
  };
}
