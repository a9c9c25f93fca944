import type { Language } from './error-texts.js';
import { isHashable } from './features/password/password-hashing.js';

/** Formats of this server's own for `format` in a schema, where a pattern can't say it. (`password` is a name of OpenAPI, and accepts all.) */
export const bodyFormats: Readonly<Record<string, (text: string) => boolean>> = {
  'bcrypt-password': isHashable,
};

/** What people read when a text doesn't have its format. */
export const formatTexts: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  'bcrypt-password': {
    en: 'has to have 1 to 72 bytes of UTF-8, without NUL',
    'zh-CN': '须为 1 至 72 个字节的 UTF-8 文本，且不含 NUL 字符',
  },
};
