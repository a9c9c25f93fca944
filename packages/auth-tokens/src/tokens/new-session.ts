import { SessionRevokedError } from '../errors.js';
import {
  createJti,
  describeClient,
  type LiveSession,
  parseSessionId,
  type SessionClient,
  type SubjectKey,
} from '../sessions/index.js';

export interface IssueInput extends SubjectKey, SessionClient {
  /**
   * Called when the session is recorded and its token doesn't exist yet. If it returns false, the session is ended, and
   * `issue` rejects with SESSION_REVOKED. Read the account again here, so that a password change or a disabling since
   * the check of the credentials wins over this sign-in.
   */
  readonly confirm?: () => boolean | Promise<boolean>;
  /**
   * One of the option `purposes`: the session may do nothing else, and lives as long as its purpose says. Default: a
   * full session.
   */
  readonly purpose?: string | undefined;
  /** The proof that the owner has just given, such as `{ method: 'password' }`, by a name of 1 to 32 of `a-z 0-9 -`. */
  readonly proof?: { readonly method: string } | undefined;
  /**
   * The id of a session of the same owner, such as the pending one of a second step. It ends in the write that records
   * the new session. If it has ended, `issue` rejects with SESSION_REVOKED: an end of all sessions then wins over a
   * sign-in that is under way, and a step that is sent twice opens one session.
   */
  readonly replaces?: string | undefined;
}

/** The record of a new session that lives this long. */
export function openSession(
  { purpose, proof, keyId, ...client }: IssueInput & { readonly keyId: string },
  moment: number,
  lifetimeMillis: number,
): LiveSession {
  if (proof !== undefined) assertMethod(proof.method);
  // A whole second, so that `exp` equals the record's time.
  const issuedAt = Math.floor(moment / 1000) * 1000;
  return {
    id: createJti(),
    issuedAt,
    lastSeenAt: moment,
    expiresAt: issuedAt + lifetimeMillis,
    keyId,
    ...describeClient(client),
    ...(purpose !== undefined && { purpose }),
    ...(proof !== undefined && { proof: { method: proof.method, at: moment } }),
  };
}

/** The part of the session's id that its owner's record knows. */
export function replacedOf({ audience, subject, replaces }: IssueInput): string | undefined {
  if (replaces === undefined) return undefined;
  const name = parseSessionId(replaces);
  if (name === null || name.audience !== audience || name.subject !== subject) throw new SessionRevokedError();
  return name.jti;
}

/** A name of the application, which is kept with the session. */
export function assertMethod(method: string): void {
  if (typeof method === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(method)) return;
  throw new TypeError('the method of a proof must have 1 to 32 of a-z 0-9 -, a letter first');
}

/** Ends a session that `confirm` refuses, or cannot confirm. */
export async function keepIfConfirmed(
  confirm: () => boolean | Promise<boolean>,
  end: () => Promise<boolean>,
): Promise<void> {
  let confirmed = false;
  try {
    confirmed = (await confirm()) === true;
  } finally {
    if (!confirmed) await end();
  }
  if (!confirmed) throw new SessionRevokedError();
}
