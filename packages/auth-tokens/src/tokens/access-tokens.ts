import { assertReason, SessionRevokedError, sessionEndedError, TokenInvalidError } from '../errors.js';
import type { EndReason } from '../refusals.js';
import {
  type AskWithSession,
  assertPurpose,
  type Changed,
  createSessionSearch,
  describePrincipal,
  describeSession,
  expire,
  findKnownSession,
  formatSessionId,
  hasExpired,
  isSubject,
  issue,
  knownForIssue,
  type LifetimeReader,
  type LiveSession,
  MAX_SUBJECT_BYTES,
  noteSight,
  type Principal,
  parseSessionId,
  prove,
  purposeLifetimeMillis,
  revoke,
  revokeAll,
  type Session,
  type SessionEnds,
  type SessionLists,
  type SessionName,
  type SessionPage,
  type SessionPurposes,
  type SessionQuery,
  type SessionRecord,
  type SessionRecords,
  type SessionTime,
  type SubjectKey,
  stateOf,
  touch,
} from '../sessions/index.js';
import { createSharedWrites, isTouchDue } from './activity.js';
import { createEndsWriter, latestExpiry, supersededOf } from './ends-writer.js';
import type { JwtCodec } from './jwt-codec.js';
import { assertMethod, type IssueInput, keepIfConfirmed, openSession, replacedOf } from './new-session.js';
import { assertInTime, createTokenVerifier } from './token-signature.js';

export interface IssuedToken {
  readonly token: string;
  readonly tokenType: 'Bearer';
  /** The end of the absolute lifetime, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly sessionId: string;
}

/** The engine: access tokens and their sessions, without HTTP. */
export interface AccessTokens {
  /** Opens a session and signs its token. */
  issue(input: IssueInput): Promise<IssuedToken>;
  /**
   * The principal of a token whose session is live; otherwise rejects with the reason. Counts as activity. A session
   * with a purpose is refused with that of its purpose, unless `purposes` names it.
   */
  check(token: string, purposes?: readonly string[]): Promise<Principal>;
  /** Like `check`, but without activity: it writes nothing to the store. */
  recheck(token: string, purposes?: readonly string[]): Promise<Principal>;
  /**
   * Records that the owner of a live session has proven again to be there, by the store's clock: `principal.proof` of
   * its next requests. Atomic. Resolves to false if the session has ended.
   *
   * @param method the kind of the proof, 1 to 32 of `a-z 0-9 -`, such as `factor`. Null: the last proof no
   * longer counts, for example because its factor was removed
   */
  prove(sessionId: string, method: string | null): Promise<boolean>;
  /**
   * Ends one session on every node. Resolves to false if it wasn't live. With the option `ends`, the end is written in
   * any case, because the store may have lost the session. Default reason SESSION_REVOKED.
   */
  revoke(sessionId: string, reason?: EndReason): Promise<boolean>;
  /**
   * Ends all sessions of a subject in an audience, atomically. Resolves to their number. Default SESSION_REVOKED. With
   * the argument `ends`, ends are written there and not to the option `ends`, for example to a list that your own
   * change commits. Where ends are written, sessions that the store doesn't show end as well.
   */
  revokeAll(owner: SubjectKey, reason?: EndReason, ends?: SessionEnds): Promise<number>;
  /** The live sessions of a subject in an audience, the most recently seen one first. */
  sessions(owner: SubjectKey): Promise<readonly Session[]>;
  /**
   * The live sessions of all subjects, the newest first, page by page. Without `owners` it needs a store with
   * `lists`.
   */
  findSessions(query?: SessionQuery): Promise<SessionPage>;
  /** Whether the session is live and the key of its token is in use. Doesn't count as activity. */
  isLive(sessionId: string): Promise<boolean>;
}

/** Further functions for the plugin. */
export interface SessionChecks {
  /** Like `check`. */
  authenticate(token: string, purposes: readonly string[], ask: AskWithSession): Promise<Principal>;
  /** Resolves to the live principal of one that came without its token; otherwise rejects with the reason. */
  confirmSession(principal: Principal, purposes?: readonly string[]): Promise<Principal>;
}

interface AccessTokensOptions {
  readonly records: SessionRecords;
  /** Null if the store has none. */
  readonly lists: SessionLists | null;
  readonly jwt: JwtCodec;
  readonly issuer: string;
  /** The names of the audiences. */
  readonly audiences: ReadonlySet<string>;
  readonly readLifetime: LifetimeReader;
  readonly maxSessionsPerSubject: number;
  readonly purposes: SessionPurposes;
  readonly readTime: SessionTime;
  readonly ends: SessionEnds | undefined;
}

export function createAccessTokens(options: AccessTokensOptions): AccessTokens & SessionChecks {
  const { records, jwt, issuer, audiences, readLifetime, maxSessionsPerSubject, readTime } = options;
  const { purposes, ends: ownEnds } = options;

  const verifyToken = createTokenVerifier(jwt);
  const findSessions = createSessionSearch(options);
  const touchOnce = createSharedWrites();

  function checkedOwner({ audience, subject }: SubjectKey): SubjectKey {
    if (!audiences.has(audience)) throw new TypeError(`audience must be one of ${[...audiences].join(', ')}`);
    if (!isSubject(subject)) throw new TypeError(`subject must be a text of 1 to ${MAX_SUBJECT_BYTES} bytes`);
    return { audience, subject };
  }

  /** Null if it isn't a session id of one of our audiences. */
  function ownSession(sessionId: string): SessionName | null {
    const name = parseSessionId(sessionId);
    return name !== null && audiences.has(name.audience) ? name : null;
  }

  /** TOK-2: first the token, then its session. Normally one read of the store. */
  async function examine(
    token: string,
    isActivity: boolean,
    served: readonly string[] = [],
    ask?: AskWithSession,
  ): Promise<Principal> {
    const { claims, owner, sessionId } = verifyToken(token);
    const timing = readTime();
    // Usually available at once, without a turn of the event loop, like the lifetimes.
    const moment = timing instanceof Promise ? await timing : timing;
    assertInTime(claims, moment);
    if (!audiences.has(claims.aud)) throw new TokenInvalidError({ cause: new Error('Not our audience') });
    const reading = readLifetime(owner.audience);
    const lifetime = reading instanceof Promise ? await reading : reading;
    const stateIn = (record: SessionRecord) => stateOf(record, claims.jti, claims.iat * 1000, lifetime, moment);
    const isQuiet = (session: LiveSession) => !isTouchDue(session, lifetime, moment);
    ask?.(() => findKnownSession(records, owner, sessionId, stateIn, isQuiet));
    const snapshot = await records.read(owner);
    let { record } = snapshot;
    let found = stateIn(record);
    if (!isActivity) {
      // The next request writes the expiry.
    } else if (found.state === 'expired') {
      await records.change(owner, moment, (record) => expire(record, lifetime, moment), { snapshot });
    } else if (found.state === 'live' && isTouchDue(found.session, lifetime, moment)) {
      // Another request may have ended the session since the read, so the record after the write decides.
      record = await touchOnce(sessionId, () =>
        records.change(owner, moment, (it) => touch(it, claims.jti, moment), { snapshot }),
      );
      found = stateIn(record);
    }
    if (found.state !== 'live') throw sessionEndedError(found.state === 'ended' ? found.reason : 'SESSION_EXPIRED');

    assertPurpose(purposes, found.session, served);
    const principal = describePrincipal(owner, sessionId, found.session);
    noteSight(principal, found.session, record);
    return principal;
  }

  async function revokeOne(sessionId: string, reason: EndReason = 'SESSION_REVOKED'): Promise<boolean> {
    assertReason(reason);
    const name = ownSession(sessionId);
    if (name === null) return false;
    const moment = await readTime();
    const end = (it: SessionRecord) => revoke(it, name.jti, reason, moment);
    if (ownEnds === undefined) return isChanged(await records.change(name, moment, end));
    const expiresAt = await latestExpiry(readLifetime, name.audience, moment);
    const writeEnds = createEndsWriter(ownEnds, name);
    const changed = await records.change(name, moment, end, {
      beforeEnd: ([session]) => writeEnds([{ id: name.jti, reason, expiresAt: session?.expiresAt ?? expiresAt }]),
      endsUnseen: true,
    });
    return isChanged(changed);
  }

  async function confirmSession(principal: Principal, served: readonly string[] = []): Promise<Principal> {
    const name = ownSession(principal.sessionId);
    if (name === null) throw new TokenInvalidError({ cause: new Error('Not a session of ours') });
    const lifetime = await readLifetime(name.audience);
    const moment = await readTime();
    const { record } = await records.read(name);
    // Without the token, the time of issue comes from the record. For an ended session it is not needed.
    const found = stateOf(record, name.jti, 0, lifetime, moment);
    if (found.state !== 'live') throw sessionEndedError(found.state === 'ended' ? found.reason : 'SESSION_EXPIRED');
    if (!jwt.knowsKey(found.session.keyId)) throw new TokenInvalidError({ cause: new Error('Not a key in use') });
    assertPurpose(purposes, found.session, served);
    const live = describePrincipal(name, principal.sessionId, found.session);
    for (const each of [principal, live]) noteSight(each, found.session, record);
    return live;
  }

  return {
    check: (token, served) => examine(token, true, served),
    authenticate: (token, served, ask) => examine(token, true, served, ask),
    recheck: (token, served) => examine(token, false, served),
    revoke: revokeOne,
    confirmSession,

    async issue(input) {
      const { audience, subject, confirm, purpose } = input;
      const owner = checkedOwner({ audience, subject });
      const ownMillis = purpose === undefined ? null : purposeLifetimeMillis(purposes, purpose);
      const lifetime = await readLifetime(audience);
      const moment = await readTime();
      const session = openSession({ ...input, keyId: jwt.keyId }, moment, ownMillis ?? lifetime.absolute);
      const { issuedAt, expiresAt } = session;
      const writeEnds = ownEnds && createEndsWriter(ownEnds, owner);
      const replaced = replacedOf(input);
      const open = (it: SessionRecord) => issue(it, session, maxSessionsPerSubject, lifetime, replaced);
      const { after } = await records.change(owner, moment, open, {
        presumed: knownForIssue(records, owner, open),
        ...(writeEnds && { beforeEnd: (ended, then) => writeEnds(supersededOf(ended, then, replaced)) }),
      });
      if (!after.live.some(({ id }) => id === session.id)) throw new SessionRevokedError();
      const sessionId = formatSessionId({ jti: session.id, ...owner });
      if (confirm !== undefined) await keepIfConfirmed(confirm, () => revokeOne(sessionId));
      const claims = { iss: issuer, aud: audience, sub: subject, jti: session.id };
      const token = jwt.sign({ ...claims, iat: issuedAt / 1000, exp: expiresAt / 1000 });
      return { token, tokenType: 'Bearer', expiresAt, sessionId };
    },

    async prove(sessionId, method) {
      if (method !== null) assertMethod(method);
      const name = ownSession(sessionId);
      if (name === null) return false;
      const lifetime = await readLifetime(name.audience);
      const at = await readTime();
      return isChanged(await records.change(name, at, (it) => prove(it, name.jti, method, lifetime, at)));
    },

    async revokeAll(owner, reason = 'SESSION_REVOKED', ends = ownEnds) {
      assertReason(reason);
      const checked = checkedOwner(owner);
      const moment = await readTime();
      const unseenExpireAt = ends && (await latestExpiry(readLifetime, checked.audience, moment));
      const end = (it: SessionRecord) => revokeAll(it, reason, moment, unseenExpireAt);
      const writeEnds = ends && createEndsWriter(ends, checked);
      const { before, after } = await records.change(checked, moment, end, {
        ...(writeEnds && {
          beforeEnd: (ended, { allEnded }) =>
            writeEnds(
              ended.map((session) => ({ ...session, reason })),
              allEnded!,
            ),
          endsUnseen: true,
        }),
      });
      return before.live.length - after.live.length;
    },

    async sessions(given) {
      const owner = checkedOwner(given);
      const lifetime = await readLifetime(owner.audience);
      const moment = await readTime();
      const { live } = (await records.read(owner)).record;
      return live
        .filter((session) => !hasExpired(session, lifetime, moment))
        .sort((one, other) => other.lastSeenAt - one.lastSeenAt)
        .map((session) => describeSession(owner, session));
    },

    findSessions: (query = {}) => findSessions(query),

    async isLive(sessionId) {
      const name = ownSession(sessionId);
      if (name === null) return false;
      const lifetime = await readLifetime(name.audience);
      const moment = await readTime();
      const { live } = (await records.read(name)).record;
      const session = live.find(({ id }) => id === name.jti);
      return session !== undefined && !hasExpired(session, lifetime, moment) && jwt.knowsKey(session.keyId);
    },
  };
}

function isChanged({ before, after }: Changed): boolean {
  return after !== before;
}
