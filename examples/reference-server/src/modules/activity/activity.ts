import type { AuditRecord } from '@sallyport/audit-log';
import type { TtlStore } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ACTIVITY_KINDS, type ActivityKind, failedSignInOf, kindOfRefusal } from './events.js';
import { type ActivityWindow, createSourceCounts, type SourceAccounts, type Sources } from './sources.js';

export interface ActivityCounts {
  /** The start of the first interval, in milliseconds since 1970. */
  readonly from: number;
  /** The length of an interval, in milliseconds. */
  readonly interval: number;
  /** The counts of all nodes, oldest first. The last interval is the present one. */
  readonly kinds: Record<ActivityKind, number[]>;
}

export interface Activity {
  /** Counts an event. It costs two additions in memory, since a flood causes it for every request. */
  note(kind: ActivityKind): void;
  /** @throws {StoreUnavailableError} */
  read(window: ActivityWindow): Promise<ActivityCounts>;
  /** Adds to the store what was counted since. After a failure the counts are kept for the next call. */
  flush(): Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts what happens to the service, for its operators. */
    readonly activity: Activity & {
      /** Counts the refusal of a request, by the code that the client receives. */
      noteRefusal(request: FastifyRequest, code: string): void;
      /** Counts an event of the audit log, and where it came from. */
      noteRecord(kind: ActivityKind, record: AuditRecord): void;
      /** @throws {StoreUnavailableError} */
      readSources(window: ActivityWindow): Promise<Sources>;
    };
  }
}

/** The number of intervals and their length. A counter lives for one interval more. */
const WINDOWS = {
  hour: { interval: 60_000, length: 60 },
  day: { interval: 3_600_000, length: 24 },
} as const satisfies Record<ActivityWindow, { readonly interval: number; readonly length: number }>;

const windows = Object.keys(WINDOWS) as ActivityWindow[];

/** A count of one kind and interval that the store has not taken yet. */
interface WaitingCount {
  readonly window: ActivityWindow;
  /** The number of the interval since 1970. */
  readonly place: number;
  readonly count: number;
}

export interface ActivityOptions {
  /** Shared by all nodes. A restart of a store in memory begins at zero. */
  readonly store: Pick<TtlStore, 'increment' | 'get' | 'getAll'>;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Counts events by minute and by hour. The store has at most one counter for each kind and interval, and this process
 * as many that wait for the store.
 */
export function createActivity({ store, now = Date.now }: ActivityOptions): Activity {
  let waiting = new Map<string, WaitingCount>();
  let flushing: Promise<void> = Promise.resolve();

  const keyOf = (window: ActivityWindow, kind: ActivityKind, place: number) => `activity:${window}:${kind}:${place}`;
  const placeOf = (window: ActivityWindow) => Math.floor(now() / WINDOWS[window].interval);

  function add(key: string, { window, place, count }: WaitingCount): void {
    waiting.set(key, { window, place, count: (waiting.get(key)?.count ?? 0) + count });
  }

  /** Counters of a long outage are dropped once no window shows them. */
  const isShown = ({ window, place }: WaitingCount) => place > placeOf(window) - WINDOWS[window].length;

  async function write(): Promise<void> {
    const taken = waiting;
    waiting = new Map();
    const written = await Promise.allSettled(
      [...taken].map(async ([key, counted]) => {
        const { interval, length } = WINDOWS[counted.window];
        try {
          await store.increment(key, interval * (length + 1), counted.count);
        } catch (error) {
          if (isShown(counted)) add(key, counted);
          throw error;
        }
      }),
    );
    const failed = written.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Only one call writes at a time. One that waits writes what was counted meanwhile. */
  function flush(): Promise<void> {
    flushing = flushing.then(write, write);
    return flushing;
  }

  return {
    note(kind) {
      for (const window of windows) {
        const place = placeOf(window);
        add(keyOf(window, kind, place), { window, place, count: 1 });
      }
    },
    flush,
    async read(window) {
      await flush();
      const { interval, length } = WINDOWS[window];
      const first = placeOf(window) - length + 1;
      const keys = ACTIVITY_KINDS.flatMap((kind) => Array.from({ length }, (_, i) => keyOf(window, kind, first + i)));
      const found = await (store.getAll?.(keys) ?? Promise.all(keys.map((key) => store.get(key))));
      const countsOf = (index: number) => found.slice(index * length, (index + 1) * length).map(Number);
      const kinds = Object.fromEntries(ACTIVITY_KINDS.map((kind, index) => [kind, countsOf(index)]));
      return { from: first * interval, interval, kinds: kinds as Record<ActivityKind, number[]> };
    },
  };
}

const FLUSH_MILLIS = 1000;

export interface ActivityPluginOptions {
  readonly store: ActivityOptions['store'] & Pick<TtlStore, 'compareAndSet'>;
  readonly accounts: SourceAccounts;
}

/** Counts from the first request on, and adds the counts to the store once a second. */
async function activityPlugin(app: FastifyInstance, options: ActivityPluginOptions): Promise<void> {
  const activity = createActivity(options);
  const sources = createSourceCounts(options);
  app.decorate('activity', {
    ...activity,
    noteRefusal(request: FastifyRequest, code: string) {
      const kind = kindOfRefusal(code, request.envelope !== null);
      if (kind !== null) activity.note(kind);
    },
    noteRecord(kind: ActivityKind, record: AuditRecord) {
      activity.note(kind);
      if (kind === 'sign-in.failure') sources.note(failedSignInOf(record));
    },
    readSources: sources.read,
  });
  // The next call writes what this one could not. The store's own check reports an outage.
  const flush = () => Promise.all([activity.flush(), sources.flush()]);
  const timer = setInterval(() => flush().catch(() => {}), FLUSH_MILLIS);
  timer.unref();
  app.addHook('onClose', async function flushActivity() {
    clearInterval(timer);
    await flush().catch((err: unknown) => app.log.warn({ err }, 'the last counts of events were not stored'));
  });
}

export const activityRegistry = fp(activityPlugin, { fastify: '5.x', name: 'activity' });
