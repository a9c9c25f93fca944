import { getHashes, hash } from 'node:crypto';
import { sm3 } from '@sallyport/envelope-crypto/gm';

/**
 * The value that clients send for a password (ADM-7). OpenSSL computes it ten times as fast, but not every runtime has
 * it.
 */
export const clientDigest: (password: string) => string = getHashes().includes('sm3')
  ? (password) => hash('sm3', password, 'hex')
  : (password) => Buffer.from(sm3(Buffer.from(password))).toString('hex');
