import { Type } from 'typebox';
import { defineBodyFormat } from './body-formats.js';

/**
 * Characters that no name has (USR-6): controls, marks of direction, private and unassigned code points; line
 * separators; what fonts show nothing for, with or without a width. A space (U+0020, U+00A0, U+3000 …) is seen between
 * two letters.
 */
const HIDDEN =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u1680\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]/u;

/** A name needs one of these, because a mark alone has no base. */
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether each character of a name is visible. The rule applies to all texts that are read as names. */
export function isLegibleName(name: string): boolean {
  return !HIDDEN.test(name) && SEEN.test(name);
}

const legibleNameFormat = defineBodyFormat('legible-name', {
  accepts: isLegibleName,
  en: 'has to show something, and takes no invisible characters and no marks of direction',
  'zh-CN': '不能为空白，且不含不可见字符和文字方向控制符',
});

/** The name of a person, a role or a payee, as it is shown. */
export function legibleName(maxLength: number) {
  return Type.String({ minLength: 1, maxLength, format: legibleNameFormat });
}

/** A user name as typed at sign-in, whether it exists or not. */
export const username = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\p{Cc}]*$' });

export const displayName = legibleName(64);
