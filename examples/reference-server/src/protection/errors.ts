import { AuditUnavailableError } from '@sallyport/audit-log';
import {
  AccountDisabledError,
  LifetimeUnavailableError,
  PasswordChangedError,
  PermissionDeniedError,
  PermissionsUnavailableError,
  SessionConnectionsExceededError,
  SessionExpiredError,
  SessionRevokedError,
  SessionStoreUnavailableError,
  SessionSupersededError,
  TokenInvalidError,
  TokenMissingError,
} from '@sallyport/auth-tokens';
import {
  EnvelopeExpiredOrReplayedError,
  EnvelopeKeyUnavailableError,
  EnvelopeKeyUnknownError,
  EnvelopeMalformedError,
  EnvelopePlaintextInvalidError,
  EnvelopeRejectedError,
  EnvelopeReplayStoreUnavailableError,
  EnvelopeRequiredError,
  EnvelopeTooLargeError,
  EnvelopeVersionUnsupportedError,
} from '@sallyport/envelope-crypto';
import {
  IdempotencyBodyUnsupportedError,
  IdempotencyDigestMismatchError,
  IdempotencyKeyInvalidError,
  IdempotencyKeyRequiredError,
  IdempotencyOutcomeUnknownError,
  IdempotencyProcessingError,
  IdempotencyStoreUnavailableError,
  IdempotencySubmittedError,
} from '@sallyport/idempotency';
import { defineRefusal, describeRefusal } from '../http/refusal.js';

/** The request has more header lines than our clients send (SV-04). */
export const HeadersTooManyError = defineRefusal({
  code: 'HEADERS_TOO_MANY',
  status: 431,
  en: 'The request has too many headers.',
  'zh-CN': '请求头过多。',
});

/** HTTP-6. */
export const HostInvalidError = defineRefusal({
  code: 'HOST_INVALID',
  status: 400,
  en: 'The request needs exactly one valid Host header.',
  'zh-CN': '请求必须包含且只包含一个有效的 Host 请求头。',
});

/** HTTP-7. */
export const ContentEncodingUnsupportedError = defineRefusal({
  code: 'CONTENT_ENCODING_UNSUPPORTED',
  status: 415,
  en: 'A body with a Content-Encoding, or with a Transfer-Encoding other than chunked, is not accepted.',
  'zh-CN': '不接受带有 Content-Encoding 或 chunked 以外 Transfer-Encoding 的请求体。',
});

/** Safe mode is on and refuses all changes (OPS-4). */
export const SafeModeError = defineRefusal({
  code: 'SAFE_MODE',
  status: 403,
  en: 'This is a demonstration: nothing can be changed here.',
  'zh-CN': '当前为演示模式，不能进行修改操作。',
});

describeRefusal(new TokenMissingError(), {
  en: 'Sign in first.',
  'zh-CN': '请先登录。',
});

describeRefusal(new TokenInvalidError(), {
  en: 'The access token is not valid. Sign in again.',
  'zh-CN': '访问令牌无效，请重新登录。',
});

describeRefusal(new SessionRevokedError(), {
  en: 'The session was ended. Sign in again.',
  'zh-CN': '会话已结束，请重新登录。',
});

describeRefusal(new SessionExpiredError(), {
  en: 'The session has expired. Sign in again.',
  'zh-CN': '会话已过期，请重新登录。',
});

describeRefusal(new SessionSupersededError(), {
  en: 'The session was ended by a newer sign-in. Sign in again.',
  'zh-CN': '会话已被新的登录取代，请重新登录。',
});

describeRefusal(new PasswordChangedError(), {
  en: 'The password was changed. Sign in again.',
  'zh-CN': '密码已修改，请重新登录。',
});

describeRefusal(new AccountDisabledError(), {
  en: 'The account is disabled.',
  'zh-CN': '账号已停用。',
});

describeRefusal(new PermissionDeniedError(), {
  en: 'You have no permission for this.',
  'zh-CN': '您没有执行此操作的权限。',
});

describeRefusal(new SessionStoreUnavailableError(), {
  en: 'Sessions cannot be checked at the moment. Try again later.',
  'zh-CN': '暂时无法校验会话，请稍后再试。',
});

describeRefusal(new SessionConnectionsExceededError(), {
  en: 'You have too many downloads and uploads open. Try again when one has ended.',
  'zh-CN': '同时进行的下载和上传过多，请在其中一个结束后再试。',
});

describeRefusal(new LifetimeUnavailableError(), {
  en: 'Sessions cannot be checked at the moment. Try again later.',
  'zh-CN': '暂时无法校验会话，请稍后再试。',
});

describeRefusal(new PermissionsUnavailableError(), {
  en: 'Permissions cannot be checked at the moment. Try again later.',
  'zh-CN': '暂时无法校验权限，请稍后再试。',
});

describeRefusal(new EnvelopeRequiredError(), {
  en: 'This endpoint needs an encrypted request.',
  'zh-CN': '该接口要求加密请求。',
});

describeRefusal(new EnvelopeVersionUnsupportedError(), {
  en: 'The encryption protocol version is not supported.',
  'zh-CN': '不支持该加密协议版本。',
});

describeRefusal(new EnvelopeMalformedError(), {
  en: 'The encrypted request is malformed.',
  'zh-CN': '加密请求格式错误。',
});

describeRefusal(new EnvelopeTooLargeError(), {
  en: 'The encrypted request is too large.',
  'zh-CN': '加密请求过大。',
});

describeRefusal(new EnvelopeKeyUnknownError(), {
  en: 'The encrypted request was made for an unknown key. Read the public key again.',
  'zh-CN': '加密请求使用了未知密钥，请重新获取公钥。',
});

describeRefusal(new EnvelopeExpiredOrReplayedError(1_790_000_000_000), {
  en: 'Encrypted request expired or submitted twice.',
  'zh-CN': '加密请求已过期或重复提交。',
});

describeRefusal(new EnvelopeRejectedError(), {
  en: 'The encrypted request was rejected.',
  'zh-CN': '加密请求被拒绝。',
});

describeRefusal(new EnvelopePlaintextInvalidError(), {
  en: 'The decrypted request is not well-formed.',
  'zh-CN': '解密后的请求内容格式错误。',
});

describeRefusal(new EnvelopeReplayStoreUnavailableError(), {
  en: 'Encrypted requests cannot be checked at the moment. Try again later.',
  'zh-CN': '暂时无法校验加密请求，请稍后再试。',
});

describeRefusal(new EnvelopeKeyUnavailableError(), {
  en: 'Encrypted requests cannot be opened at the moment. Try again later.',
  'zh-CN': '暂时无法解密请求，请稍后再试。',
  // The plugin counts them: a flood causes one for every request.
  isLogged: true,
});

describeRefusal(new IdempotencyKeyRequiredError(), {
  en: 'This request needs the header Idempotency-Key.',
  'zh-CN': '该请求需要请求头 Idempotency-Key。',
});

describeRefusal(new IdempotencyKeyInvalidError(), {
  en: 'The header Idempotency-Key has to be one UUID.',
  'zh-CN': '请求头 Idempotency-Key 必须是一个 UUID。',
});

describeRefusal(new IdempotencyBodyUnsupportedError(), {
  en: 'The request cannot be compared with its retries.',
  'zh-CN': '无法将该请求与其重试进行比对。',
});

describeRefusal(new IdempotencyProcessingError(1), {
  en: 'The same request is being processed. Wait a moment.',
  'zh-CN': '相同请求正在处理中，请稍候。',
});

describeRefusal(new IdempotencySubmittedError(), {
  en: 'This was submitted already. Refresh and view the result.',
  'zh-CN': '请求已提交，请刷新后查看结果。',
});

describeRefusal(new IdempotencyDigestMismatchError(), {
  en: 'This Idempotency-Key belongs to a request with other content. Use a new one.',
  'zh-CN': '该 Idempotency-Key 已用于其他内容的请求，请使用新的值。',
});

describeRefusal(new IdempotencyOutcomeUnknownError(), {
  en: 'Whether this took effect is unknown. Check, and if it did not, send it with a new Idempotency-Key.',
  'zh-CN': '无法确定请求是否已生效，请先核实；如未生效，请使用新的 Idempotency-Key 重新提交。',
});

describeRefusal(new IdempotencyStoreUnavailableError(1, undefined), {
  en: 'The request was not processed. Send it again with the same Idempotency-Key.',
  'zh-CN': '请求未被处理，请使用相同的 Idempotency-Key 重新提交。',
});

describeRefusal(new AuditUnavailableError(), {
  en: 'The operation could not be recorded and is not confirmed. See whether it took effect before you try again.',
  'zh-CN': '操作未能记入审计日志，结果未确认。重试前请先核实操作是否已生效。',
});
