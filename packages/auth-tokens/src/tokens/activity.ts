import type { LifetimeMillis, LiveSession, SessionRecord } from '../sessions/index.js';

// Activity is written once a minute, or ten times per idle lifetime if that is more often, so most checks only read.
const MAX_TOUCH_MILLIS = 60_000;
const TOUCHES_PER_IDLE = 10;

export function isTouchDue(session: LiveSession, lifetime: LifetimeMillis, now: number): boolean {
  return now - session.lastSeenAt >= Math.min(MAX_TOUCH_MILLIS, lifetime.idle / TOUCHES_PER_IDLE);
}

/**
 * Concurrent requests of a session share one write and its result, because all of them have just read a live session.
 */
export function createSharedWrites() {
  /** The pending writes of activity, by session id. */
  const touching = new Map<string, Promise<SessionRecord>>();

  return function touchOnce(
    sessionId: string,
    write: () => Promise<{ readonly after: SessionRecord }>,
  ): Promise<SessionRecord> {
    const pending = touching.get(sessionId);
    if (pending !== undefined) return pending;
    const touched = write()
      .then(({ after }) => after)
      .finally(() => touching.delete(sessionId));
    touching.set(sessionId, touched);
    return touched;
  };
}
