import { isHashable } from '@sallyport/password-hashing';
import { Type } from 'typebox';
import { defineBodyFormat } from '../../http/body-formats.js';

const passwordFormat = defineBodyFormat('bcrypt-password', {
  accepts: isHashable,
  en: 'has to have 1 to 72 bytes of UTF-8, without NUL',
  'zh-CN': '须为 1 至 72 个字节的 UTF-8 文本，且不含 NUL 字符',
});

/** A password in the form that clients send. */
export const password = Type.String({ format: passwordFormat });
