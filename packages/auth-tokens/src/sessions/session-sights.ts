import type { Principal } from './principal.js';
import type { OwnerEnd } from './session-ends.js';
import type { LiveSession, SessionRecord } from './session-state.js';

/** What was known of a session when it was found live. */
interface SessionSight {
  readonly issuedAt: number;
  /** The last end of all sessions that the record knew: the session is younger. */
  readonly allEndedAt: number;
}

/** Beside the principals, which applications send to clients. */
const sights = new WeakMap<Principal, SessionSight>();

export function noteSight(principal: Principal, { issuedAt }: LiveSession, { allEnded }: SessionRecord): void {
  sights.set(principal, { issuedAt, allEndedAt: allEnded?.at ?? 0 });
}

/**
 * Whether the end of all sessions of its owner has ended the session of a request: for the last look of a change in its
 * transaction, with the `all` that `ends.write` was given. No clocks are compared, unless the store lost its data. Of
 * an object that is not the principal itself but a copy, nothing is known, and the answer is true.
 */
export function isEndedByAll(principal: Principal, { at }: Pick<OwnerEnd, 'at'>): boolean {
  const sight = sights.get(principal);
  return sight === undefined || (at > sight.allEndedAt && at >= sight.issuedAt);
}
