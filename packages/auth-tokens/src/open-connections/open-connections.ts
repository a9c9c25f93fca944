import { SessionConnectionsExceededError, SessionStoreUnavailableError, sessionEndedError } from '../errors.js';
import {
  type Changed,
  type LifetimeMillis,
  type LifetimeReader,
  parseSessionId,
  type RecordSnapshot,
  type SessionRecord,
  type SessionRecords,
  type SessionTime,
  type SubjectKey,
  stateOf,
} from '../sessions/index.js';

/** A connection of a session that stays open after its check: a stream, an upload, a WebSocket. */
export interface OpenConnection {
  /** Called at most once, with the refusal of the session. */
  close(error: Error): unknown;
  /** The store is unavailable. Nothing new may be sent until `resume`. */
  pause(): void;
  resume(): void;
}

/** The open connections of all sessions on this node. */
export interface OpenConnections {
  /**
   * Returns a function that removes the connection. Calling it again has no effect.
   *
   * @throws SessionConnectionsExceededError if the session has its maximum
   */
  add(sessionId: string, connection: OpenConnection): () => void;
  /** Closes the connections of the sessions that this change has ended. */
  see(owner: SubjectKey, changed: Changed): void;
}

export interface OpenConnectionsDependencies {
  readonly records: Pick<SessionRecords, 'readAll'>;
  readonly readLifetime: LifetimeReader;
  readonly readTime: SessionTime;
  readonly knowsKey: (keyId: string) => boolean;
  /** Connections of one session. */
  readonly maxConnections: number;
  /** Called with the errors that `close`, `pause` or `resume` of a connection throws. */
  readonly onFailure: (error: unknown) => void;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic?: () => number;
}

/**
 * The sessions are read once per beat, so that connections of ended sessions close within 2 s, including the time of
 * the store.
 */
const BEAT_MILLIS = 1000;

/** The times without a successful check after which nothing new is sent, and after which everything is closed. */
const PAUSE_MILLIS = 2000;
const CLOSE_MILLIS = 10_000;

/**
 * A timer may be early by a fraction of a millisecond. Without this tolerance, the limits would be reached one beat
 * later.
 */
const TIMER_SLACK_MILLIS = 100;

/** The number of records of one call of the store, which bounds its answer. At most MAX_KEYS_AT_ONCE of ttl-store. */
const BATCH = 1000;

/** Used for a record that was just written, which has no expired session that is still live. */
const NO_LIFETIME: LifetimeMillis = { idle: Number.POSITIVE_INFINITY, absolute: Number.POSITIVE_INFINITY };

/**
 * The records, which report the result of each change, so that connections of sessions that this node ends close at
 * once.
 */
export function tellChanges(records: SessionRecords, see: OpenConnections['see']): SessionRecords {
  return {
    ...records,
    async change(owner, ...given) {
      const changed = await records.change(owner, ...given);
      if (changed.after !== changed.before) see(owner, changed);
      return changed;
    },
  };
}

interface OpenSubject {
  readonly owner: SubjectKey;
  /** Its connections by the `jti` of their session. */
  readonly sessions: Map<string, Set<OpenConnection>>;
  /** The record as it was read last. An unchanged text is not parsed again. */
  snapshot: RecordSnapshot | undefined;
}

/**
 * Checks the sessions of open connections again. For 2 s no second channel, such as a notification, is needed, and it
 * could lose messages. The check writes nothing, so it prolongs no session.
 */
export function createOpenConnections(dependencies: OpenConnectionsDependencies): OpenConnections {
  const { records, readLifetime, readTime, knowsKey, maxConnections, onFailure } = dependencies;
  const { monotonic = () => performance.now() } = dependencies;
  const subjects = new Map<string, OpenSubject>();
  let timer: NodeJS.Timeout | null = null;
  let isPaused = false;
  /** The start of the last successful check. All open connections were checked then, or opened later. */
  let seenAt = 0;
  /** The running check. */
  let looking: object | null = null;

  const nameOf = ({ audience, subject }: SubjectKey) => `${audience}:${subject}`;

  /** A failure of one connection must not affect the others. */
  function call(work: () => unknown): void {
    (async () => work())().catch(onFailure);
  }

  function callAll(work: (connection: OpenConnection) => unknown): void {
    for (const { sessions } of subjects.values()) {
      for (const connections of sessions.values()) {
        for (const connection of connections) call(() => work(connection));
      }
    }
  }

  function begin(): void {
    isPaused = false;
    seenAt = monotonic();
    timer = setInterval(beat, BEAT_MILLIS).unref();
  }

  function forget(name: string, jti: string): void {
    const subject = subjects.get(name);
    subject?.sessions.delete(jti);
    if (subject?.sessions.size === 0) subjects.delete(name);
    if (subjects.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
    looking = null;
  }

  function close(name: string, jti: string, error: Error): void {
    const connections = subjects.get(name)?.sessions.get(jti) ?? [];
    // The connection is removed first, so that code in `close` finds it removed.
    forget(name, jti);
    for (const connection of connections) call(() => connection.close(error));
  }

  function closeAll(error: Error): void {
    for (const [name, { sessions }] of subjects) for (const jti of [...sessions.keys()]) close(name, jti, error);
  }

  function pauseAll(): void {
    if (isPaused) return;
    isPaused = true;
    callAll((connection) => connection.pause());
  }

  function resumeAll(): void {
    if (!isPaused) return;
    isPaused = false;
    callAll((connection) => connection.resume());
  }

  /** Closes the connections of those of these sessions that are not live in the record. */
  function judge(
    name: string,
    jtis: readonly string[],
    record: SessionRecord,
    lifetime: LifetimeMillis,
    moment: number,
  ): void {
    for (const jti of jtis) {
      if (subjects.get(name)?.sessions.has(jti) !== true) continue;
      // Each session was live when its connection was opened. The last end of all sessions is therefore the cause if no
      // other one is known.
      const found = stateOf(record, jti, 0, lifetime, moment);
      if (found.state === 'live' && knowsKey(found.session.keyId)) continue;
      close(name, jti, sessionEndedError(found.state === 'ended' ? found.reason : 'SESSION_EXPIRED'));
    }
  }

  async function look(isMine: () => boolean): Promise<void> {
    // Sessions that begin while the records are being read are not in them.
    const listed = [...subjects].map(([name, subject]) => ({ name, subject, jtis: [...subject.sessions.keys()] }));
    const lifetimes = new Map<string, LifetimeMillis>();
    for (const { audience } of listed.map(({ subject }) => subject.owner)) {
      // Called once per audience, because it may read a database.
      if (!lifetimes.has(audience)) lifetimes.set(audience, await readLifetime(audience));
    }
    while (listed.length > 0 && isMine()) {
      const batch = listed.splice(0, BATCH);
      const snapshots = await records.readAll(
        batch.map(({ subject }) => subject.owner),
        batch.map(({ subject }) => subject.snapshot),
      );
      const moment = await readTime();
      if (!isMine()) return;
      for (const [place, { name, subject, jtis }] of batch.entries()) {
        const snapshot = snapshots[place] ?? null;
        const lifetime = lifetimes.get(subject.owner.audience) as LifetimeMillis;
        if (snapshot !== null) {
          subject.snapshot = snapshot;
          judge(name, jtis, snapshot.record, lifetime, moment);
          continue;
        }
        const cause = new Error('The session record is unreadable');
        for (const jti of jtis) close(name, jti, new SessionStoreUnavailableError({ cause }));
      }
    }
  }

  function beat(): void {
    const began = monotonic();
    const isOlderThan = (millis: number) => monotonic() - seenAt + TIMER_SLACK_MILLIS >= millis;
    if (isOlderThan(PAUSE_MILLIS)) pauseAll();
    if (looking !== null) {
      // For a store that never answers.
      if (isOlderThan(CLOSE_MILLIS)) closeAll(new SessionStoreUnavailableError());
      return;
    }
    const mine = {};
    looking = mine;
    const isMine = () => looking === mine;
    look(isMine).then(
      () => {
        if (!isMine()) return;
        looking = null;
        seenAt = began;
        resumeAll();
      },
      (cause: unknown) => {
        if (!isMine()) return;
        looking = null;
        // Only after a failed check: after a suspension of the process, the store may be available.
        if (isOlderThan(CLOSE_MILLIS)) closeAll(new SessionStoreUnavailableError({ cause }));
      },
    );
  }

  return {
    add(sessionId, connection) {
      const session = parseSessionId(sessionId);
      if (session === null) throw new TypeError('sessionId must be the id of a session');
      const { jti, audience, subject } = session;
      const name = nameOf(session);
      const open = subjects.get(name)?.sessions.get(jti);
      if (open !== undefined && open.size >= maxConnections) throw new SessionConnectionsExceededError();
      if (timer === null) begin();
      const entry = subjects.get(name) ?? { owner: { audience, subject }, sessions: new Map(), snapshot: undefined };
      subjects.set(name, entry);
      const connections = open ?? new Set();
      entry.sessions.set(jti, connections.add(connection));
      if (isPaused) call(() => connection.pause());
      return function takeBack() {
        connections.delete(connection);
        // The session may have been closed, and opened again.
        if (connections.size === 0 && subjects.get(name)?.sessions.get(jti) === connections) forget(name, jti);
      };
    },

    see(owner, { before, after }) {
      const name = nameOf(owner);
      if (!subjects.has(name)) return;
      const ended = before.live.filter(({ id }) => after.live.every((live) => live.id !== id));
      judge(
        name,
        ended.map(({ id }) => id),
        after,
        NO_LIFETIME,
        0,
      );
    },
  };
}
