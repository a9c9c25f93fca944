import type { Principal } from './principal.js';
import type { OwnerEnd } from './session-ends.js';
import type { LiveSession, SessionRecord } from './session-state.js';

/** The knowledge about a session when it was found live. */
interface SessionSight {
  readonly issuedAt: number;
  /** The last end of all sessions in the record. The session is younger than it. */
  readonly allEndedAt: number;
}

/** Kept outside the principals, because applications send principals to clients. */
const sights = new WeakMap<Principal, SessionSight>();

export function noteSight(principal: Principal, { issuedAt }: LiveSession, { allEnded }: SessionRecord): void {
  sights.set(principal, { issuedAt, allEndedAt: allEnded?.at ?? 0 });
}

/**
 * Whether an end of all sessions of the owner has ended the session of a request. It is for the last check of a change
 * in its transaction, with the `all` that was passed to `ends.write`. No clocks are compared, unless the store lost its
 * data. For a copy of the principal nothing is known, and the result is true.
 */
export function isEndedByAll(principal: Principal, { at }: Pick<OwnerEnd, 'at'>): boolean {
  const sight = sights.get(principal);
  return sight === undefined || (at > sight.allEndedAt && at >= sight.issuedAt);
}

/**
 * The principal with the proof that counts now, and with all that is known of its session. Members that the application
 * has added stay. The same object if its proof still counts.
 *
 * @param live the principal as a check has just described it
 */
export function withProofOf(principal: Principal, live: Principal): Principal {
  const { proof } = live;
  if (principal.proof?.method === proof?.method && principal.proof?.at === proof?.at) return principal;
  const { proof: _earlier, ...others } = principal;
  const present = Object.assign(Object.create(Object.getPrototypeOf(principal)), others, proof && { proof });
  const sight = sights.get(live);
  if (sight !== undefined) sights.set(present, sight);
  return present;
}
