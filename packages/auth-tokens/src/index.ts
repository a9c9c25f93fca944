export type {
  AccessTokens,
  IssuedToken,
  IssueInput,
} from './access-tokens.js';
export type { Audience, DeclaredNames, Permission } from './declared-names.js';
export {
  AccountDisabledError,
  AuthTokensSetupError,
  END_REASONS,
  type EndReason,
  LifetimeUnavailableError,
  PasswordChangedError,
  PermissionDeniedError,
  PermissionsUnavailableError,
  SessionExpiredError,
  SessionRevokedError,
  SessionStoreUnavailableError,
  SessionSupersededError,
  TicketInvalidError,
  TicketUseInvalidError,
  TokenInvalidError,
  TokenMissingError,
} from './errors.js';
export type { AudienceLifetime, Seconds } from './lifetimes.js';
export type { AuthTokensOptions } from './options.js';
export { isGranted, isPermissionCode, isPermissionGrant } from './permissions.js';
export { type AuthTokens, authTokens, authTokens as default } from './plugin.js';
export type { Principal, Session } from './principal.js';
export { maskQueryToken } from './query-token.js';
export type { SessionClient } from './session-client.js';
export type { SubjectKey } from './session-records.js';
export {
  generateSigningKey,
  type KeyAlgorithm,
  type KeyMaterial,
  type PrivateSigningKey,
  type PublicVerificationKey,
  type SharedSecret,
  type SigningKey,
  type VerificationKey,
} from './signing-keys.js';
export type { TicketPurposes } from './ticket-purposes.js';
export type { IssuedTicket, IssueTicketInput, RedeemTicketInput, Tickets, TicketUse } from './tickets.js';
export { secretWeakness } from './weak-secrets.js';
