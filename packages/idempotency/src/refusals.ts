import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  IDEMPOTENCY_KEY_REQUIRED: {
    status: 400,
    retry: 'send-key',
    message: 'The header Idempotency-Key is required',
    en: 'This request needs the header Idempotency-Key.',
    'zh-CN': '该请求需要请求头 Idempotency-Key。',
  },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    retry: 'send-key',
    message: 'The header Idempotency-Key must be one UUID',
    en: 'The header Idempotency-Key has to be one UUID.',
    'zh-CN': '请求头 Idempotency-Key 必须是一个 UUID。',
  },
  IDEMPOTENCY_BODY_UNSUPPORTED: {
    status: 400,
    retry: 'correct-request',
    en: 'The request cannot be compared with its retries.',
    'zh-CN': '无法将该请求与其重试进行比对。',
  },
  IDEMPOTENCY_PROCESSING: {
    status: 409,
    retry: 'wait-then-retry',
    en: 'The same request is being processed. Wait a moment.',
    'zh-CN': '相同请求正在处理中，请稍候。',
  },
  IDEMPOTENCY_SUBMITTED: {
    status: 409,
    retry: 'refresh-and-view',
    message: 'The request was submitted already; refresh and view the result',
    en: 'This was submitted already. Refresh and view the result.',
    'zh-CN': '请求已提交，请刷新后查看结果。',
  },
  IDEMPOTENCY_DIGEST_MISMATCH: {
    status: 422,
    retry: 'new-key',
    message: 'The Idempotency-Key belongs to a request with other content',
    en: 'This Idempotency-Key belongs to a request with other content. Use a new one.',
    'zh-CN': '该 Idempotency-Key 已用于其他内容的请求，请使用新的值。',
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    status: 409,
    retry: 'check-then-new-key',
    message: 'Whether the request took effect is unknown; check, and if it did not, send it with a new key',
    en: 'Whether this took effect is unknown. Check, and if it did not, send it with a new Idempotency-Key.',
    'zh-CN': '无法确定请求是否已生效，请先核实；如未生效，请使用新的 Idempotency-Key 重新提交。',
  },
  IDEMPOTENCY_STORE_UNAVAILABLE: {
    status: 503,
    retry: 'retry-same-key',
    message: 'The request was not processed; send it again with the same key',
    en: 'The request was not processed. Send it again with the same Idempotency-Key.',
    'zh-CN': '请求未被处理，请使用相同的 Idempotency-Key 重新提交。',
  },
  IDEMPOTENCY_NOT_COMPLETED: {
    status: 500,
    retry: 'check-then-new-key',
    message: 'The handler of %s must %s',
    en: 'Whether this took effect is unknown. Check, and if it did not, send it with a new Idempotency-Key.',
    'zh-CN': '无法确定请求是否已生效，请先核实；如未生效，请使用新的 Idempotency-Key 重新提交。',
  },
  IDEMPOTENCY_NOT_BEGUN: {
    status: 500,
    retry: 'check-then-retry',
    message: 'The handler must call request.idempotency.begin(content) before it writes',
    en: 'Whether this took effect is unknown. Check before you send it again.',
    'zh-CN': '无法确定请求是否已生效，重新提交前请先核实。',
  },
});

export type IdempotencyRefusalCode = keyof typeof refusals;
