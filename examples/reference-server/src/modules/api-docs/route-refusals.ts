import { AuditUnavailableError } from '@sallyport/audit-log';
import {
  LifetimeUnavailableError,
  PermissionDeniedError,
  PermissionsUnavailableError,
  SessionPurposeError,
  SessionStoreUnavailableError,
} from '@sallyport/auth-tokens';
import { refusals as ofTokens } from '@sallyport/auth-tokens/refusals';
import { refusals as ofEnvelopes } from '@sallyport/envelope-crypto/refusals';
import { IdempotencyKeyRequiredError } from '@sallyport/idempotency';
import { refusals as ofIdempotency } from '@sallyport/idempotency/refusals';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import {
  BodyMalformedError,
  BodyTooLargeError,
  InternalError,
  MediaTypeUnsupportedError,
  RateLimitedError,
  UrlTooLongError,
  ValidationFailedError,
} from '../../http/errors.js';
import { type RefusalClass, refusalsIn } from '../../http/refusal.js';
import {
  ContentEncodingUnsupportedError,
  HeadersTooManyError,
  HostInvalidError,
  PasswordChangeRequiredError,
  SafeModeError,
  SecondFactorEnrolmentRequiredError,
  SecondFactorRequiredError,
  StepUpRequiredError,
} from '../../protection/errors.js';
import { DatabaseUnavailableError } from '../../storage/errors.js';
import {
  audiencesOf,
  type DocumentedRoute,
  endsPendingSessions,
  idempotencyOf,
  isRefusedBeforePasswordChange,
  isRefusedInSafeMode,
  permissionsOf,
  rateLimitOf,
} from './documented-route.js';

/** Refusals of every route: the flood gate, the limits of headers and unexpected errors. */
export const ANYWHERE: readonly RefusalClass[] = [
  RateLimitedError,
  HeadersTooManyError,
  HostInvalidError,
  InternalError,
];

const TOKEN: readonly RefusalClass[] = [
  ...refusalsIn(ofTokens).filter(({ status }) => status === 401),
  // For a token of the other audience.
  PermissionDeniedError,
  SessionStoreUnavailableError,
  LifetimeUnavailableError,
  DatabaseUnavailableError,
];

/** For the token of a sign-in that is not complete, and for a session from before a factor was demanded. */
const FACTOR = [SessionPurposeError, SecondFactorRequiredError, SecondFactorEnrolmentRequiredError];

const ENVELOPE = refusalsIn(ofEnvelopes);

const BODY: readonly RefusalClass[] = [
  ContentEncodingUnsupportedError,
  BodyMalformedError,
  BodyTooLargeError,
  MediaTypeUnsupportedError,
];

const IDEMPOTENCY = refusalsIn(ofIdempotency).filter(({ code }) => code !== IdempotencyKeyRequiredError.code);

/** The refusals that follow from the `config` and the schema of a route, in processing order. */
export function refusalsByConfig(route: DocumentedRoute): RefusalClass[] {
  const { config, schema, isInTheClear } = route;
  const idempotency = idempotencyOf(route);
  const when = (applies: boolean, codes: readonly RefusalClass[]) => (applies ? codes : []);
  return [
    ...ANYWHERE,
    ...when(audiencesOf(route).length > 0, TOKEN),
    ...when(audiencesOf(route).length > 0 && !endsPendingSessions(route), FACTOR),
    ...when(config.stepUp !== undefined, [StepUpRequiredError]),
    ...when(permissionsOf(route).length > 0, [PermissionDeniedError, PermissionsUnavailableError]),
    ...when(isRefusedBeforePasswordChange(route), [PasswordChangeRequiredError]),
    // From rate-limit counters in a shared store.
    ...when(rateLimitOf(route) !== null, [StoreUnavailableError]),
    ...when(isRefusedInSafeMode(route), [SafeModeError]),
    ...when(!isInTheClear, ENVELOPE),
    ...when(schema.body !== undefined, BODY),
    ...when(schema.body !== undefined || schema.querystring !== undefined, [ValidationFailedError]),
    ...when(schema.params !== undefined, [ValidationFailedError, UrlTooLongError]),
    ...when(idempotency === 'required', [IdempotencyKeyRequiredError]),
    ...when(idempotency !== null, IDEMPOTENCY),
    ...when(config.audit !== false, [AuditUnavailableError]),
  ];
}
