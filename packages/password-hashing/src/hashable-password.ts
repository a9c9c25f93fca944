/** BCrypt ignores all further bytes, so two passwords with the same first 72 bytes would be equal (LP-47). */
const MAX_PASSWORD_BYTES = 72;

/**
 * The passwords that BCrypt can tell apart: 1 to 72 bytes of UTF-8 without NUL and without lone surrogates. BCrypt
 * repeats the password with a trailing NUL, so `a` and `a NUL a` would be equal. Lone surrogates would be encoded as
 * replacement characters. Anything that is not a string is not hashable.
 */
export function isHashable(password: unknown): boolean {
  // Long texts, which clients can send, are not encoded.
  if (typeof password !== 'string' || password.length > MAX_PASSWORD_BYTES) return false;
  const bytes = Buffer.from(password);
  return bytes.length >= 1 && bytes.length <= MAX_PASSWORD_BYTES && !bytes.includes(0) && bytes.toString() === password;
}
