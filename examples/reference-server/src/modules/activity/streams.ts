import { createHash } from 'node:crypto';
import type { ShownLock } from '../login-policy/index.js';
import type { ActivityCounts } from './activity.js';
import { StreamsExceededError } from './errors.js';
import { EventStream } from './event-stream.js';
import type { SessionCounts } from './session-counts.js';
import type { Sources } from './sources.js';
import type { ActivityWindow } from './waiting-counts.js';

/** The present counts and sources, as a stream shows them. */
export interface LiveActivity extends ActivityCounts {
  readonly sessions: SessionCounts | null;
  /** Null without the permission to see them. */
  readonly sources: Sources | null;
  /** The first locks in force. Null without the permission to see them. */
  readonly locks: ShownLocks | null;
}

export interface ShownLocks {
  readonly data: readonly ShownLock[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** The parts that a reader may see, next to the counts. */
export interface Sight {
  readonly maySeeSources: boolean;
  readonly maySeeLocks: boolean;
}

export interface StreamReader {
  /** The owner of the stream. */
  readonly principal: string;
  readonly window: ActivityWindow;
  /** The id of the last event that the reader has, or null. */
  readonly lastEventId: string | null;
  readonly seal: (data: string) => string;
  /** Resolves to the parts that it may see. Rejects with the refusal if it may not go on. */
  check(): Promise<Sight>;
}

export interface ActivityStreams {
  /**
   * A stream that ends when its reader goes.
   *
   * @throws {StreamsExceededError}
   * @throws {StoreUnavailableError}
   */
  open(reader: StreamReader): Promise<EventStream>;
  /** Ends all streams, and opens no more. */
  close(): void;
}

export interface ActivityStreamsOptions {
  read(window: ActivityWindow): Promise<ActivityCounts>;
  readSources(window: ActivityWindow): Promise<Sources>;
  readLocks(): Promise<ShownLocks>;
  /** Null if they can't be counted. */
  readSessions(): Promise<SessionCounts | null>;
  readonly onFailure: (error: unknown) => void;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
  readonly maxOfPrincipal?: number;
  readonly maxStreams?: number;
}

/** One look for all readers of this process. */
const LOOK_MILLIS = 1000;

const LOCKS_MILLIS = 2000;

/** How often each reader's permissions are looked at again. */
const CHECK_MILLIS = 5000;

/** A reader hears something at least so often. */
const BEAT_MILLIS = 15_000;

const BEAT = { id: null, data: '{"kind":"beat"}' };

/** A text that is no older than this needs no look before it is sent to a new reader. */
const FRESH_MILLIS = 2000;

interface Open {
  readonly reader: StreamReader;
  readonly stream: EventStream;
  sight: Sight;
  /** The id of the last event that was offered. */
  offered: string | null;
  offeredAt: number;
}

interface Shown {
  readonly at: number;
  /** Made once for each sight. */
  eventFor(sight: Sight): ShownEvent;
}

interface ShownEvent {
  readonly id: string;
  readonly data: string;
}

const REFUSED_STATUSES = new Set([401, 403]);

/**
 * Streams of what happens, for the operators of one process. Each event has everything, so its id names the state that
 * it shows: a reader that comes again, to any node, gets the present state, or hears that nothing has changed.
 */
export function createActivityStreams(options: ActivityStreamsOptions): ActivityStreams {
  const { now = () => performance.now(), maxOfPrincipal = 4, maxStreams = 200, onFailure } = options;
  const open = new Set<Open>();
  const shown = new Map<ActivityWindow, Shown>();
  const looking = new Map<ActivityWindow, Promise<Shown>>();
  let locks: { readonly at: number; readonly read: Promise<ShownLocks> } | null = null;
  let timer: NodeJS.Timeout | null = null;
  let checkedAt = 0;
  let isChecking = false;
  let isClosed = false;
  /** Places that are taken before their streams are open. */
  const admitted: string[] = [];

  /** Read less often than the counts: each lock costs a look at its counters. */
  function presentLocks(): Promise<ShownLocks> {
    if (locks !== null && now() - locks.at < LOCKS_MILLIS) return locks.read;
    const read = options.readLocks();
    const reading = { at: now(), read };
    locks = reading;
    read.catch(() => {
      if (locks === reading) locks = null;
    });
    return read;
  }

  async function readShown(window: ActivityWindow): Promise<Shown> {
    const [counts, sources, sessions, locks] = await Promise.all([
      options.read(window),
      options.readSources(window),
      options.readSessions(),
      presentLocks(),
    ]);
    const events = new Map<string, ShownEvent>();
    const next = {
      at: now(),
      eventFor({ maySeeSources, maySeeLocks }: Sight) {
        const key = `${maySeeSources} ${maySeeLocks}`;
        const live: LiveActivity = {
          ...{ ...counts, sessions },
          ...{ sources: maySeeSources ? sources : null, locks: maySeeLocks ? locks : null },
        };
        const event = events.get(key) ?? eventOf(JSON.stringify({ kind: 'activity', activity: live }));
        events.set(key, event);
        return event;
      },
    };
    shown.set(window, next);
    return next;
  }

  function look(window: ActivityWindow): Promise<Shown> {
    const present = looking.get(window);
    if (present !== undefined) return present;
    const started = readShown(window).finally(() => looking.delete(window));
    looking.set(window, started);
    return started;
  }

  function offer(each: Open, present: Shown): void {
    const event = present.eventFor(each.sight);
    if (event.id === each.offered) return;
    each.offered = event.id;
    each.offeredAt = now();
    each.stream.offer(event);
  }

  async function lookForAll(): Promise<void> {
    const windows = new Set([...open].map(({ reader }) => reader.window));
    await Promise.all(
      [...windows].map(async (window) => {
        const next = await look(window);
        for (const each of open) if (each.reader.window === window) offer(each, next);
      }),
    );
  }

  /** Readers one after the other. A store that is away ends them elsewhere. */
  async function checkAll(): Promise<void> {
    for (const each of [...open]) {
      if (!open.has(each)) continue;
      try {
        each.sight = await each.reader.check();
      } catch (error) {
        const { statusCode = 500 } = error as { readonly statusCode?: number };
        if (REFUSED_STATUSES.has(statusCode)) each.stream.destroy(error as Error);
      }
    }
  }

  function beat(): void {
    lookForAll().catch(onFailure);
    for (const each of open) {
      if (each.stream.isStalled) each.stream.destroy(new Error('the reader of a stream takes nothing'));
      else if (!each.stream.isBehind && now() - each.offeredAt >= BEAT_MILLIS) {
        each.offeredAt = now();
        each.stream.offer(BEAT);
      }
    }
    if (isChecking || now() - checkedAt < CHECK_MILLIS) return;
    isChecking = true;
    checkedAt = now();
    checkAll()
      .catch(onFailure)
      .finally(() => {
        isChecking = false;
      });
  }

  function forget(each: Open): void {
    open.delete(each);
    if (open.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
    shown.clear();
  }

  function admit(principal: string): () => void {
    const taken = [...[...open].map(({ reader }) => reader.principal), ...admitted];
    const own = taken.filter((each) => each === principal).length;
    if (isClosed || own >= maxOfPrincipal || taken.length >= maxStreams) throw new StreamsExceededError();
    admitted.push(principal);
    return () => void admitted.splice(admitted.indexOf(principal), 1);
  }

  return {
    async open(reader) {
      const release = admit(reader.principal);
      try {
        const sight = await reader.check();
        const known = shown.get(reader.window);
        const present = known !== undefined && now() - known.at < FRESH_MILLIS ? known : await look(reader.window);
        const stream = new EventStream({ seal: reader.seal, now });
        // A listener of the answer sees its end. Without a listener here, it would end the process.
        stream.on('error', () => {});
        const each: Open = { reader, stream, sight, offered: reader.lastEventId, offeredAt: now() };
        stream.once('close', () => forget(each));
        open.add(each);
        timer ??= setInterval(beat, LOOK_MILLIS).unref();
        offer(each, present);
        if (!stream.isBehind) stream.offer({ id: null, data: '{"kind":"unchanged"}' });
        if (isClosed) stream.finish();
        return stream;
      } finally {
        release();
      }
    },
    close() {
      isClosed = true;
      for (const { stream } of open) stream.finish();
    },
  };
}

function eventOf(data: string): { readonly id: string; readonly data: string } {
  return { id: createHash('sha256').update(data).digest('base64url').slice(0, 22), data };
}
