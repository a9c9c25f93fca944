import { getHashes, hash } from 'node:crypto';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import { createCommonPasswords, type PasswordOwner } from '@sallyport/password-hashing/common-passwords';
import type { FastifyInstance } from 'fastify';
import { PasswordCommonError } from './errors.js';
import { newPasswordParameters } from './parameters.js';

/**
 * The value that clients send for a password (ADM-7). OpenSSL computes it ten times as fast, but not every runtime has
 * it.
 */
const digest: (password: string) => string = getHashes().includes('sm3')
  ? (password) => hash('sm3', password, 'hex')
  : (password) => Buffer.from(sm3(Buffer.from(password))).toString('hex');

/** Shared by all servers of a process. It computes its digests on first use. */
const commonPasswords = createCommonPasswords({ digest });

/**
 * Refuses a common new password, and one that is made from the owner's name or number (PWD-4). Every route that sets a
 * password calls it before it hashes the password.
 *
 * @throws {PasswordCommonError}
 */
export async function refuseCommonPassword(
  { systemParameters }: Pick<FastifyInstance, 'systemParameters'>,
  password: string,
  owner: PasswordOwner,
): Promise<void> {
  const { refuseCommon } = await systemParameters.read(newPasswordParameters);
  if (refuseCommon && (await commonPasswords.isCommon(password, owner))) throw new PasswordCommonError();
}
