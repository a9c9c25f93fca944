import type { operations } from '@sallyport/api-client';
import type { Exchange } from './delivery.js';

/** The processing order of a request (ORD-1). */
export const STAGES = [
  'arrival',
  'token',
  'permission',
  'queryOpening',
  'rateLimit',
  'policy',
  'bodyOpening',
  'replay',
  'content',
  'idempotency',
  'handler',
  'sealing',
] as const;
export type Stage = (typeof STAGES)[number];

type Responses = operations['listPayments' | 'createPayment' | 'readProfile']['responses'];

/** The members with `code` of each operation, over a union of operations. */
type CodeIn<AnyResponses> = AnyResponses extends unknown
  ? {
      [Status in keyof AnyResponses]: AnyResponses[Status] extends {
        content: { 'application/problem+json': { code?: infer Code } };
      }
        ? Code
        : never;
    }[keyof AnyResponses]
  : never;

/** Every code that the OpenAPI document lists for the requests of the laboratory. */
export type RefusalCode = Extract<CodeIn<Responses>, string>;

/**
 * Where a code is decided. `opening`: where the envelope is opened, by its carrier. `delivery`: for a plain body where
 * it is read, for an envelope where its plaintext is. `expiry`: at the opening by the clock, or at the replay guard by
 * the nonce. `anywhere`: the code does not say.
 */
type Placement = Stage | 'opening' | 'delivery' | 'expiry' | 'anywhere';

/** The compiler refuses a code that is missing here. */
export const STAGE_OF_CODE: Readonly<Record<RefusalCode, Placement>> = {
  HOST_INVALID: 'arrival',
  HEADERS_TOO_MANY: 'arrival',
  TOKEN_MISSING: 'token',
  TOKEN_INVALID: 'token',
  SESSION_EXPIRED: 'token',
  SESSION_REVOKED: 'token',
  SESSION_SUPERSEDED: 'token',
  PASSWORD_CHANGED: 'token',
  ACCOUNT_DISABLED: 'token',
  SESSION_STORE_UNAVAILABLE: 'token',
  SESSION_LIFETIME_UNAVAILABLE: 'token',
  PERMISSION_DENIED: 'permission',
  PASSWORD_CHANGE_REQUIRED: 'permission',
  SECOND_FACTOR_REQUIRED: 'permission',
  SECOND_FACTOR_ENROLMENT_REQUIRED: 'permission',
  SESSION_PURPOSE_REFUSED: 'token',
  PERMISSIONS_UNAVAILABLE: 'permission',
  RATE_LIMITED: 'rateLimit',
  SAFE_MODE: 'policy',
  ENVELOPE_REQUIRED: 'policy',
  ENVELOPE_VERSION_UNSUPPORTED: 'policy',
  ENVELOPE_MALFORMED: 'opening',
  ENVELOPE_TOO_LARGE: 'opening',
  ENVELOPE_KEY_UNKNOWN: 'opening',
  ENVELOPE_KEY_UNAVAILABLE: 'opening',
  ENVELOPE_REJECTED: 'opening',
  ENVELOPE_EXPIRED_OR_REPLAYED: 'expiry',
  ENVELOPE_REPLAY_STORE_UNAVAILABLE: 'replay',
  ENVELOPE_PLAINTEXT_INVALID: 'content',
  CONTENT_ENCODING_UNSUPPORTED: 'bodyOpening',
  MEDIA_TYPE_UNSUPPORTED: 'bodyOpening',
  BODY_MALFORMED: 'delivery',
  BODY_TOO_LARGE: 'delivery',
  VALIDATION_FAILED: 'content',
  IDEMPOTENCY_KEY_REQUIRED: 'idempotency',
  IDEMPOTENCY_KEY_INVALID: 'idempotency',
  IDEMPOTENCY_BODY_UNSUPPORTED: 'idempotency',
  IDEMPOTENCY_PROCESSING: 'idempotency',
  IDEMPOTENCY_SUBMITTED: 'idempotency',
  IDEMPOTENCY_OUTCOME_UNKNOWN: 'idempotency',
  IDEMPOTENCY_DIGEST_MISMATCH: 'idempotency',
  IDEMPOTENCY_STORE_UNAVAILABLE: 'idempotency',
  ACCOUNT_GONE: 'handler',
  INTERNAL_ERROR: 'anywhere',
  DATABASE_UNAVAILABLE: 'anywhere',
  STORE_UNAVAILABLE: 'anywhere',
  AUDIT_UNAVAILABLE: 'anywhere',
};

export function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(STAGE_OF_CODE, code);
}

/** The outcome of a request. `stage` null: the answer does not say which stage decided. */
export type Decision =
  | { readonly kind: 'executed' }
  | { readonly kind: 'refused'; readonly stage: Stage | null }
  | { readonly kind: 'unknown' };

export function decisionOf(exchange: Exchange, windowSeconds: number): Decision {
  const { answer } = exchange;
  if (answer.kind !== 'answered') return { kind: 'unknown' };
  if (answer.status < 400) return { kind: 'executed' };
  const { code } = answer;
  if (code === null || !isRefusalCode(code)) return { kind: 'refused', stage: null };
  return { kind: 'refused', stage: placed(STAGE_OF_CODE[code], exchange, windowSeconds) };
}

function placed(placement: Placement, exchange: Exchange, windowSeconds: number): Stage | null {
  const { envelope } = exchange.sent;
  const opening = envelope?.carrier === 'query' ? 'queryOpening' : 'bodyOpening';
  switch (placement) {
    case 'opening':
      return opening;
    case 'delivery':
      return envelope === null ? 'bodyOpening' : 'content';
    case 'expiry':
      return isExpired(exchange, windowSeconds) ? opening : 'replay';
    case 'anywhere':
      return null;
    default:
      return placement;
  }
}

/** One code says both that the time is wrong and that the nonce was used. The service's clock shows which. */
export function isExpired({ sent, answer }: Exchange, windowSeconds: number): boolean {
  if (sent.envelope === null || answer.kind !== 'answered' || answer.serverTime === null) return false;
  return Math.abs(answer.serverTime - sent.envelope.members.ts) > windowSeconds * 1000;
}
