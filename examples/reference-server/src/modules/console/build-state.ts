import { access, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Why there is no console: its first build is under way, or failed, or nobody started one. */
export type BuildState = 'building' | 'failed' | 'missing';

/** As the build command has it, in milliseconds: an older lock names a process id that was reused. */
const STALE_LOCK_MILLIS = 300_000;

/** Reads what the build command of the console notes beside the folder: a lock with its process id, and its failure. */
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

/** Whether the process that took the lock still runs. */
async function isHeld(lock: string): Promise<boolean> {
  try {
    if (Date.now() - (await stat(lock)).mtimeMs > STALE_LOCK_MILLIS) return false;
    process.kill(Number.parseInt(await readFile(lock, 'utf8'), 10), 0);
    return true;
  } catch (error) {
    // The process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
