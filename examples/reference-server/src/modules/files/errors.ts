import { errors } from 'flydrive';
import { defineRefusal } from '../../http/refusal.js';

/** The storage has no free space. Nothing of the upload is kept. */
export const StorageFullError = defineRefusal({
  code: 'STORAGE_FULL',
  status: 507,
  en: 'There is no room for the file at the moment.',
  'zh-CN': '存储空间不足，暂时无法保存文件。',
});

/** The storage can't be reached, or failed. */
export const StorageUnavailableError = defineRefusal({
  code: 'STORAGE_UNAVAILABLE',
  status: 503,
  en: 'Files are not available at the moment. Try again later.',
  'zh-CN': '文件暂时不可用，请稍后再试。',
  carries: { retryAfterSeconds: 5 },
});

/** The file has none of the requested bytes (RFC 9110, 15.5.17). */
export const RangeNotSatisfiableError = defineRefusal({
  code: 'RANGE_NOT_SATISFIABLE',
  status: 416,
  en: 'The file has no such bytes.',
  'zh-CN': '请求的范围超出文件大小。',
});

/** The file has another content than the request wants (RFC 9110, 13.1.1). */
export const PreconditionFailedError = defineRefusal({
  code: 'PRECONDITION_FAILED',
  status: 412,
  en: 'The file has another content than the request asks for.',
  'zh-CN': '文件内容与请求所指定的不一致。',
});

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
