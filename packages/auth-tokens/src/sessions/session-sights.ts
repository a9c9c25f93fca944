import type { Principal } from './principal.js';
import type { OwnerEnd } from './session-ends.js';
import type { LiveSession, SessionRecord } from './session-state.js';

/** The knowledge about a session when it was found live. */
interface SessionSight {
  readonly issuedAt: number;
  /** The last end of all sessions in the record. The session is younger than it. */
  readonly allEndedAt: number;
}

class Given {
  constructor(principal: Principal) {
    // biome-ignore lint/correctness/noConstructorReturn: a derived class adds its private fields to what is returned
    return principal;
  }
}

/**
 * Adds a private field to a principal. Nobody else sees it, also where applications copy principals or send them to
 * clients. It takes a twentieth of the time of a WeakMap, on each request.
 */
class Sighted extends Given {
  #sight: SessionSight;

  constructor(principal: Principal, sight: SessionSight) {
    super(principal);
    this.#sight = sight;
  }

  static note(principal: Principal, sight: SessionSight): void {
    if (#sight in principal) principal.#sight = sight;
    else new Sighted(principal, sight);
  }

  static sightOf(principal: Principal): SessionSight | undefined {
    return Object(principal) === principal && #sight in principal ? principal.#sight : undefined;
  }
}

export function noteSight(principal: Principal, { issuedAt }: LiveSession, { allEnded }: SessionRecord): void {
  Sighted.note(principal, { issuedAt, allEndedAt: allEnded?.at ?? 0 });
}

/**
 * Whether an end of all sessions of the owner has ended the session of a request. It is for the last check of a change
 * in its transaction, with the `all` that was passed to `ends.write`. No clocks are compared, unless the store lost its
 * data. For a copy of the principal nothing is known, and the result is true.
 */
export function isEndedByAll(principal: Principal, { at }: Pick<OwnerEnd, 'at'>): boolean {
  const sight = Sighted.sightOf(principal);
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
  const sight = Sighted.sightOf(live);
  if (sight !== undefined) Sighted.note(present, sight);
  return present;
}
