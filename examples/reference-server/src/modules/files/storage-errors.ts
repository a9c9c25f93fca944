import { errors } from 'flydrive';
import { StorageFullError, StorageUnavailableError } from './errors.js';

/** SQLSTATE-like codes of the operating system for: no room. */
const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/** The outcome of a work on storage; whatever it fails with becomes a refusal that clients may see. */
export async function asRefusal<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw storageRefusal(error);
  }
}

/** A full disk is told apart, because waiting doesn't help there. */
export function storageRefusal(error: unknown): Error {
  const reason = reasonOf(error);
  const { code } = reason as { code?: unknown };
  return FULL_CODES.includes(code)
    ? new StorageFullError({ cause: reason })
    : new StorageUnavailableError({ cause: reason });
}

/** flydrive wraps what its drivers throw. */
function reasonOf(error: unknown): Error {
  const { E_CANNOT_WRITE_FILE, E_CANNOT_MOVE_FILE, E_CANNOT_DELETE_FILE } = errors;
  const isWrapped = [E_CANNOT_WRITE_FILE, E_CANNOT_MOVE_FILE, E_CANNOT_DELETE_FILE].some(
    (kind) => error instanceof kind,
  );
  return ((isWrapped ? (error as Error).cause : undefined) ?? error) as Error;
}
