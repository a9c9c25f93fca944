export type { Audience, DeclaredNames, Permission } from './declared-names.js';
export {
  AccountDisabledError,
  AuthTokensSetupError,
  END_REASONS,
  LifetimeUnavailableError,
  PasswordChangedError,
  PermissionDeniedError,
  PermissionsUnavailableError,
  SessionConnectionsExceededError,
  SessionExpiredError,
  SessionPurposeError,
  SessionRevokedError,
  SessionStoreUnavailableError,
  SessionSupersededError,
  sessionEndedError,
  TicketInvalidError,
  TicketUseInvalidError,
  TokenInvalidError,
  TokenMissingError,
} from './errors.js';
export {
  generateSigningKey,
  type Jwk,
  type KeyAlgorithm,
  type KeyMaterial,
  type PrivateSigningKey,
  type PublicVerificationKey,
  type SharedSecret,
  type SigningKey,
  secretWeakness,
  type VerificationKey,
} from './keys/index.js';
export type { ConnectionEnds, WaitingConnection } from './open-connections/index.js';
export type { AuthTokensOptions } from './options.js';
export { isGranted, isPermissionCode, isPermissionGrant } from './permission-codes.js';
export type {
  CountWithSession,
  PermissionChanges,
  SessionCount,
  SessionCounted,
} from './permissions/index.js';
export { type AuthTokens, authTokens, authTokens as default } from './plugin.js';
export { type AuthTokensRefusalCode, type EndReason, refusals } from './refusals.js';
export { requirePrincipal } from './require-principal.js';
export type { AccessDecision, DecideAccess, UndecidedRoute } from './route-access.js';
export {
  type AudienceLifetime,
  type EndStore,
  type FoundEnd,
  isEndedByAll,
  type Lifetimes,
  type OwnerEnd,
  type Principal,
  type Session,
  type SessionClient,
  type SessionEnd,
  type SessionEnds,
  type SessionPage,
  type SessionProof,
  type SessionPurpose,
  type SessionPurposes,
  type SessionQuery,
  type SubjectKey,
} from './sessions/index.js';
export type {
  IssuedTicket,
  IssueTicketInput,
  RedeemTicketInput,
  TicketCheck,
  TicketPurposes,
  TicketRequirement,
  Tickets,
  TicketUse,
} from './tickets/index.js';
export { type AccessTokens, type IssuedToken, type IssueInput, maskQueryToken } from './tokens/index.js';
