import { ConfigError } from '../config/config-error.js';

/**
 * The reason why a path can't be used, and a remedy other than another path, by the code of the operating system or of
 * Node.js.
 */
const FAULTS: Readonly<Record<string, readonly [reason: string, fix?: string]>> = {
  EACCES: ['can not be used by the user of this process', 'give that user the right'],
  EPERM: ['can not be used by the user of this process', 'make that user its owner'],
  EROFS: ['is on a read-only file system'],
  ENOTDIR: ['is below a path that is not a folder'],
  EEXIST: ['is not a folder'],
  EISDIR: ['is a folder, not a file'],
  ERR_FS_EISDIR: ['is a folder, not a file', 'remove it'],
  ENOENT: ['does not exist, and can not be created'],
  ENOSPC: ['is on a disk that is full', 'free some space'],
  EDQUOT: ['is on a disk whose quota is used up', 'free some space'],
  ENOTSUP: ['is on a file system without sockets'],
  EOPNOTSUPP: ['is on a file system without sockets'],
};

/**
 * The error of a start whose setting names an unusable path. Returns any other error unchanged.
 *
 * @param variable the setting
 * @param path the path of the setting, for an error without a path
 */
export function pathFault(error: unknown, variable: string, path: string): unknown {
  const { code, path: failing } = (error ?? {}) as { readonly code?: unknown; readonly path?: unknown };
  const fault = typeof code === 'string' ? FAULTS[code] : undefined;
  if (fault === undefined) return error;
  const [reason, fix] = fault;
  const either = fix === undefined ? '' : `${fix}, or `;
  return new ConfigError(
    [
      `${variable}: ${typeof failing === 'string' ? failing : path} ${reason} (${code}); ${either}set ${variable} to another path`,
    ],
    {
      cause: error,
    },
  );
}
