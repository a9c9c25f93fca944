import type { PasswordHashing } from '@sallyport/password-hashing';
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { PasswordReusedError } from './errors.js';

/** The present password of an account and its earlier ones, the latest first. */
export interface KnownHashes {
  readonly passwordHash: string | null;
  readonly passwordHistory: readonly string[];
}

/**
 * Refuses a new password that equals one of the latest `count` ones, with the present one (PWD-7). It compares
 * the digests that clients send, so the same password by another digest is not seen. The workers compare one hash at a
 * time, so that a change takes no more than one place in their queue.
 *
 * The answer reveals a password, so the caller must be entitled to set it.
 *
 * @throws {PasswordReusedError}
 */
export async function refuseReused(
  passwords: Pick<PasswordHashing, 'verify'>,
  password: string,
  { passwordHash, passwordHistory }: KnownHashes,
  { count, client }: { readonly count: number; readonly client?: string | undefined },
): Promise<void> {
  const known = passwordHash === null ? passwordHistory : [passwordHash, ...passwordHistory];
  for (const hash of known.slice(0, count)) {
    if (await passwords.verify(password, hash, client)) throw new PasswordReusedError();
  }
}

/**
 * The new history, for the statement that replaces the present hash: the hash comes first, and no more than `count` are
 * known together with the new one.
 */
export function keptHashes(columns: { readonly hash: AnyPgColumn; readonly history: AnyPgColumn }, count: SQL): SQL {
  const { hash, history } = columns;
  return sql`(array_remove(array_prepend(${hash}, ${history}), null))[1:(${count})::int - 1]`;
}
