import { errors } from 'flydrive';
import { StorageFullError, StorageUnavailableError } from './errors.js';

/** System error codes for a full disk. */
const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/** Awaits a storage operation and converts its error to a refusal. */
export async function asRefusal<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw storageRefusal(error);
  }
}

/** A full disk has its own refusal, because retrying does not help. */
export function storageRefusal(error: unknown): Error {
  const reason = reasonOf(error);
  const { code } = reason as { code?: unknown };
  return FULL_CODES.includes(code)
    ? new StorageFullError({ cause: reason })
    : new StorageUnavailableError({ cause: reason });
}

/** Unwraps the errors of flydrive. */
function reasonOf(error: unknown): Error {
  const { E_CANNOT_WRITE_FILE, E_CANNOT_MOVE_FILE, E_CANNOT_DELETE_FILE } = errors;
  const isWrapped = [E_CANNOT_WRITE_FILE, E_CANNOT_MOVE_FILE, E_CANNOT_DELETE_FILE].some(
    (kind) => error instanceof kind,
  );
  return ((isWrapped ? (error as Error).cause : undefined) ?? error) as Error;
}
