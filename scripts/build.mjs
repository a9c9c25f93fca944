import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The reference server, as the compiler writes it. */
export const serverEntry = new URL('../examples/reference-server/dist/server.js', import.meta.url);

/** Holds the process id of the build under way. */
const lock = new URL('../node_modules/.sallyport-build.lock', import.meta.url);

/** No build takes longer, in milliseconds. An older lock names a process id that was reused. */
const STALE_LOCK_MILLIS = 300_000;

const LOCK_POLL_MILLIS = 50;

/** Builds what is missing or out of date, and says so; ends the process where the build fails. */
export function build() {
  const began = Date.now();
  if (!existsSync(serverEntry))
    process.stdout.write('Building the packages and the reference server (a few seconds) …\n');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  const { status } = exclusively(() => spawnSync(process.execPath, [compiler, '-b'], { cwd: root, stdio: 'inherit' }));
  if (status !== 0) process.exit(status ?? 1);
  process.stdout.write(`Built in ${((Date.now() - began) / 1000).toFixed(1)} s.\n`);
}

/**
 * Test files build at the same time. A server must not start from files that another build is writing.
 * @template Result
 * @param {() => Result} work
 */
function exclusively(work) {
  while (!takeLock()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MILLIS);
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned() {
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
