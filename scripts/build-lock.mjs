import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** No build takes longer, in milliseconds. An older lock names a process id that was reused. */
const STALE_LOCK_MILLIS = 300_000;

/** How long to wait before the next attempt to take a lock, in milliseconds. */
export const LOCK_POLL_MILLIS = 50;

/**
 * Takes a lock, a file with the id of the process that holds it; false if another process holds it.
 * @param {import('node:fs').PathLike} lock
 */
export function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** @param {import('node:fs').PathLike} lock */
export function releaseLock(lock) {
  rmSync(lock, { force: true });
}

/** @param {import('node:fs').PathLike} lock */
function isAbandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > STALE_LOCK_MILLIS) return true;
    const holder = Number(readFileSync(lock, 'utf8'));
    // An empty file was just created; its owner has not written yet.
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    // No such process. A lock that is gone by now was released.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
}
