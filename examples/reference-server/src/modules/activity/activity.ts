import type { AuditRecord } from '@sallyport/audit-log';
import type { TtlStore } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ACTIVITY_KINDS, type ActivityKind, failedSignInOf, kindOfRefusal } from './events.js';
import { createSourceCounts, type SourceAccounts, type Sources } from './sources.js';
import { type ActivityWindow, createWaitingCounts, readAll, type Windows } from './waiting-counts.js';

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
      /** Counts the number of a failed sign-in of an app user, which its record masks. */
      noteFailedNumber(mobile: string): void;
      /** @throws {StoreUnavailableError} */
      readSources(window: ActivityWindow): Promise<Sources>;
    };
  }
}

const WINDOWS = {
  hour: { interval: 60_000, length: 60 },
  day: { interval: 3_600_000, length: 24 },
} as const satisfies Windows;

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
  const waiting = createWaitingCounts<number>({
    ...{ windows: WINDOWS, now },
    sumOf: (present = 0, counted) => present + counted,
    async write(key, counted, lifetime) {
      await store.increment(key, lifetime, counted);
      return true;
    },
  });

  const keyOf = (window: ActivityWindow, kind: ActivityKind, place: number) => `activity:${window}:${kind}:${place}`;

  return {
    note: (kind) => waiting.add(({ window, place }) => keyOf(window, kind, place), 1),
    flush: waiting.flush,
    async read(window) {
      await waiting.flush();
      const { interval, length } = WINDOWS[window];
      const places = waiting.placesOf(window);
      const keys = ACTIVITY_KINDS.flatMap((kind) => places.map((place) => keyOf(window, kind, place)));
      const found = await readAll(store, keys);
      const countsOf = (index: number) => found.slice(index * length, (index + 1) * length).map(Number);
      const kinds = Object.fromEntries(ACTIVITY_KINDS.map((kind, index) => [kind, countsOf(index)]));
      return { from: places[0]! * interval, interval, kinds: kinds as Record<ActivityKind, number[]> };
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
    noteFailedNumber: (mobile: string) => sources.note({ audience: 'app', username: mobile, clientIp: null }),
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
