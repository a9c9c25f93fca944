import type { SubjectKey } from './session-id.js';
import type { LiveSession, SessionProof } from './session-state.js';

/** The sender of a request. */
export interface Principal extends SubjectKey {
  /** Identifies the session in `revoke`, logs and audit records. Not a secret. */
  readonly sessionId: string;
  readonly terminal?: string;
  /** The purpose of the session, one of the option `purposes`. Absent: it is a full session. */
  readonly purpose?: string;
  /** The last proof. Absent if `issue` was given none, as for sessions of earlier releases. */
  readonly proof?: SessionProof;
}

/** The data of the client that opened a session, for lists of sessions. */
export interface SessionClient {
  /** The client kind, such as `web` or `app`. Cut to 32 characters. */
  readonly terminal?: string;
  /** The client's address at sign-in. Cut to 64 characters. */
  readonly clientIp?: string;
  /** The User-Agent header at sign-in. Cut to 200 characters. */
  readonly userAgent?: string;
}

/** A live session in an administrator's list. Times are milliseconds since 1970, by the store's clock. */
export interface Session extends Principal, SessionClient {
  readonly issuedAt: number;
  /** The last activity, exact to a minute, or to a tenth of the idle lifetime if that is less. */
  readonly lastSeenAt: number;
  /** The end of the absolute lifetime. */
  readonly expiresAt: number;
}

/** The maximum lengths, in characters. They keep records small, because a record is read on every request. */
const MAX_LENGTHS = { terminal: 32, clientIp: 64, userAgent: 200 } as const;

/**
 * The text is cut, and control characters and lone surrogates are removed, because it appears on screens and in logs.
 */
export function describeClient(client: SessionClient): SessionClient {
  const members = (['terminal', 'clientIp', 'userAgent'] as const).flatMap((name) => {
    const text = client[name];
    if (typeof text !== 'string') return [];
    return [[name, text.slice(0, MAX_LENGTHS[name]).replace(/[\p{Cc}\p{Surrogate}]/gu, '')]];
  });
  return Object.fromEntries(members);
}

/** Each literal gives V8 a stable shape, which a spread with conditional members would not. */
export function describePrincipal(
  { audience, subject }: SubjectKey,
  sessionId: string,
  session: LiveSession,
): Principal {
  const { terminal, purpose, proof } = session;
  const principal: { -readonly [Name in keyof Principal]: Principal[Name] } = { audience, subject, sessionId };
  if (terminal !== undefined) principal.terminal = terminal;
  if (purpose !== undefined) principal.purpose = purpose;
  if (proof !== undefined) principal.proof = proof;
  return principal;
}
