import { detailTexts, statusTexts } from '../../http/error-texts.js';
import { REQUEST_ID } from '../../http/example-values.js';
import { type RefusalCode, refusalStatuses } from './refusal-statuses.js';

/** What some refusals carry beside their code. */
const carried: Partial<Record<RefusalCode, object>> = {
  VALIDATION_FAILED: { errors: [{ pointer: '/displayName', detail: 'is required' }] },
  RATE_LIMITED: { retryAfterSeconds: 12 },
  LOGIN_LOCKED: { retryAfterSeconds: 600 },
  SMS_LIMITED: { retryAfterSeconds: 60 },
  CAPTCHA_REQUIRED: { clientAction: 'answer-captcha' },
  ENVELOPE_EXPIRED_OR_REPLAYED: { serverTime: 1_790_000_000_000 },
  IDEMPOTENCY_PROCESSING: { retryAfterSeconds: 1, clientAction: 'wait-then-retry' },
  IDEMPOTENCY_OUTCOME_UNKNOWN: { clientAction: 'check-then-new-key' },
  AUDIT_UNAVAILABLE: { clientAction: 'check-then-retry' },
};

const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });

/** The answers of refusals by status, each with its codes and an example of every one. */
export function refusalAnswers(codes: readonly RefusalCode[], isSealable: boolean): Record<string, object> {
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of [...new Set(codes)].sort()) {
    const status = refusalStatuses[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [String(status), refusalAnswer(status, ofStatus, isSealable)]),
  );
}

function refusalAnswer(status: number, codes: readonly RefusalCode[], isSealable: boolean): object {
  const code = { type: 'string', enum: codes };
  return {
    description: codes.map((each) => `\`${each}\`: ${detailTexts[each]?.en ?? ''}`).join('\n\n'),
    headers: {
      ...header('X-Request-Id'),
      ...(status === 401 || status === 403 ? header('WWW-Authenticate') : {}),
      ...([409, 429, 503].includes(status) ? header('Retry-After') : {}),
    },
    content: {
      'application/problem+json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties: { code } }] },
        examples: Object.fromEntries(codes.map((each) => [each, { value: exampleOf(each, status) }])),
      },
      ...(isSealable && { 'application/json': { schema: { $ref: '#/components/schemas/SealedAnswer' } } }),
    },
  };
}

function exampleOf(code: RefusalCode, status: number): object {
  return {
    type: 'about:blank',
    title: statusTexts[status]?.en ?? '',
    status,
    detail: detailTexts[code]?.en ?? '',
    code,
    requestId: REQUEST_ID,
    ...carried[code],
  };
}
