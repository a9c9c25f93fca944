export type Language = 'en' | 'zh-CN';

type Texts = Readonly<Record<Language, string>>;

/**
 * What people read about each refusal. The code is the stable part, for programs; these sentences say what happened
 * and what to do, and no more than the client may know.
 */
export const detailTexts: Readonly<Record<string, Texts>> = {
  // The server itself.
  VALIDATION_FAILED: { en: 'The request is not valid.', 'zh-CN': '请求内容无效。' },
  BODY_MALFORMED: { en: 'The body is not well-formed JSON.', 'zh-CN': '请求体不是有效的 JSON。' },
  BODY_TOO_LARGE: { en: 'The body is too large.', 'zh-CN': '请求体过大。' },
  MEDIA_TYPE_UNSUPPORTED: { en: 'The body has to be application/json.', 'zh-CN': '请求体必须是 application/json。' },
  URL_MALFORMED: { en: 'The address is not well-formed.', 'zh-CN': '请求地址格式错误。' },
  URL_TOO_LONG: { en: 'A part of the address is too long.', 'zh-CN': '请求地址过长。' },
  REQUEST_MALFORMED: { en: 'The request is not well-formed HTTP.', 'zh-CN': '请求不符合 HTTP 格式。' },
  REQUEST_TIMEOUT: { en: 'The request did not arrive in time.', 'zh-CN': '请求未在规定时间内到达。' },
  HEADERS_TOO_LARGE: { en: 'Address and headers are too large.', 'zh-CN': '请求地址和请求头过大。' },
  HEADERS_TOO_MANY: { en: 'The request has too many headers.', 'zh-CN': '请求头过多。' },
  NOT_FOUND: { en: 'There is nothing at this address.', 'zh-CN': '请求的地址不存在。' },
  SAFE_MODE: {
    en: 'This is a demonstration: nothing can be changed here.',
    'zh-CN': '当前为演示模式，不能进行修改操作。',
  },
  ACCOUNT_GONE: { en: 'The account no longer exists.', 'zh-CN': '该账号已不存在。' },
  GRANT_NOT_HELD: {
    en: 'You can grant and change only rights that you hold yourself.',
    'zh-CN': '您只能授予或变更自己拥有的权限。',
  },
  OWN_ACCOUNT: { en: 'This cannot be done to your own account.', 'zh-CN': '不能对自己的账号执行此操作。' },
  USERNAME_TAKEN: { en: 'Another account has this user name.', 'zh-CN': '该用户名已被使用。' },
  ROLE_NAME_TAKEN: { en: 'Another role has this name.', 'zh-CN': '该角色名称已被使用。' },
  ROLE_IN_USE: {
    en: 'Administrators have this role. Take it from them first.',
    'zh-CN': '该角色仍有管理员使用，请先移除。',
  },
  ROLE_UNKNOWN: { en: 'One of the roles does not exist.', 'zh-CN': '所选角色不存在。' },
  VERSION_CONFLICT: {
    en: 'Somebody changed this meanwhile. Read it again.',
    'zh-CN': '内容已被他人修改，请重新读取。',
  },
  OLD_PASSWORD_WRONG: { en: 'The old password is wrong.', 'zh-CN': '原密码错误。' },
  LAST_FULL_ADMINISTRATOR: {
    en: 'Somebody else has to have every permission first.',
    'zh-CN': '须先有其他管理员拥有全部权限。',
  },
  RATE_LIMITED: { en: 'Too many requests. Try again later.', 'zh-CN': '请求过于频繁，请稍后再试。' },
  LOGIN_FAILED: { en: 'The sign-in details are wrong.', 'zh-CN': '登录信息有误。' },
  CAPTCHA_INVALID: {
    en: 'The captcha was not answered, or it was used. Answer a new one.',
    'zh-CN': '验证码错误或已失效，请重新获取。',
  },
  CAPTCHA_REQUIRED: {
    en: 'Answer a captcha first, and ask again.',
    'zh-CN': '请先完成验证码，再重新获取短信验证码。',
  },
  SMS_LIMITED: { en: 'Too many codes were sent. Try again later.', 'zh-CN': '短信验证码发送过于频繁，请稍后再试。' },
  NOTIFICATION_QUEUE_UNAVAILABLE: {
    en: 'Messages cannot be sent at the moment. Try again later.',
    'zh-CN': '暂时无法发送消息，请稍后再试。',
  },
  SMS_UNAVAILABLE: { en: 'Text messages cannot be sent here.', 'zh-CN': '短信服务不可用。' },
  MOBILE_REGION_REFUSED: {
    en: 'No messages are sent to numbers of this country.',
    'zh-CN': '不支持向该国家或地区的号码发送短信。',
  },
  MOBILE_INVALID: { en: 'This is not a mobile number.', 'zh-CN': '手机号码格式错误。' },
  SMS_CODE_WRONG: {
    en: 'The code is wrong, or it can no longer be used.',
    'zh-CN': '短信验证码错误或已失效。',
  },
  REGISTRATION_CLOSED: { en: 'Registration is closed.', 'zh-CN': '注册功能未开放。' },
  PASSWORD_WORKERS_BUSY: {
    en: 'Too many sign-ins at once. Try again in a moment.',
    'zh-CN': '当前登录人数过多，请稍后再试。',
  },
  DATABASE_UNAVAILABLE: { en: 'The service is temporarily unavailable.', 'zh-CN': '服务暂时不可用。' },
  AUDIT_UNAVAILABLE: {
    en: 'The operation could not be recorded and is not confirmed. See whether it took effect before you try again.',
    'zh-CN': '操作未能记入审计日志，结果未确认。重试前请先核实操作是否已生效。',
  },
  STORE_UNAVAILABLE: { en: 'The service is temporarily unavailable.', 'zh-CN': '服务暂时不可用。' },
  STORAGE_FULL: { en: 'There is no room for the file at the moment.', 'zh-CN': '存储空间不足，暂时无法保存文件。' },
  STORAGE_UNAVAILABLE: {
    en: 'Files are not available at the moment. Try again later.',
    'zh-CN': '文件暂时不可用，请稍后再试。',
  },
  RANGE_NOT_SATISFIABLE: { en: 'The file has no such bytes.', 'zh-CN': '请求的范围超出文件大小。' },
  INTERNAL_ERROR: {
    en: 'Something went wrong here. Name the request id when you report it.',
    'zh-CN': '服务器内部错误，反馈问题时请提供请求编号。',
  },
  REQUEST_REFUSED: { en: 'The request was refused.', 'zh-CN': '请求被拒绝。' },

  // @sallyport/auth-tokens
  TOKEN_MISSING: { en: 'Sign in first.', 'zh-CN': '请先登录。' },
  TOKEN_INVALID: { en: 'The access token is not valid. Sign in again.', 'zh-CN': '访问令牌无效，请重新登录。' },
  SESSION_REVOKED: { en: 'The session was ended. Sign in again.', 'zh-CN': '会话已结束，请重新登录。' },
  SESSION_EXPIRED: { en: 'The session has expired. Sign in again.', 'zh-CN': '会话已过期，请重新登录。' },
  SESSION_SUPERSEDED: {
    en: 'The session was ended by a newer sign-in. Sign in again.',
    'zh-CN': '会话已被新的登录取代，请重新登录。',
  },
  PASSWORD_CHANGED: { en: 'The password was changed. Sign in again.', 'zh-CN': '密码已修改，请重新登录。' },
  ACCOUNT_DISABLED: { en: 'The account is disabled.', 'zh-CN': '账号已停用。' },
  PERMISSION_DENIED: { en: 'You have no permission for this.', 'zh-CN': '您没有执行此操作的权限。' },
  TICKET_INVALID: { en: 'The ticket is not valid, or it was used.', 'zh-CN': '票据无效或已使用。' },
  TICKET_USE_INVALID: { en: 'No ticket can be had for this.', 'zh-CN': '无法为此用途签发票据。' },
  SESSION_STORE_UNAVAILABLE: {
    en: 'Sessions cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验会话，请稍后再试。',
  },
  SESSION_LIFETIME_UNAVAILABLE: {
    en: 'Sessions cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验会话，请稍后再试。',
  },
  PERMISSIONS_UNAVAILABLE: {
    en: 'Permissions cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验权限，请稍后再试。',
  },

  // @sallyport/login-policy
  LOGIN_LOCKED: {
    en: 'Too many failed sign-ins. Try again later.',
    'zh-CN': '登录失败次数过多，请稍后再试。',
  },
  LOGIN_IP_REFUSED: { en: 'Sign-in is not allowed from this address.', 'zh-CN': '不允许从该 IP 地址登录。' },
  LOGIN_NAME_REFUSED: { en: 'This is not a user name.', 'zh-CN': '用户名格式错误。' },
  LOGIN_TERMINAL_REFUSED: { en: 'This terminal cannot sign in here.', 'zh-CN': '不支持该登录终端。' },
  LOGIN_POLICY_UNAVAILABLE: {
    en: 'Sign-ins cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验登录，请稍后再试。',
  },

  // @sallyport/upload-policy
  UPLOAD_EMPTY: { en: 'The file is empty.', 'zh-CN': '文件为空。' },
  UPLOAD_TOO_LARGE: { en: 'The file is too large.', 'zh-CN': '文件过大。' },
  UPLOAD_TYPE_REFUSED: { en: 'A file like this is not accepted.', 'zh-CN': '不接受此类文件。' },
  UPLOAD_MALFORMED: {
    en: 'The body has to be a form (multipart/form-data) with exactly one file.',
    'zh-CN': '请求体必须是仅含一个文件的表单（multipart/form-data）。',
  },
  UPLOAD_PREVIEW_REFUSED: { en: 'This file may not be previewed publicly.', 'zh-CN': '该文件不允许公开预览。' },
  UPLOAD_NOT_STORED: {
    en: 'The file cannot be stored at the moment. Try again later.',
    'zh-CN': '暂时无法保存文件，请稍后再试。',
  },
  UPLOAD_POLICY_UNAVAILABLE: {
    en: 'Uploads cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法检查上传文件，请稍后再试。',
  },

  // @sallyport/system-parameters
  PARAMETER_UNKNOWN: { en: 'There is no such system parameter.', 'zh-CN': '系统参数不存在。' },
  PARAMETER_INVALID: { en: 'The change is not valid.', 'zh-CN': '修改内容无效。' },
  PARAMETER_VERSION_CONFLICT: {
    en: 'The parameter was changed meanwhile. Read it again.',
    'zh-CN': '该参数已被他人修改，请重新读取。',
  },
  PARAMETER_CONFIRMATION_NEEDED: {
    en: 'The change needs to be confirmed.',
    'zh-CN': '该修改需要确认。',
  },
  PARAMETER_CHANGE_NOT_RECORDED: {
    en: 'The change could not be recorded and was not made. Try again later.',
    'zh-CN': '修改无法记录，未生效，请稍后再试。',
  },
  SYSTEM_PARAMETERS_UNAVAILABLE: {
    en: 'System parameters are not available at the moment. Try again later.',
    'zh-CN': '系统参数暂时不可用，请稍后再试。',
  },

  // @sallyport/idempotency
  IDEMPOTENCY_KEY_REQUIRED: {
    en: 'This request needs the header Idempotency-Key.',
    'zh-CN': '该请求需要请求头 Idempotency-Key。',
  },
  IDEMPOTENCY_KEY_INVALID: {
    en: 'The header Idempotency-Key has to be one UUID.',
    'zh-CN': '请求头 Idempotency-Key 必须是一个 UUID。',
  },
  IDEMPOTENCY_BODY_UNSUPPORTED: {
    en: 'The request cannot be compared with its retries.',
    'zh-CN': '无法将该请求与其重试进行比对。',
  },
  IDEMPOTENCY_PROCESSING: {
    en: 'The same request is being processed. Wait a moment.',
    'zh-CN': '相同请求正在处理中，请稍候。',
  },
  IDEMPOTENCY_SUBMITTED: {
    en: 'This was submitted already. Refresh and view the result.',
    'zh-CN': '请求已提交，请刷新后查看结果。',
  },
  IDEMPOTENCY_DIGEST_MISMATCH: {
    en: 'This Idempotency-Key belongs to a request with other content. Use a new one.',
    'zh-CN': '该 Idempotency-Key 已用于其他内容的请求，请使用新的值。',
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    en: 'Whether this took effect is unknown. Check, and if it did not, send it with a new Idempotency-Key.',
    'zh-CN': '无法确定请求是否已生效，请先核实；如未生效，请使用新的 Idempotency-Key 重新提交。',
  },
  IDEMPOTENCY_STORE_UNAVAILABLE: {
    en: 'The request was not processed. Send it again with the same Idempotency-Key.',
    'zh-CN': '请求未被处理，请使用相同的 Idempotency-Key 重新提交。',
  },

  // @sallyport/envelope-crypto and @sallyport/replay-guard
  ENVELOPE_REQUIRED: { en: 'This endpoint needs an encrypted request.', 'zh-CN': '该接口要求加密请求。' },
  ENVELOPE_VERSION_UNSUPPORTED: {
    en: 'The encryption protocol version is not supported.',
    'zh-CN': '不支持该加密协议版本。',
  },
  ENVELOPE_MALFORMED: { en: 'The encrypted request is malformed.', 'zh-CN': '加密请求格式错误。' },
  ENVELOPE_TOO_LARGE: { en: 'The encrypted request is too large.', 'zh-CN': '加密请求过大。' },
  ENVELOPE_KEY_UNKNOWN: {
    en: 'The encrypted request was made for an unknown key. Read the public key again.',
    'zh-CN': '加密请求使用了未知密钥，请重新获取公钥。',
  },
  ENVELOPE_EXPIRED_OR_REPLAYED: {
    en: 'Encrypted request expired or submitted twice.',
    'zh-CN': '加密请求已过期或重复提交。',
  },
  ENVELOPE_REJECTED: { en: 'The encrypted request was rejected.', 'zh-CN': '加密请求被拒绝。' },
  ENVELOPE_PLAINTEXT_INVALID: {
    en: 'The decrypted request is not well-formed.',
    'zh-CN': '解密后的请求内容格式错误。',
  },
  ENVELOPE_REPLAY_STORE_UNAVAILABLE: {
    en: 'Encrypted requests cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验加密请求，请稍后再试。',
  },
  ENVELOPE_KEY_UNAVAILABLE: {
    en: 'Encrypted requests cannot be opened at the moment. Try again later.',
    'zh-CN': '暂时无法解密请求，请稍后再试。',
  },
};

/** Where no text of its own is there: the status alone. */
export const statusTexts: Readonly<Record<number, Texts>> = {
  400: { en: 'Bad Request', 'zh-CN': '请求错误' },
  401: { en: 'Unauthorized', 'zh-CN': '未认证' },
  403: { en: 'Forbidden', 'zh-CN': '无权访问' },
  404: { en: 'Not Found', 'zh-CN': '未找到' },
  405: { en: 'Method Not Allowed', 'zh-CN': '方法不允许' },
  408: { en: 'Request Timeout', 'zh-CN': '请求超时' },
  409: { en: 'Conflict', 'zh-CN': '冲突' },
  410: { en: 'Gone', 'zh-CN': '已失效' },
  413: { en: 'Content Too Large', 'zh-CN': '内容过大' },
  414: { en: 'URI Too Long', 'zh-CN': '地址过长' },
  415: { en: 'Unsupported Media Type', 'zh-CN': '媒体类型不支持' },
  416: { en: 'Range Not Satisfiable', 'zh-CN': '请求范围不符合要求' },
  422: { en: 'Unprocessable Content', 'zh-CN': '内容无法处理' },
  429: { en: 'Too Many Requests', 'zh-CN': '请求过多' },
  431: { en: 'Request Header Fields Too Large', 'zh-CN': '请求头过大' },
  500: { en: 'Internal Server Error', 'zh-CN': '服务器内部错误' },
  503: { en: 'Service Unavailable', 'zh-CN': '服务不可用' },
  507: { en: 'Insufficient Storage', 'zh-CN': '存储空间不足' },
};

/**
 * The language of the answer: the first of `Accept-Language`, by weight, that is English or Chinese; else English.
 * Every form of Chinese gets the simplified texts, the only ones there are.
 */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  let best: { language: Language; weight: number } = { language: 'en', weight: 0 };
  if (acceptLanguage === undefined) return best.language;
  // A header of ours has a handful of entries; a longer one is somebody's experiment.
  for (const entry of acceptLanguage.split(',', 20)) {
    const [, tag, weight] =
      /^\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]{1,35})?\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?$/.exec(entry) ?? [];
    const language = tag?.toLowerCase() === 'zh' ? 'zh-CN' : tag?.toLowerCase() === 'en' ? 'en' : null;
    if (language !== null && Number(weight ?? 1) > best.weight) best = { language, weight: Number(weight ?? 1) };
  }
  return best.language;
}
