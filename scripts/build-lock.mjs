import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** No build takes longer, in milliseconds. An older lock names a process id that was reused. */
const STALE_LOCK_MILLIS = 300_000;

/** How long to wait before the next attempt to take a lock, in milliseconds. */
export const LOCK_POLL_MILLIS = 50;

/**
 * What this process wrote into the locks that it holds, by their paths.
 * @type {Map<string, string>}
 */
const held = new Map();

/**
 * Takes a lock, a file that begins with the id of the process that holds it; false if another process holds it.
 * @param {string | URL} lock
 */
export function takeLock(lock) {
  const path = pathOf(lock);
  // No other lock has this text, so that an abandoned one is told from its successor.
  const holder = `${process.pid}-${randomUUID()}`;
  const own = `${path}.${holder}.new`;
  writeFileSync(own, holder);
  try {
    // By a link, the lock is never seen without its text.
    const isTaken = link(own, path) || takeOver(path, own);
    if (isTaken) held.set(path, holder);
    return isTaken;
  } finally {
    rmSync(own, { force: true });
  }
}

/** @param {string | URL} lock */
export function releaseLock(lock) {
  const path = pathOf(lock);
  // After a suspension it may be another process's.
  if (read(path) === held.get(path)) rmSync(path, { force: true });
  held.delete(path);
}

/**
 * Replaces a lock whose process has ended. Only the process that has the claim on it does, so it replaces no lock that
 * was taken in the meantime.
 *
 * @param {string} path
 * @param {string} own
 */
function takeOver(path, own) {
  const abandoned = read(path);
  if (abandoned === null || !isAbandoned(path)) return false;
  const claims = [claimOn(path, abandoned)];
  for (let claim = claims[0]; !link(own, claim); ) {
    const claimant = read(claim);
    if (claimant === null || !isAbandoned(claim)) return false;
    // It ended before it replaced the lock: the next claim is on its claim.
    claim = claimOn(path, claimant);
    claims.push(claim);
  }
  // Otherwise another process replaced the lock and gave up its claim before this one was made.
  const isOurs = read(path) === abandoned;
  if (isOurs) renameSync(own, path);
  // Those before the last are of processes that ended: they go with the lock that they were for.
  for (const claim of isOurs ? claims : claims.slice(-1)) rmSync(claim, { force: true });
  return isOurs;
}

/**
 * @param {string} path
 * @param {string} holder
 */
function claimOn(path, holder) {
  return `${path}.${holder}.claim`;
}

/**
 * @param {string} from
 * @param {string} to
 */
function link(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** @param {string} path */
function isAbandoned(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs > STALE_LOCK_MILLIS) return true;
    process.kill(Number.parseInt(readFileSync(path, 'utf8'), 10), 0);
    return false;
  } catch (error) {
    // No such process. A lock that is gone by now was released.
    return codeOf(error) === 'ESRCH';
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}

/** @param {string | URL} lock */
function pathOf(lock) {
  return typeof lock === 'string' ? lock : fileURLToPath(lock);
}
