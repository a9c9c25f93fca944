// `node examples/admin-console/build.mjs`: builds the console into `dist`, unless it is built from the same inputs
// already. `--to FOLDER` names another folder. Next to that folder, `.build` holds the lock of the build under way and
// the message of one that failed: the server reads them to say why there is no console.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LOCK_POLL_MILLIS, releaseLock, takeLock } from '../../scripts/build-lock.mjs';
import { digestInputs } from './build/inputs.mjs';
import { publish } from './build/publish.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const { to } = parseArgs({ options: { to: { type: 'string', default: join(here, 'dist') } } }).values;
const folder = resolve(to);
const state = join(dirname(folder), '.build');
const lock = join(state, 'lock');
const failure = join(state, 'failure');

mkdirSync(state, { recursive: true });
while (!takeLock(lock)) await sleep(LOCK_POLL_MILLIS);
try {
  await buildIfChanged();
  rmSync(failure, { force: true });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  writeFileSync(failure, message);
  process.stderr.write(`The console could not be built. ${message}\n`);
  process.exitCode = 1;
} finally {
  releaseLock(lock);
}

async function buildIfChanged() {
  // Publishing removes every file that is not of the build.
  const isOwn = folder === join(here, 'dist') || existsSync(join(folder, '.inputs'));
  if (!isOwn && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error(`${folder} holds other files, which a build would remove. Name an empty folder.`);
  }
  const began = performance.now();
  const digest = digestInputs(resolve(here, '../..'), '@sallyport/admin-console');
  if (digest === digestOfBuild()) {
    process.stdout.write('The console is up to date.\n');
    return;
  }
  process.stdout.write('Building the console …\n');
  // React reads it when it is bundled. A test that starts this command has another value.
  process.env.NODE_ENV = 'production';
  // Loading the bundler takes longer than the digest.
  const { build } = await import('vite');
  const fresh = join(state, 'fresh');
  await build({ root: here, logLevel: 'warn', build: { outDir: fresh, emptyOutDir: true } });
  await publish(fresh, folder, digest);
  rmSync(fresh, { recursive: true });
  process.stdout.write(`Built the console in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
}

/** Of the inputs that the folder was built from; null if it holds no console. */
function digestOfBuild() {
  if (!existsSync(join(folder, 'index.html'))) return null;
  try {
    return readFileSync(join(folder, '.inputs'), 'utf8');
  } catch {
    return null;
  }
}
