import { getHashes, hash } from 'node:crypto';
import { sm3 } from '@sallyport/envelope-crypto/gm';

/** The form of the values that the reference clients send: the SM3 digest in lower-case hex. */
export const CLIENT_DIGEST = /^[0-9a-f]{64}$/;

/**
 * The value that clients send for a password (ADM-7). OpenSSL computes it ten times as fast, but not every runtime has
 * it.
 */
export const clientDigest: (password: string) => string = getHashes().includes('sm3')
  ? (password) => hash('sm3', password, 'hex')
  : (password) => Buffer.from(sm3(Buffer.from(password))).toString('hex');
