import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  TOKEN_MISSING: {
    status: 401,
    retry: 'sign-in',
    message: 'A bearer token is required',
    en: 'Sign in first.',
    'zh-CN': '请先登录。',
  },
  TOKEN_INVALID: {
    status: 401,
    retry: 'sign-in',
    message: 'The access token is invalid',
    en: 'The access token is not valid. Sign in again.',
    'zh-CN': '访问令牌无效，请重新登录。',
  },
  SESSION_REVOKED: {
    status: 401,
    retry: 'sign-in',
    message: 'The session was ended; sign in again',
    en: 'The session was ended. Sign in again.',
    'zh-CN': '会话已结束，请重新登录。',
  },
  SESSION_EXPIRED: {
    status: 401,
    retry: 'sign-in',
    message: 'The session has expired; sign in again',
    en: 'The session has expired. Sign in again.',
    'zh-CN': '会话已过期，请重新登录。',
  },
  SESSION_SUPERSEDED: {
    status: 401,
    retry: 'sign-in',
    message: 'The session was ended by a newer sign-in; sign in again',
    en: 'The session was ended by a newer sign-in. Sign in again.',
    'zh-CN': '会话已被新的登录取代，请重新登录。',
  },
  PASSWORD_CHANGED: {
    status: 401,
    retry: 'sign-in',
    message: 'The password was changed; sign in again',
    en: 'The password was changed. Sign in again.',
    'zh-CN': '密码已修改，请重新登录。',
  },
  ACCOUNT_DISABLED: { status: 401, retry: 'never', en: 'The account is disabled.', 'zh-CN': '账号已停用。' },
  PERMISSION_DENIED: {
    status: 403,
    retry: 'never',
    en: 'You have no permission for this.',
    'zh-CN': '您没有执行此操作的权限。',
  },
  SESSION_PURPOSE_REFUSED: {
    status: 403,
    retry: 'sign-in',
    message: 'The session is not for this request: finish the sign-in first',
    en: 'Finish the sign-in first.',
    'zh-CN': '请先完成登录。',
  },
  TICKET_INVALID: {
    status: 403,
    retry: 'new-ticket',
    message: 'The ticket is invalid or was used',
    en: 'The ticket is not valid, or it was used.',
    'zh-CN': '票据无效或已使用。',
  },
  TICKET_USE_INVALID: {
    status: 400,
    retry: 'correct-request',
    message: 'No ticket for this %s',
    en: 'No ticket can be had for this.',
    'zh-CN': '无法为此用途签发票据。',
  },
  SESSION_STORE_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'Sessions cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验会话，请稍后再试。',
  },
  SESSION_CONNECTIONS_EXCEEDED: {
    status: 429,
    retry: 'wait-then-retry',
    message: 'Too many connections of this session are open',
    en: 'You have too many downloads and uploads open. Try again when one has ended.',
    'zh-CN': '同时进行的下载和上传过多，请在其中一个结束后再试。',
  },
  SESSION_LIFETIME_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    message: 'The lifetime of sessions cannot be determined at the moment',
    en: 'Sessions cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验会话，请稍后再试。',
  },
  PERMISSIONS_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'Permissions cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验权限，请稍后再试。',
  },
});

export type AuthTokensRefusalCode = keyof typeof refusals;

/** Why a session ended, which is also the `code` that its token is refused with. */
export type EndReason = Extract<
  AuthTokensRefusalCode,
  'SESSION_REVOKED' | 'SESSION_EXPIRED' | 'PASSWORD_CHANGED' | 'ACCOUNT_DISABLED' | 'SESSION_SUPERSEDED'
>;
