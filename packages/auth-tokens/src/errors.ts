import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { type EndReason, refusals } from './refusals.js';

/** Bad options or routes. `faults` lists them all; none contains a secret. Thrown before the server listens. */
export class AuthTokensSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('AUTH_TOKENS_SETUP_INVALID', subject, faults);
  }
}

/** A protected route was called without a bearer token. */
export const TokenMissingError = refusalError(refusals, 'TOKEN_MISSING');

/**
 * Not a token of this service: bad form, key, signature, issuer, audience, type or claims. `cause` says which, for the
 * log; the client doesn't learn it.
 */
export const TokenInvalidError = refusalError(refusals, 'TOKEN_INVALID');

/** The session was ended by its owner (logout) or by force. */
export const SessionRevokedError = refusalError(refusals, 'SESSION_REVOKED');

/** The idle or absolute lifetime of the session has ended, or the store has lost it. */
export const SessionExpiredError = refusalError(refusals, 'SESSION_EXPIRED');

/** All sessions of the subject were ended because its password was changed or reset. */
export const PasswordChangedError = refusalError(refusals, 'PASSWORD_CHANGED');

/** All sessions of the subject were ended because its account was disabled. */
export const AccountDisabledError = refusalError(refusals, 'ACCOUNT_DISABLED');

/** The subject exceeded its number of sessions, and this one was the least recently seen. */
export const SessionSupersededError = refusalError(refusals, 'SESSION_SUPERSEDED');

/** The token is valid, but its audience is wrong or it lacks a permission. */
export const PermissionDeniedError = refusalError(refusals, 'PERMISSION_DENIED');

/**
 * The session has a purpose that the route doesn't serve, such as the second step of a sign-in. Its `code` is the
 * `refusal` of the purpose, if that has one.
 */
export class SessionPurposeError extends refusalError(refusals, 'SESSION_PURPOSE_REFUSED') {
  constructor(code?: string) {
    super();
    // The class is typed by its own code; an application names the step that is missing.
    if (code !== undefined) Object.assign(this, { code });
  }
}

/** The ticket is unknown, used, expired, for another purpose or resource, or its session has ended. */
export const TicketInvalidError = refusalError(refusals, 'TICKET_INVALID');

/** A ticket was requested for an undeclared purpose or an unusable resource. */
export const TicketUseInvalidError = refusalError(refusals, 'TICKET_USE_INVALID');

/** The store can't say whether the session is live, so the request is refused. */
export const SessionStoreUnavailableError = refusalError(refusals, 'SESSION_STORE_UNAVAILABLE');

/** The session has as many open streams, uploads and other connections on this node as it may have. */
export const SessionConnectionsExceededError = refusalError(refusals, 'SESSION_CONNECTIONS_EXCEEDED');

/** `lifetimes` failed or returned a bad value, which is never replaced by a default. */
export const LifetimeUnavailableError = refusalError(refusals, 'SESSION_LIFETIME_UNAVAILABLE');

/** `loadPermissions` failed: a permission that can't be checked is not held. */
export const PermissionsUnavailableError = refusalError(refusals, 'PERMISSIONS_UNAVAILABLE');

const SESSION_ENDED_ERRORS = {
  SESSION_REVOKED: SessionRevokedError,
  SESSION_EXPIRED: SessionExpiredError,
  PASSWORD_CHANGED: PasswordChangedError,
  ACCOUNT_DISABLED: AccountDisabledError,
  SESSION_SUPERSEDED: SessionSupersededError,
} as const satisfies Record<EndReason, unknown>;

/** The reasons, for schemas of administration endpoints. */
export const END_REASONS = Object.keys(SESSION_ENDED_ERRORS) as readonly EndReason[];

export function assertReason(reason: EndReason): void {
  if (!END_REASONS.includes(reason)) throw new TypeError(`reason must be one of ${END_REASONS.join(', ')}`);
}

/** The refusal of a session that ended for this reason. One of a newer release counts as `SESSION_REVOKED`. */
export function sessionEndedError(reason: EndReason): Error {
  return new (SESSION_ENDED_ERRORS[reason] ?? SessionRevokedError)();
}

/** Whether an error refuses a token: itself, or its session. */
export function isTokenRefused(error: unknown): error is Error {
  const refusals = [TokenInvalidError, ...Object.values(SESSION_ENDED_ERRORS)];
  return refusals.some((Refusal) => error instanceof Refusal);
}

/** Calls something that a check depends on. If it fails, rejects with `Refusal`, which has the cause for the log. */
export async function failClosed<T>(
  call: () => T | Promise<T>,
  Refusal: new (options: { cause: unknown }) => Error,
): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new Refusal({ cause });
  }
}
