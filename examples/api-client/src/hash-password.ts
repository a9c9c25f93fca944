import { sm3 } from '@sallyport/envelope-crypto/gm';

/** The form in which clients send a password: its lower-case hex SM3 digest. */
export function hashPassword(password: string): string {
  return Array.from(sm3(new TextEncoder().encode(password)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
