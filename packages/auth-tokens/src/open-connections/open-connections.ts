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

/** Something of a session that stays open after its check: a stream, an upload, a WebSocket. */
export interface OpenConnection {
  /** Called at most once, with the refusal of the session. */
  close(error: Error): unknown;
  /** The store is away: nothing new may be sent until `resume`. */
  pause(): void;
  resume(): void;
}

/** What is open of all sessions on this node. */
export interface OpenConnections {
  /**
   * Returns a function that takes the connection back. Calling it again does nothing.
   *
   * @throws SessionConnectionsExceededError if the session has its maximum
   */
  add(sessionId: string, connection: OpenConnection): () => void;
  /** Closes what is open of the sessions that this change has ended. */
  see(owner: SubjectKey, changed: Changed): void;
}

export interface OpenConnectionsDependencies {
  readonly records: Pick<SessionRecords, 'readAll'>;
  readonly readLifetime: LifetimeReader;
  readonly readTime: SessionTime;
  readonly knowsKey: (keyId: string) => boolean;
  /** Connections of one session. */
  readonly maxConnections: number;
  /** Told what `close`, `pause` or `resume` of a connection throws. */
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number;
}

/** The sessions are looked at once per beat: what ended is closed within 2 s, the time of the store included. */
const BEAT_MILLIS = 1000;

/** Without a good look for so long nothing new is sent, and then everything is closed. */
const PAUSE_MILLIS = 2000;
const CLOSE_MILLIS = 10_000;

/** A timer may be early by a fraction of a millisecond: without it, the limits would be one beat later. */
const TIMER_SLACK_MILLIS = 100;

/** Records of one call of the store, which bounds its answer; at most MAX_KEYS_AT_ONCE of ttl-store. */
const BATCH = 1000;

/** For a record that was just written, which has no expired session that is still live. */
const NO_LIFETIME: LifetimeMillis = { idle: Number.POSITIVE_INFINITY, absolute: Number.POSITIVE_INFINITY };

/** The records, which tell what each change leaves: what this node ends is closed at once. */
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
  /** As it was read last: an unchanged text is not parsed again. */
  snapshot: RecordSnapshot | undefined;
}

/**
 * Looks again at the sessions of what is open. A second way of news, such as a notification, is not needed for 2 s, and
 * could be lost. Looking writes nothing, so it prolongs no session.
 */
export function createOpenConnections(dependencies: OpenConnectionsDependencies): OpenConnections {
  const { records, readLifetime, readTime, knowsKey, maxConnections, onFailure } = dependencies;
  const { monotonic = () => performance.now() } = dependencies;
  const subjects = new Map<string, OpenSubject>();
  let timer: NodeJS.Timeout | null = null;
  let isPaused = false;
  /** The begin of the last look that succeeded. What is open was checked then, or opened later. */
  let seenAt = 0;
  /** The look under way. */
  let looking: object | null = null;

  const nameOf = ({ audience, subject }: SubjectKey) => `${audience}:${subject}`;

  /** A failure of one connection is not one of the others. */
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
    // First, so that what a connection does in `close` finds it gone.
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

  /** Closes what is open of those of these sessions that are not live in the record. */
  function judge(
    name: string,
    jtis: readonly string[],
    record: SessionRecord,
    lifetime: LifetimeMillis,
    moment: number,
  ): void {
    for (const jti of jtis) {
      if (subjects.get(name)?.sessions.has(jti) !== true) continue;
      // Each was live when it was opened. So the last end of all sessions is the cause if no other one is known.
      const found = stateOf(record, jti, 0, lifetime, moment);
      if (found.state === 'live' && knowsKey(found.session.keyId)) continue;
      close(name, jti, sessionEndedError(found.state === 'ended' ? found.reason : 'SESSION_EXPIRED'));
    }
  }

  async function look(isMine: () => boolean): Promise<void> {
    // A session that begins while the records are on their way is not in them.
    const listed = [...subjects].map(([name, subject]) => ({ name, subject, jtis: [...subject.sessions.keys()] }));
    const lifetimes = new Map<string, LifetimeMillis>();
    for (const { audience } of listed.map(({ subject }) => subject.owner)) {
      // Asked once per audience: it may read a database.
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
      // A store that never answers.
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
        // Not before a look failed: after a process was suspended, the store is there.
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
        // The session may have been closed, and opened anew.
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
