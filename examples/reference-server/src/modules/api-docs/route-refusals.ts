import {
  audiencesOf,
  type DocumentedRoute,
  idempotencyOf,
  isRefusedInSafeMode,
  needsCaptcha,
  permissionsOf,
  rateLimitOf,
} from './documented-route.js';
import type { RefusalCode } from './refusal-statuses.js';

/** Flood gate, header limit, and what nobody foresaw: every route. */
const ANYWHERE: readonly RefusalCode[] = ['RATE_LIMITED', 'HEADERS_TOO_MANY', 'INTERNAL_ERROR'];

const TOKEN: readonly RefusalCode[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'SESSION_REVOKED',
  'SESSION_EXPIRED',
  'SESSION_SUPERSEDED',
  'PASSWORD_CHANGED',
  'ACCOUNT_DISABLED',
  // A token of the other audience.
  'PERMISSION_DENIED',
  'SESSION_STORE_UNAVAILABLE',
  'SESSION_LIFETIME_UNAVAILABLE',
  'DATABASE_UNAVAILABLE',
];

const ENVELOPE: readonly RefusalCode[] = [
  'ENVELOPE_REQUIRED',
  'ENVELOPE_VERSION_UNSUPPORTED',
  'ENVELOPE_MALFORMED',
  'ENVELOPE_TOO_LARGE',
  'ENVELOPE_KEY_UNKNOWN',
  'ENVELOPE_EXPIRED_OR_REPLAYED',
  'ENVELOPE_REJECTED',
  'ENVELOPE_PLAINTEXT_INVALID',
  'ENVELOPE_REPLAY_STORE_UNAVAILABLE',
  'ENVELOPE_KEY_UNAVAILABLE',
];

const BODY: readonly RefusalCode[] = ['BODY_MALFORMED', 'BODY_TOO_LARGE', 'MEDIA_TYPE_UNSUPPORTED'];

const IDEMPOTENCY: readonly RefusalCode[] = [
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_BODY_UNSUPPORTED',
  'IDEMPOTENCY_PROCESSING',
  'IDEMPOTENCY_SUBMITTED',
  'IDEMPOTENCY_OUTCOME_UNKNOWN',
  'IDEMPOTENCY_DIGEST_MISMATCH',
  'IDEMPOTENCY_STORE_UNAVAILABLE',
];

/** The refusals that follow from what a route is: its `config` and its schema, in the processing order. */
export function refusalsByConfig(route: DocumentedRoute): RefusalCode[] {
  const { config, schema, isInTheClear } = route;
  const idempotency = idempotencyOf(route);
  const when = (applies: boolean, codes: readonly RefusalCode[]) => (applies ? codes : []);
  return [
    ...ANYWHERE,
    ...when(audiencesOf(route).length > 0, TOKEN),
    ...when(permissionsOf(route).length > 0, ['PERMISSION_DENIED', 'PERMISSIONS_UNAVAILABLE']),
    // The counters of several nodes.
    ...when(rateLimitOf(route) !== null, ['STORE_UNAVAILABLE']),
    ...when(isRefusedInSafeMode(route), ['SAFE_MODE']),
    ...when(!isInTheClear, ENVELOPE),
    ...when(schema.body !== undefined, BODY),
    ...when(schema.body !== undefined || schema.querystring !== undefined, ['VALIDATION_FAILED']),
    ...when(schema.params !== undefined, ['VALIDATION_FAILED', 'URL_TOO_LONG']),
    ...when(needsCaptcha(route), ['CAPTCHA_INVALID']),
    ...when(idempotency === 'required', ['IDEMPOTENCY_KEY_REQUIRED']),
    ...when(idempotency !== null, IDEMPOTENCY),
    ...when(config.audit !== false, ['AUDIT_UNAVAILABLE']),
  ];
}
