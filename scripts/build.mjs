import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LOCK_POLL_MILLIS, releaseLock, takeLock } from './build-lock.mjs';

/** The reference server, as the compiler writes it. */
export const serverEntry = new URL('../examples/reference-server/dist/server.js', import.meta.url);

/** Holds the process id of the build under way. */
const lock = new URL('../node_modules/.sallyport-build.lock', import.meta.url);

/**
 * Builds what is missing or out of date, and says so; ends the process where the build fails.
 *
 * Where `BUILD_MARK` names a file, what runs under it builds once: the file says that it has.
 */
export function build() {
  const { BUILD_MARK: mark = '' } = process.env;
  if (mark !== '' && existsSync(mark)) return;
  const began = Date.now();
  if (!existsSync(serverEntry))
    process.stdout.write('Building the packages and the reference server (a few seconds) …\n');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  // Projects are compiled side by side. More checkers of one would each check the same declarations again.
  const words = [compiler, '-b', '--checkers', '1'];
  const { status } = exclusively(() => spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }));
  if (status !== 0) process.exit(status ?? 1);
  if (mark !== '') writeFileSync(mark, '');
  process.stdout.write(`Built in ${((Date.now() - began) / 1000).toFixed(1)} s.\n`);
}

/**
 * Test files build at the same time. A server must not start from files that another build is writing.
 * @template Result
 * @param {() => Result} work
 */
function exclusively(work) {
  while (!takeLock(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MILLIS);
  try {
    return work();
  } finally {
    releaseLock(lock);
  }
}
