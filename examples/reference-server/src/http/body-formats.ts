import { isIP } from 'node:net';
import { isUsername } from '../modules/administrators/administrators.js';
import { isHashable } from '../modules/passwords/password-hashing.js';
import { isAmount } from '../modules/payments/amount.js';
import { isKnownGrant } from '../modules/roles/grants.js';
import type { Language } from './error-texts.js';

/** Formats of this server's own for `format` in a schema, where a pattern can't say it. (`password` is a name of OpenAPI, and accepts all.) */
export const bodyFormats: Readonly<Record<string, (text: string) => boolean>> = {
  'bcrypt-password': isHashable,
  username: isUsername,
  'permission-grant': isKnownGrant,
  'payment-amount': isAmount,
  /** An address alone: no port, and no zone, which means something on its own machine only. */
  'ip-address': (text) => isIP(text) !== 0 && !text.includes('%'),
};

/** What people read when a text doesn't have its format. */
export const formatTexts: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  'bcrypt-password': {
    en: 'has to have 1 to 72 bytes of UTF-8, without NUL',
    'zh-CN': '须为 1 至 72 个字节的 UTF-8 文本，且不含 NUL 字符',
  },
  username: {
    en: 'has to have 1 to 64 characters, without invisible ones',
    'zh-CN': '须为 1 至 64 个字符，且不含不可见字符',
  },
  'permission-grant': {
    en: 'has to be a permission of this service, or a family of them that ends in `*`',
    'zh-CN': '须为本服务的权限代码，或以 `*` 结尾的权限范围',
  },
  'payment-amount': {
    en: 'has to be more than 0 and at most 9999999999.99, with at most two decimals, such as 12.50',
    'zh-CN': '须大于 0 且不超过 9999999999.99，最多两位小数，例如 12.50',
  },
  'ip-address': { en: 'has to be an IP address', 'zh-CN': '须为 IP 地址' },
};
