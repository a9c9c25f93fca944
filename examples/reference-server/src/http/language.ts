export type Language = 'en' | 'zh-CN';

/** A text in every language of this server. */
export type Texts = Readonly<Record<Language, string>>;

/** The name of a status, used as the `title` of a refusal. */
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
 * The language of the answer: the first of `Accept-Language`, by weight, that is English or Chinese, otherwise English.
 * Every variant of Chinese gets the simplified texts.
 */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  let best: { language: Language; weight: number } = { language: 'en', weight: 0 };
  if (acceptLanguage === undefined) return best.language;
  // Clients send a handful of entries. Longer headers are not worth the work.
  for (const entry of acceptLanguage.split(',', 20)) {
    const [, tag, weight] =
      /^\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]{1,35})?\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?$/.exec(entry) ?? [];
    const language = tag?.toLowerCase() === 'zh' ? 'zh-CN' : tag?.toLowerCase() === 'en' ? 'en' : null;
    if (language !== null && Number(weight ?? 1) > best.weight) best = { language, weight: Number(weight ?? 1) };
  }
  return best.language;
}
