import { access, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The reason why there is no console: its first build is running or has failed, or there was none. */
export type BuildState = 'building' | 'failed' | 'missing';

/**
 * The maximum age of a lock, as in the build command, in milliseconds. The process id of an older lock may have been
 * reused.
 */
const STALE_LOCK_MILLIS = 300_000;

/**
 * Reads the files of the build command next to the folder of the console: a lock with its process id, and its failure.
 */
export async function readBuildState(folder: string): Promise<BuildState> {
  const notes = join(dirname(folder), '.build');
  if (await isHeld(join(notes, 'lock'))) return 'building';
  try {
    await access(join(notes, 'failure'));
    return 'failed';
  } catch {
    return 'missing';
  }
}

/** Whether the process that took the lock is still running. */
async function isHeld(lock: string): Promise<boolean> {
  try {
    if (Date.now() - (await stat(lock)).mtimeMs > STALE_LOCK_MILLIS) return false;
    process.kill(Number.parseInt(await readFile(lock, 'utf8'), 10), 0);
    return true;
  } catch (error) {
    // It is the process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
