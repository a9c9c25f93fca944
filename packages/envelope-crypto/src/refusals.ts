import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package and of the replay guard, by code. */
export const refusals = defineRefusals({
  ENVELOPE_REQUIRED: {
    status: 400,
    retry: 'seal-again',
    en: 'This endpoint needs an encrypted request.',
    'zh-CN': '该接口要求加密请求。',
  },
  ENVELOPE_VERSION_UNSUPPORTED: {
    status: 400,
    retry: 'correct-request',
    en: 'The encryption protocol version is not supported.',
    'zh-CN': '不支持该加密协议版本。',
  },
  ENVELOPE_MALFORMED: {
    status: 400,
    retry: 'correct-request',
    en: 'The encrypted request is malformed.',
    'zh-CN': '加密请求格式错误。',
  },
  ENVELOPE_TOO_LARGE: {
    status: 413,
    retry: 'correct-request',
    en: 'The encrypted request is too large.',
    'zh-CN': '加密请求过大。',
  },
  ENVELOPE_KEY_UNKNOWN: {
    status: 400,
    retry: 'seal-again',
    message: 'The encrypted request names an unknown key',
    en: 'The encrypted request was made for an unknown key. Read the public key again.',
    'zh-CN': '加密请求使用了未知密钥，请重新获取公钥。',
  },
  ENVELOPE_EXPIRED_OR_REPLAYED: {
    status: 400,
    retry: 'seal-again',
    en: 'Encrypted request expired or submitted twice.',
    'zh-CN': '加密请求已过期或重复提交。',
  },
  ENVELOPE_REJECTED: {
    status: 400,
    retry: 'seal-again',
    en: 'The encrypted request was rejected.',
    'zh-CN': '加密请求被拒绝。',
  },
  ENVELOPE_PLAINTEXT_INVALID: {
    status: 400,
    retry: 'correct-request',
    message: 'The decrypted request is not a query and a body',
    en: 'The decrypted request is not well-formed.',
    'zh-CN': '解密后的请求内容格式错误。',
  },
  ENVELOPE_REPLAY_STORE_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'Encrypted requests cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验加密请求，请稍后再试。',
  },
  ENVELOPE_KEY_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'Encrypted requests cannot be opened at the moment. Try again later.',
    'zh-CN': '暂时无法解密请求，请稍后再试。',
  },
  ENVELOPE_NOT_DELIVERED: {
    status: 500,
    retry: 'never',
    message: '%s',
    en: 'The service is set up wrongly.',
    'zh-CN': '服务配置错误。',
  },
  ENVELOPE_RAW_URL_UNDECLARED: {
    status: 500,
    retry: 'never',
    message:
      'route %s: the raw URL of an encrypted request has no query. Read request.query, or set config.deliverRawUrl: true',
    en: 'The service is set up wrongly.',
    'zh-CN': '服务配置错误。',
  },
  ENVELOPE_HIJACK_UNDECLARED: {
    status: 500,
    retry: 'never',
    message:
      'route %s: what is written past Fastify leaves in the clear. Send the reply, or set config.allowHijack: true',
    en: 'The service is set up wrongly.',
    'zh-CN': '服务配置错误。',
  },
  ENVELOPE_SEALING_FAILED: {
    status: 500,
    retry: 'check-then-retry',
    message: 'The response could not be encrypted',
    en: 'The answer could not be encrypted. See whether the request took effect before you try again.',
    'zh-CN': '响应无法加密。重试前请先核实操作是否已生效。',
  },
});

export type EnvelopeRefusalCode = keyof typeof refusals;
