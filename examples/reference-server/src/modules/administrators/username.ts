import { Type } from 'typebox';
import { defineBodyFormat } from '../../http/body-formats.js';
import { cursorInvalid } from '../../http/lists.js';
import { isLegibleName } from '../../http/name-schemas.js';

const MAX_USERNAME_LENGTH = 64;

/**
 * Normalises a name as the login policy does: NFKC, trimmed, lower case. Lower-casing can undo the normal form
 * (`H` with a line below has one code point only as a small letter), so the text is normalised again after it.
 * Otherwise two accounts could look the same and share their counters and device tokens.
 */
export function normalizeUsername(username: string): string {
  return username.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
}

/**
 * Whether a new account may have this name: 1 to 64 characters after normalisation, all of them seen. Normalisation
 * removes no hidden character, except for blanks at the ends and those that become a letter or a space.
 */
export function isUsername(username: string): boolean {
  const name = normalizeUsername(username);
  return [...name].length <= MAX_USERNAME_LENGTH && isLegibleName(name);
}

const usernameFormat = defineBodyFormat('username', {
  accepts: isUsername,
  en: 'has to have 1 to 64 characters, without invisible ones',
  'zh-CN': '须为 1 至 64 个字符，且不含不可见字符',
});

/** The name of a new account. */
export const newUsername = Type.String({ maxLength: 128, format: usernameFormat });

/** Names can have characters that a URL can't have. */
export function nameOfCursor(after: string): string {
  const username = Buffer.from(after, 'base64url').toString();
  if (Buffer.from(username).toString('base64url') !== after || username.includes('\0')) throw cursorInvalid();
  return username;
}
