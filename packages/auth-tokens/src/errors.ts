import createError from '@fastify/error';

/** Options, or routes, that can't be right; the message lists every fault, and never a secret. Thrown before the server listens. */
export const AuthTokensSetupError = createError<'AUTH_TOKENS_SETUP_INVALID', 500, [string]>(
  'AUTH_TOKENS_SETUP_INVALID',
  'auth-tokens: %s',
  500,
);

/** No bearer token where one is needed. Requirement TOK-1. */
export const TokenMissingError = createError('TOKEN_MISSING', 'A bearer token is required', 401);

/** Not one token of ours: form, key, signature, issuer, audience, type or claims. `cause` says which; the client isn't told. Requirement TOK-2. */
export const TokenInvalidError = createError('TOKEN_INVALID', 'The access token is invalid', 401);

/** The session was ended: by its owner (logout) or by force. Requirements TOK-3, TOK-7. */
export const SessionRevokedError = createError('SESSION_REVOKED', 'The session was ended; sign in again', 401);

/** The session ran out (idle or absolute lifetime), or the store has forgotten it. Requirement TOK-5. */
export const SessionExpiredError = createError('SESSION_EXPIRED', 'The session has expired; sign in again', 401);

/** All sessions of the subject were ended because its password was changed or reset. Requirement TOK-6. */
export const PasswordChangedError = createError('PASSWORD_CHANGED', 'The password was changed; sign in again', 401);

/** All sessions of the subject were ended because its account was disabled. Requirement TOK-6. */
export const AccountDisabledError = createError('ACCOUNT_DISABLED', 'The account is disabled', 401);

/** The subject signed in on more devices than it may; this session was the least recently seen. */
export const SessionSupersededError = createError(
  'SESSION_SUPERSEDED',
  'The session was ended by a newer sign-in; sign in again',
  401,
);

/** A valid token that may not do this: wrong audience, or a permission is missing. Requirement TOK-8. */
export const PermissionDeniedError = createError('PERMISSION_DENIED', 'You have no permission for this', 403);

/** A ticket that is unknown, used, expired, for something else, or whose session has ended. Requirement TOK-10. */
export const TicketInvalidError = createError('TICKET_INVALID', 'The ticket is invalid or was used', 403);

/** A ticket was asked for with a purpose that isn't declared, or a resource of no use. */
export const TicketUseInvalidError = createError<'TICKET_USE_INVALID', 400, ['purpose' | 'resource']>(
  'TICKET_USE_INVALID',
  'No ticket for this %s',
  400,
);

/** The store can't say whether the session lives, so nothing is let through. Requirement TOK-11. */
export const SessionStoreUnavailableError = createError(
  'SESSION_STORE_UNAVAILABLE',
  'Sessions cannot be checked at the moment',
  503,
);

/** A dynamic lifetime could not be read, or is no whole number of seconds in range: never replaced by a default. Requirement TOK-5. */
export const LifetimeUnavailableError = createError(
  'SESSION_LIFETIME_UNAVAILABLE',
  'The lifetime of sessions cannot be determined at the moment',
  503,
);

/** `loadPermissions` failed: a permission that can't be checked is not held. Requirement TOK-11. */
export const PermissionsUnavailableError = createError(
  'PERMISSIONS_UNAVAILABLE',
  'Permissions cannot be checked at the moment',
  503,
);

/** Why a session ended: also the `code` of the refusal that its token receives from then on. Requirement TOK-7. */
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

/** A reason that a newer release wrote into the store is at least an end. */
export function sessionEndedError(reason: EndReason): Error {
  return new (SESSION_ENDED_ERRORS[reason] ?? SessionRevokedError)();
}
