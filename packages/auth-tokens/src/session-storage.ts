import { type TtlStore, warnOfMemoryStore } from '@sallyport/ttl-store';
import type { StoreLoss } from '@sallyport/ttl-store/loss';
import type { FastifyInstance } from 'fastify';
import {
  createMarkedEntries,
  createSessionLists,
  createSessionRecords,
  createTexts,
  type EndStore,
  endsInStore,
  type SessionEnds,
  type SessionLists,
  type SessionRecords,
  type SessionTime,
  type StoredTexts,
} from './sessions/index.js';

interface SessionStorageOptions {
  readonly store: Pick<TtlStore, 'lifetime' | 'get' | 'getAll' | 'compareAndSet' | 'lists' | 'marks' | 'changeAll'>;
  readonly keyPrefix: string;
  readonly ends: SessionEnds | EndStore | null | undefined;
}

/** The storage of sessions and of their ends. */
export interface SessionStorage {
  readonly records: SessionRecords;
  /** Null: the store has none. */
  readonly lists: SessionLists | null;
  readonly ends: SessionEnds | undefined;
  readonly texts: StoredTexts;
}

/** The interval at which the mark of the store is read. The keeper of marks relies on it. */
const BEAT_MILLIS = 1000;

const LOSSES: Readonly<Record<StoreLoss, string>> = {
  absent: 'its mark is gone, as after a flush',
  run: 'it was started again, or a replica took over',
  older: 'its mark is older, as after a restore',
};

export function openSessionStorage(
  fastify: FastifyInstance,
  options: SessionStorageOptions,
  readTime: SessionTime,
): SessionStorage {
  const { store, keyPrefix, ends: given } = options;
  const lists = store.lists === undefined ? null : createSessionLists(store.lists, keyPrefix);
  const ends = given == null || 'write' in given ? (given ?? undefined) : endsInStore(given, keyPrefix);
  const trusted = { lists, ends, texts: createTexts(store, keyPrefix) };
  // A store in this process can't lose ends without losing the sessions.
  if (store.lifetime === 'process') {
    const losses = 'a restart ends every session, and another process knows none of them';
    warnOfMemoryStore({ subject: 'auth-tokens', store, losses }, fastify.log);
    return { records: createSessionRecords({ store, keyPrefix, lists }), ...trusted };
  }
  if (given === undefined) {
    fastify.log.warn(
      'auth-tokens has no option ends: if the session store loses data, as Redis does after a failover to a replica ' +
        'that lagged, a flush or a restore, sessions that were ended live again. Give ends: a durable store, or null',
    );
  }
  const findEnds = ends?.find;
  if (findEnds === undefined || store.marks === undefined) {
    return { records: createSessionRecords({ store, keyPrefix, lists }), ...trusted };
  }
  const entries = createMarkedEntries({
    marks: store.marks,
    keyPrefix,
    monotonic: () => performance.now(),
    onLoss: (loss) => {
      fastify.log.warn(
        { loss },
        `the session store may have lost ends of sessions: ${LOSSES[loss]}; they are looked up`,
      );
    },
  });
  beat(fastify, entries.keeper);
  if (ends?.findAll === undefined) {
    fastify.log.warn(
      'auth-tokens: ends has find and no findAll: if revokeAll ends sessions that the store has lost, and it is then ' +
        'restored, they live again. Give it findAll',
    );
  }
  const findAllEnded = ends?.findAll?.bind(ends) ?? (async () => null);
  const recovery = { entries, findEnds: findEnds.bind(ends), findAllEnded, readTime };
  return { ...trusted, records: createSessionRecords({ store, keyPrefix, lists, recovery }), texts: entries.texts };
}

/** A mark that is not read ages, and is then taken for a restored one. Requests read it themselves. */
function beat(fastify: FastifyInstance, keeper: { beat(): Promise<unknown> }): void {
  let timer: NodeJS.Timeout | undefined;
  let isBeating = false;
  async function look(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    // While the store does not answer, requests are refused as well.
    await keeper.beat().catch((error) => fastify.log.debug(error, 'the session store gave no answer'));
    isBeating = false;
  }
  fastify.addHook('onReady', function watchSessionStore(done) {
    void look();
    timer = setInterval(() => void look(), BEAT_MILLIS);
    timer.unref();
    done();
  });
  fastify.addHook('onClose', async function endWatch() {
    clearInterval(timer);
  });
}
