import { END_REASONS, type EndReason, SessionRevokedError, sessionEndedError, TokenInvalidError } from '../errors.js';
import type { Changed, Principal, Session, SessionRecords, SubjectKey } from '../sessions/index.js';
import {
  type AudienceLifetime,
  createJti,
  describeClient,
  expire,
  formatSessionId,
  hasExpired,
  isSubject,
  issue,
  type LifetimeMillis,
  type LiveSession,
  MAX_SUBJECT_BYTES,
  parseSessionId,
  readLifetime,
  revoke,
  revokeAll,
  type SessionClient,
  type SessionName,
  type SessionRecord,
  stateOf,
  touch,
} from '../sessions/index.js';
import type { JwtCodec } from './jwt-codec.js';
import { createTokenVerifier } from './verify-token.js';

export interface IssueInput extends SubjectKey, SessionClient {
  /**
   * Called when the session is recorded and before its token exists; false ends the session again, and `issue` rejects
   * with SESSION_REVOKED. Read the account once more here: a password change or a disabling that came after the check
   * of the credentials is then never overtaken by this sign-in.
   */
  readonly confirm?: () => boolean | Promise<boolean>;
}

export interface IssuedToken {
  readonly token: string;
  readonly tokenType: 'Bearer';
  /** The end of the absolute lifetime, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly sessionId: string;
}

/** The engine: access tokens and the sessions behind them. Knows no HTTP. */
export interface AccessTokens {
  /** Opens a session and signs its token. */
  issue(input: IssueInput): Promise<IssuedToken>;
  /**
   * Who the token speaks for, if its session lives at this moment; otherwise rejects with the reason. Counts as activity.
   *
   * @param onVerified called when the token itself is right and nothing has been read yet
   */
  check(token: string, onVerified?: () => void): Promise<Principal>;
  /** Ends one session, for every node at once. Resolves to false where it wasn't live. Default reason SESSION_REVOKED. */
  revoke(sessionId: string, reason?: EndReason): Promise<boolean>;
  /** Ends all sessions of a subject in an audience, in one atomic step. Resolves to how many there were. Default reason SESSION_REVOKED. */
  revokeAll(owner: SubjectKey, reason?: EndReason): Promise<number>;
  /** The live sessions of a subject in an audience, the last seen first. */
  sessions(owner: SubjectKey): Promise<readonly Session[]>;
  /** Whether the session lives at this moment, and its token's key is still in use. Counts as no activity. */
  isLive(sessionId: string): Promise<boolean>;
}

interface AccessTokensOptions {
  readonly records: SessionRecords;
  readonly jwt: JwtCodec;
  readonly issuer: string;
  readonly audiences: Readonly<Record<string, AudienceLifetime>>;
  readonly maxSessionsPerSubject: number;
  readonly now: () => number;
}

// A session's activity is written at most once a minute, or ten times in a short idle lifetime: most checks only read.
const MAX_TOUCH_MILLIS = 60_000;
const TOUCHES_PER_IDLE = 10;

export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { records, jwt, issuer, audiences, maxSessionsPerSubject, now } = options;

  const verifyToken = createTokenVerifier(jwt);

  function lifetimeOf(audience: string): LifetimeMillis | Promise<LifetimeMillis> {
    return readLifetime(audiences[audience] as AudienceLifetime);
  }

  function checkedOwner({ audience, subject }: SubjectKey): SubjectKey {
    if (!Object.hasOwn(audiences, audience)) {
      throw new TypeError(`audience must be one of ${Object.keys(audiences).join(', ')}`);
    }
    if (!isSubject(subject)) throw new TypeError(`subject must be a text of 1 to ${MAX_SUBJECT_BYTES} bytes`);
    return { audience, subject };
  }

  /** A session id that names one of our audiences. */
  function ownSession(sessionId: string): SessionName | null {
    const name = parseSessionId(sessionId);
    return name !== null && Object.hasOwn(audiences, name.audience) ? name : null;
  }

  /** TOK-2: the token first, then what the server knows of its session. One read of the store, as a rule. */
  async function check(token: string, onVerified?: () => void): Promise<Principal> {
    const { claims, owner, sessionId } = verifyToken(token, now());
    if (!Object.hasOwn(audiences, claims.aud)) throw new TokenInvalidError({ cause: new Error('Not our audience') });
    const lifetimeRead = lifetimeOf(owner.audience);
    // At hand as a rule, and then nothing to wait for.
    const lifetime = lifetimeRead instanceof Promise ? await lifetimeRead : lifetimeRead;
    const moment = now();
    const stateIn = (record: SessionRecord) => stateOf(record, claims.jti, claims.iat * 1000, lifetime, moment);

    onVerified?.();
    const seen = await records.read(owner);
    let found = stateIn(seen.record);
    if (found.state === 'expired') {
      await records.change(owner, (record) => expire(record, lifetime, moment), seen);
    } else if (found.state === 'live' && isTouchDue(found.session, lifetime, moment)) {
      // Another request may have ended the session since the read: what stands in the store after the write decides.
      found = stateIn(
        await touchOnce(sessionId, () => records.change(owner, (it) => touch(it, claims.jti, moment), seen)),
      );
    }
    if (found.state !== 'live') throw sessionEndedError(found.state === 'ended' ? found.reason : 'SESSION_EXPIRED');

    const { terminal } = found.session;
    const { audience, subject } = owner;
    // Member by member: V8 makes a new shape for each object that grows out of a copy, and looks all of its members up anew.
    return terminal === undefined ? { audience, subject, sessionId } : { audience, subject, sessionId, terminal };
  }

  /** By session id, the writes of activity that are on their way. */
  const touching = new Map<string, Promise<SessionRecord>>();

  /** Of requests that come together one writes. What it finds is true for each: all of them have just seen it live. */
  function touchOnce(sessionId: string, write: () => Promise<Changed>): Promise<SessionRecord> {
    const underWay = touching.get(sessionId);
    if (underWay !== undefined) return underWay;
    const touched = write()
      .then(({ after }) => after)
      .finally(() => touching.delete(sessionId));
    touching.set(sessionId, touched);
    return touched;
  }

  async function revokeOne(sessionId: string, reason: EndReason = 'SESSION_REVOKED'): Promise<boolean> {
    assertReason(reason);
    const name = ownSession(sessionId);
    if (name === null) return false;
    const { before, after } = await records.change(name, (record) => revoke(record, name.jti, reason, now()));
    return after !== before;
  }

  return {
    check,
    revoke: revokeOne,

    async issue({ audience, subject, confirm, ...client }) {
      const owner = checkedOwner({ audience, subject });
      const lifetime = await lifetimeOf(audience);
      // A whole second, so that `exp` and the record agree.
      const issuedAt = Math.floor(now() / 1000) * 1000;
      const expiresAt = issuedAt + lifetime.absolute;
      const times = { issuedAt, lastSeenAt: now(), expiresAt };
      const session = { id: createJti(), ...times, keyId: jwt.keyId, ...describeClient(client) };
      await records.change(owner, (record) => issue(record, session, maxSessionsPerSubject, lifetime));
      const sessionId = formatSessionId({ jti: session.id, ...owner });
      if (confirm !== undefined) await keepIfConfirmed(confirm, () => revokeOne(sessionId));
      const claims = { iss: issuer, aud: audience, sub: subject, jti: session.id };
      const token = jwt.sign({ ...claims, iat: issuedAt / 1000, exp: expiresAt / 1000 });
      return { token, tokenType: 'Bearer', expiresAt, sessionId };
    },

    async revokeAll(owner, reason = 'SESSION_REVOKED') {
      assertReason(reason);
      const { before, after } = await records.change(checkedOwner(owner), (record) => revokeAll(record, reason, now()));
      return before.live.length - after.live.length;
    },

    async sessions(given) {
      const owner = checkedOwner(given);
      const lifetime = await lifetimeOf(owner.audience);
      const { live } = (await records.read(owner)).record;
      return live
        .filter((session) => !hasExpired(session, lifetime, now()))
        .sort((one, other) => other.lastSeenAt - one.lastSeenAt)
        .map(({ id: jti, keyId: _keyId, ...session }) => ({
          ...owner,
          sessionId: formatSessionId({ jti, ...owner }),
          ...session,
        }));
    },

    async isLive(sessionId) {
      const name = ownSession(sessionId);
      if (name === null) return false;
      const lifetime = await lifetimeOf(name.audience);
      const { live } = (await records.read(name)).record;
      const session = live.find(({ id }) => id === name.jti);
      return session !== undefined && !hasExpired(session, lifetime, now()) && jwt.knowsKey(session.keyId);
    },
  };
}

function assertReason(reason: EndReason): void {
  if (!END_REASONS.includes(reason)) throw new TypeError(`reason must be one of ${END_REASONS.join(', ')}`);
}

async function keepIfConfirmed(confirm: () => boolean | Promise<boolean>, end: () => Promise<boolean>): Promise<void> {
  let confirmed = false;
  try {
    confirmed = (await confirm()) === true;
  } finally {
    if (!confirmed) await end();
  }
  if (!confirmed) throw new SessionRevokedError();
}

function isTouchDue(session: LiveSession, lifetime: LifetimeMillis, now: number): boolean {
  return now - session.lastSeenAt >= Math.min(MAX_TOUCH_MILLIS, lifetime.idle / TOUCHES_PER_IDLE);
}
