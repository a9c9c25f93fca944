import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withinDeadline } from '@sallyport/plugin-kit/deadlines';

/** The exports of a module that a setting names, or the reason why it was not loaded. */
export type TrustedModule =
  | { readonly kind: 'loaded'; readonly exports: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly reason: string; readonly fix: string };

/**
 * Maximum time for the top level of a module, in milliseconds. A module that waits forever would silently block the
 * start, or let the process end with status 0.
 */
const MAX_IMPORT_MILLIS = 10_000;

class ImportTimeoutError extends Error {}

/**
 * Loads an ES module whose code can read every secret of the server. The file and its folder must therefore belong to
 * root or to the user of the server, and be writable by no other user.
 */
export async function loadTrustedModule(
  path: string,
  maxImportMillis: number = MAX_IMPORT_MILLIS,
): Promise<TrustedModule> {
  try {
    const file = await realpath(path);
    if ((await isWritableByOthers(file)) || (await isWritableByOthers(dirname(file)))) {
      return {
        kind: 'refused',
        reason: 'is writable by users other than root and the user of the server',
        fix: 'correct the mode and owner of the file and its folder',
      };
    }
    const importing: Promise<Record<string, unknown>> = import(pathToFileURL(file).href);
    return {
      kind: 'loaded',
      exports: await withinDeadline(importing, maxImportMillis, () => new ImportTimeoutError()),
    };
  } catch (error) {
    if (error instanceof ImportTimeoutError) {
      const reason = `did not finish loading within ${maxImportMillis / 1000} s`;
      return { kind: 'refused', reason, fix: 'wait for nothing at its top level, only in its functions' };
    }
    const { name, code } = (error instanceof Error ? error : new Error()) as Error & { code?: unknown };
    const reason = `could not be loaded (${typeof code === 'string' ? code : name})`;
    return { kind: 'refused', reason, fix: 'run it with node to see why' };
  }
}

async function isWritableByOthers(path: string): Promise<boolean> {
  // Windows uses access lists, which Node.js does not read.
  if (process.platform === 'win32') return false;
  const { mode, uid } = await stat(path);
  return (mode & 0o022) !== 0 || (uid !== 0 && uid !== process.getuid?.());
}
