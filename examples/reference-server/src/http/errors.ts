import { defineRefusal, type PlaceFault } from './refusal.js';

/** The request violates its schema, or a rule that no schema can express. */
export const ValidationFailedError = defineRefusal({
  code: 'VALIDATION_FAILED',
  status: 400,
  en: 'The request is not valid.',
  'zh-CN': '请求内容无效。',
});

/** A member of the body violates a rule that no schema can express. */
export class BodyInvalidError extends ValidationFailedError {
  readonly errors: readonly PlaceFault[];
  constructor(errors: readonly PlaceFault[]) {
    super();
    this.errors = errors;
  }
}

/** The values of a query contradict each other, or violate a rule that no schema can express. */
export class QueryInvalidError extends ValidationFailedError {
  readonly errors: readonly PlaceFault[];
  constructor(errors: readonly PlaceFault[]) {
    super();
    this.errors = errors;
  }
}

export const BodyMalformedError = defineRefusal({
  code: 'BODY_MALFORMED',
  status: 400,
  en: 'The body is missing, or is not well-formed JSON.',
  'zh-CN': '请求体缺失，或不是有效的 JSON。',
});

export const BodyTooLargeError = defineRefusal({
  code: 'BODY_TOO_LARGE',
  status: 413,
  en: 'The body is too large.',
  'zh-CN': '请求体过大。',
});

export const MediaTypeUnsupportedError = defineRefusal({
  code: 'MEDIA_TYPE_UNSUPPORTED',
  status: 415,
  en: 'The body has to be application/json.',
  'zh-CN': '请求体必须是 application/json。',
});

export const UrlMalformedError = defineRefusal({
  code: 'URL_MALFORMED',
  status: 400,
  en: 'The address is not well-formed.',
  'zh-CN': '请求地址格式错误。',
});

export const UrlTooLongError = defineRefusal({
  code: 'URL_TOO_LONG',
  status: 414,
  en: 'A part of the address is too long.',
  'zh-CN': '请求地址过长。',
});

/** The input is not HTTP. */
export const RequestMalformedError = defineRefusal({
  code: 'REQUEST_MALFORMED',
  status: 400,
  en: 'The request is not well-formed HTTP.',
  'zh-CN': '请求不符合 HTTP 格式。',
});

export const RequestTimeoutError = defineRefusal({
  code: 'REQUEST_TIMEOUT',
  status: 408,
  en: 'The request did not arrive in time.',
  'zh-CN': '请求未在规定时间内到达。',
});

export const HeadersTooLargeError = defineRefusal({
  code: 'HEADERS_TOO_LARGE',
  status: 431,
  en: 'Address and headers are too large.',
  'zh-CN': '请求地址和请求头过大。',
});

/** An unexpected error. Clients learn nothing about it. */
export const InternalError = defineRefusal({
  code: 'INTERNAL_ERROR',
  status: 500,
  en: 'Something went wrong here. Name the request id when you report it.',
  'zh-CN': '服务器内部错误，反馈问题时请提供请求编号。',
});

/** A refusal by Fastify or a plugin that has no texts here. It keeps its own status. */
export const RequestRefusedError = defineRefusal({
  code: 'REQUEST_REFUSED',
  status: 400,
  en: 'The request was refused.',
  'zh-CN': '请求被拒绝。',
});

/** No route has this path and method. */
export const NotFoundError = defineRefusal({
  code: 'NOT_FOUND',
  status: 404,
  en: 'There is nothing at this address.',
  'zh-CN': '请求的地址不存在。',
});

/** One client exceeded the limit of the flood gate or of a route. */
export class RateLimitedError extends defineRefusal({
  code: 'RATE_LIMITED',
  status: 429,
  en: 'Too many requests. Try again later.',
  'zh-CN': '请求过于频繁，请稍后再试。',
  // A flood creates many of these, and their stack is of no use.
  hasStack: false,
}) {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super();
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  }
}

/** The resource was changed since the caller read it. */
export const VersionConflictError = defineRefusal({
  code: 'VERSION_CONFLICT',
  status: 409,
  en: 'Somebody changed this meanwhile. Read it again.',
  'zh-CN': '内容已被他人修改，请重新读取。',
});

/** A write by an account that no longer exists. */
export const AccountGoneError = defineRefusal({
  code: 'ACCOUNT_GONE',
  status: 404,
  en: 'The account no longer exists.',
  'zh-CN': '该账号已不存在。',
});

/** The text is not a mobile number. */
export const MobileInvalidError = defineRefusal({
  code: 'MOBILE_INVALID',
  status: 400,
  en: 'This is not a mobile number.',
  'zh-CN': '手机号码格式错误。',
});
