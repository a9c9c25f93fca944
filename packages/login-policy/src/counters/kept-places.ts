import type { TtlStore } from '@sallyport/ttl-store';
import { LoginPolicyUnavailableError } from '../errors.js';
import type { CountingRecord, WindowReading } from './counter-record.js';

/**
 * The places of attempts whose verification failed with an error. Each stays taken for a while and is then released,
 * without a timer. The tally of a window counts such a place permanently, and a list contains the end of each. A reader
 * subtracts those that have ended. So nothing waits in a process, and a crash has no effect.
 *
 * Ends are measured by the store's clock, in milliseconds since the window began.
 */
export interface KeptPlaces {
  /** The number of released places. */
  readonly ended: number;
  /** The number of places that are still taken. */
  readonly taken: number;
  /** The time at which the first taken place ends. Infinite if none is taken. */
  readonly nextEndMillis: number;
}

/** The places of a window without a broken verification. */
export const NO_PLACES_KEPT: KeptPlaces = { ended: 0, taken: 0, nextEndMillis: Number.POSITIVE_INFINITY };

/**
 * The stored form of the list. Places that had ended at the last write are only a number, so the list does not grow.
 */
interface KeptRecord {
  readonly ended: number;
  readonly taken: readonly { readonly untilMillis: number; readonly places: number }[];
}

const NONE: KeptRecord = { ended: 0, taken: [] };

/** Ends within one tenth of a second are one entry, so that a list of 60 s has at most 601 of them, about 20 KB. */
const MILLIS_PER_ENTRY = 100;

/** A round is lost only if another process has written the list. Within a process, a list has one write at a time. */
const MAX_ROUNDS = 100;

interface KeptPlacesDependencies {
  readonly store: Pick<TtlStore, 'get' | 'compareAndSet'>;
  /** How long a place stays taken, at least 100 milliseconds. */
  readonly keptMillis: number;
  /** How long the list of a window is stored, in milliseconds. */
  readonly ttlMillisOf: (record: CountingRecord) => number;
}

/** The name of a list is the key of its window's tally. */
export function createKeptPlaces({ store, keptMillis, ttlMillisOf }: KeptPlacesDependencies) {
  const keyOf = (tallyKey: string) => `${tallyKey}:kept`;
  /** The last write of each list, pending or waiting. */
  const writes = new Map<string, Promise<void>>();
  /** The places that the next write of each list adds. */
  const batches = new Map<string, { places: number }>();

  async function write(
    tallyKey: string,
    record: CountingRecord,
    places: number,
    read: () => Promise<WindowReading>,
  ): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const [text, { elapsedMillis }] = await Promise.all([store.get(keyOf(tallyKey)), read()]);
      const end = elapsedMillis + keptMillis;
      const added = { untilMillis: end - (end % MILLIS_PER_ENTRY), places };
      const list = JSON.stringify(add(parse(text), added, elapsedMillis));
      if (await store.compareAndSet(keyOf(tallyKey), text, list, ttlMillisOf(record))) return;
    }
    throw new LoginPolicyUnavailableError({ cause: new Error('A list of places changes faster than it can be read') });
  }

  return {
    /**
     * Keeps one place. Places that come while a list is being written are written together: when a service behind the
     * verification fails, all attempts of an address reject at once.
     *
     * @param read the elapsed time of the window
     */
    keep(tallyKey: string, record: CountingRecord, read: () => Promise<WindowReading>): Promise<void> {
      const last = writes.get(tallyKey);
      const joined = batches.get(tallyKey);
      if (joined !== undefined && last !== undefined) {
        joined.places += 1;
        return last;
      }
      const batch = { places: 1 };
      batches.set(tallyKey, batch);
      async function writeAfter(before: Promise<void> | undefined): Promise<void> {
        await before?.catch(() => {});
        batches.delete(tallyKey);
        await write(tallyKey, record, batch.places, read);
      }
      const written = writeAfter(last).finally(() => {
        if (writes.get(tallyKey) === written) writes.delete(tallyKey);
      });
      writes.set(tallyKey, written);
      return written;
    },

    /** Null if no place of the window was kept. */
    async read(tallyKey: string): Promise<((elapsedMillis: number) => KeptPlaces) | null> {
      const text = await store.get(keyOf(tallyKey));
      return text === null ? null : (elapsedMillis) => at(parse(text), elapsedMillis);
    },
  };
}

/** @throws LoginPolicyUnavailableError for a list of an unknown kind, because no place is released by a guess. */
function parse(text: string | null): KeptRecord {
  if (text === null) return NONE;
  try {
    const record = JSON.parse(text) as KeptRecord;
    if (Number.isSafeInteger(record.ended) && Array.isArray(record.taken)) return record;
    throw new TypeError('A list of kept places has an unknown kind');
  } catch (cause) {
    throw new LoginPolicyUnavailableError({ cause });
  }
}

function add(record: KeptRecord, added: KeptRecord['taken'][number], elapsedMillis: number): KeptRecord {
  const taken = record.taken.filter(({ untilMillis }) => untilMillis > elapsedMillis);
  const same = taken.find(({ untilMillis }) => untilMillis === added.untilMillis);
  const others = taken.filter((each) => each !== same);
  return {
    ended: at(record, elapsedMillis).ended,
    taken: [...others, { ...added, places: added.places + (same?.places ?? 0) }],
  };
}

function at({ ended, taken }: KeptRecord, elapsedMillis: number): KeptPlaces {
  const live = taken.filter(({ untilMillis }) => untilMillis > elapsedMillis);
  const count = (entries: KeptRecord['taken']) => entries.reduce((sum, { places }) => sum + places, 0);
  return {
    ended: ended + count(taken) - count(live),
    taken: count(live),
    nextEndMillis: Math.min(...live.map(({ untilMillis }) => untilMillis)),
  };
}
