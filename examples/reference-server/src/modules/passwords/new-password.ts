import { createCommonPasswords, type PasswordOwner } from '@sallyport/password-hashing/common-passwords';
import type { FastifyInstance } from 'fastify';
import { CLIENT_DIGEST, clientDigest } from './client-digest.js';
import { PasswordCommonError, PasswordNotHashedError } from './errors.js';
import { newPasswordParameters } from './parameters.js';
import { refusedWordsIn } from './refused-words.js';

/** Shared by all servers of a process. It computes its digests on first use. */
const commonPasswords = createCommonPasswords({ digest: clientDigest });

/** The shortest text of a digest of 128 bits: Base64 without padding (PWD-6). */
const MIN_DIGEST_LENGTH = 22;

/**
 * Refuses a new password that its client forgot to hash (PWD-6), one that everybody tries first, one that leaked, and
 * one that is made from the owner's name or number or from a word of the organisation (PWD-4). Every route that sets a
 * password calls it before it hashes the password.
 *
 * @throws {PasswordNotHashedError}
 * @throws {PasswordCommonError}
 */
export async function checkNewPassword(
  { systemParameters, breachedPasswords }: Pick<FastifyInstance, 'systemParameters' | 'breachedPasswords'>,
  password: string,
  owner: PasswordOwner,
): Promise<void> {
  const { refuseCommon, refusedWords, requireSm3 } = await systemParameters.read(newPasswordParameters);
  const isDigest = requireSm3 ? CLIENT_DIGEST.test(password) : [...password].length >= MIN_DIGEST_LENGTH;
  if (!isDigest) throw new PasswordNotHashedError();
  if (!refuseCommon) return;
  const words = refusedWordsIn(refusedWords);
  if (await commonPasswords.isCommon(password, { ...owner, words })) throw new PasswordCommonError();
  if (await breachedPasswords?.has(password)) throw new PasswordCommonError();
}
