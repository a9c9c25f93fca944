import createError from '@fastify/error';
import { SetupError } from '@sallyport/plugin-kit/options';

/** Bad options or routes. `faults` lists them all; none contains a secret. Thrown before the server listens. */
export class AuthTokensSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('AUTH_TOKENS_SETUP_INVALID', subject, faults);
  }
}

/** A protected route was called without a bearer token. */
export const TokenMissingError = createError('TOKEN_MISSING', 'A bearer token is required', 401);

/**
 * Not a token of this service: bad form, key, signature, issuer, audience, type or claims. `cause` says which, for the
 * log; the client doesn't learn it.
 */
export const TokenInvalidError = createError('TOKEN_INVALID', 'The access token is invalid', 401);

/** The session was ended by its owner (logout) or by force. */
export const SessionRevokedError = createError('SESSION_REVOKED', 'The session was ended; sign in again', 401);

/** The idle or absolute lifetime of the session has ended, or the store has lost it. */
export const SessionExpiredError = createError('SESSION_EXPIRED', 'The session has expired; sign in again', 401);

/** All sessions of the subject were ended because its password was changed or reset. */
export const PasswordChangedError = createError('PASSWORD_CHANGED', 'The password was changed; sign in again', 401);

/** All sessions of the subject were ended because its account was disabled. */
export const AccountDisabledError = createError('ACCOUNT_DISABLED', 'The account is disabled', 401);

/** The subject exceeded its number of sessions, and this one was the least recently seen. */
export const SessionSupersededError = createError(
  'SESSION_SUPERSEDED',
  'The session was ended by a newer sign-in; sign in again',
  401,
);

/** The token is valid, but its audience is wrong or it lacks a permission. */
export const PermissionDeniedError = createError('PERMISSION_DENIED', 'You have no permission for this', 403);

/** The ticket is unknown, used, expired, for another purpose or resource, or its session has ended. */
export const TicketInvalidError = createError('TICKET_INVALID', 'The ticket is invalid or was used', 403);

/** A ticket was requested for an undeclared purpose or an unusable resource. */
export const TicketUseInvalidError = createError<'TICKET_USE_INVALID', 400, ['purpose' | 'resource']>(
  'TICKET_USE_INVALID',
  'No ticket for this %s',
  400,
);

/** The store can't say whether the session is live, so the request is refused. */
export const SessionStoreUnavailableError = createError(
  'SESSION_STORE_UNAVAILABLE',
  'Sessions cannot be checked at the moment',
  503,
);

/** The session has as many open streams, uploads and other connections on this node as it may have. */
export const SessionConnectionsExceededError = createError(
  'SESSION_CONNECTIONS_EXCEEDED',
  'Too many connections of this session are open',
  429,
);

/** `lifetimes` failed or returned a bad value, which is never replaced by a default. */
export const LifetimeUnavailableError = createError(
  'SESSION_LIFETIME_UNAVAILABLE',
  'The lifetime of sessions cannot be determined at the moment',
  503,
);

/** `loadPermissions` failed: a permission that can't be checked is not held. */
export const PermissionsUnavailableError = createError(
  'PERMISSIONS_UNAVAILABLE',
  'Permissions cannot be checked at the moment',
  503,
);

/** Why a session ended, which is also the `code` that its token is refused with. */
export type EndReason = keyof typeof SESSION_ENDED_ERRORS;

const SESSION_ENDED_ERRORS = {
  SESSION_REVOKED: SessionRevokedError,
  SESSION_EXPIRED: SessionExpiredError,
  PASSWORD_CHANGED: PasswordChangedError,
  ACCOUNT_DISABLED: AccountDisabledError,
  SESSION_SUPERSEDED: SessionSupersededError,
} as const;

/** The reasons, for schemas of administration endpoints. */
export const END_REASONS = Object.keys(SESSION_ENDED_ERRORS) as readonly EndReason[];

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
