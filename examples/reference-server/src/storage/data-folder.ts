import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { lock } from 'proper-lockfile';
import { ConfigError } from '../config/config-error.js';
import { pathFault } from './path-fault.js';

/**
 * A lock without a sign of life is stale after this time, in milliseconds. Longer than the event loop is ever blocked.
 */
const STALE_MILLIS = 10_000;

/** Interval between attempts to take over a lock that may become stale, in milliseconds. */
const RETRY_MILLIS = 250;

const VARIABLE = 'SERVICE_DATA_DIR';

/** Another process has locked the data folder. */
export class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError';
  constructor(folder: string, owner: Owner | null) {
    super(
      `The data folder ${folder} is in use by another process${owner === null ? '' : ` (pid ${owner.pid} on ${owner.host})`}. ` +
        `Stop that process, or set ${VARIABLE} to another folder.`,
    );
  }
}

interface Owner {
  readonly pid: number;
  readonly host: string;
}

/**
 * Creates the folder if necessary, and makes it accessible to its owner only.
 *
 * @throws {ConfigError}
 */
export async function openDataFolder(path: string): Promise<string> {
  const folder = resolve(path);
  try {
    await makeFolder(folder);
    await chmod(folder, 0o700);
  } catch (error) {
    throw pathFault(error, VARIABLE, folder);
  }
  return folder;
}

/**
 * Creates a folder and its parents, for their owner only. The recursive `mkdir` of Node.js tries forever if the parent
 * exists but can't contain the folder, as with an automounter.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    // Another process may have been faster.
    if (error.code !== 'EEXIST' || !(await isFolder(folder))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** The folders that this process has locked. */
const held = new Set<string>();

/**
 * Locks the folder for this process (OPS-9) and resolves to a function that releases it. The lock of a dead process is
 * taken over, at once if the process is certainly dead, otherwise when the lock is stale.
 *
 * @param staleMillis a lock without a sign of life is stale after this time
 * @throws {DataFolderInUseError}
 */
export async function lockDataFolder(folder: string, staleMillis = STALE_MILLIS): Promise<() => Promise<void>> {
  // Two processes may find the lock of a dead process. The slower one must not delete the new lock of the faster one.
  const taken = await lockOrRefuse(folder, 'taking', staleMillis, 'patient');
  try {
    const ownerState = stateOf(folder, await readOwner(folder));
    if (ownerState === 'dead') await rm(`${join(folder, 'database')}.lock`, { recursive: true, force: true });
    const release = await lockOrRefuse(
      folder,
      'database',
      staleMillis,
      ownerState === 'unknown' ? 'patient' : 'at once',
    );
    held.add(folder);
    const own: Owner = { pid: process.pid, host: hostname() };
    await writeFile(join(folder, OWNER_FILE), JSON.stringify(own), { mode: 0o600 });
    return async () => {
      held.delete(folder);
      await release();
    };
  } finally {
    await taken();
  }
}

const OWNER_FILE = 'owner.json';

/**
 * Locks a path. The lock is a folder of that name with the suffix `.lock`, touched periodically while it is held.
 * `patient` waits until a lock becomes stale.
 */
async function lockOrRefuse(
  folder: string,
  name: string,
  staleMillis: number,
  manner: 'patient' | 'at once',
): Promise<() => Promise<void>> {
  const retries = manner === 'patient' ? Math.ceil(staleMillis / RETRY_MILLIS) + 2 : 0;
  try {
    return await lock(join(folder, name), {
      stale: staleMillis,
      realpath: false,
      onCompromised: stopAtOnce,
      retries: { retries, factor: 1, minTimeout: RETRY_MILLIS },
    });
  } catch (error) {
    if (isLocked(error)) throw new DataFolderInUseError(folder, await readOwner(folder));
    throw pathFault(error, VARIABLE, folder);
  }
}

/**
 * Exits at once. Two processes on one embedded database lose rows, so a process that lost its lock must not write
 * another byte.
 */
function stopAtOnce(error: Error): never {
  process.stderr.write(
    `The lock on the data folder was lost (${error.message}); stopping at once to protect the data.\n`,
  );
  process.exit(1);
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ELOCKED';
}

async function readOwner(folder: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(join(folder, OWNER_FILE), 'utf8')) as Owner;
  } catch {
    return null;
  }
}

/**
 * Whether the last owner is still running. Unknown for another machine, and for our own process id, because in a
 * container every process may have id 1.
 */
function stateOf(folder: string, owner: Owner | null): 'alive' | 'dead' | 'unknown' {
  if (held.has(folder)) return 'alive';
  if (owner === null || owner.host !== hostname() || owner.pid === process.pid) return 'unknown';
  try {
    process.kill(owner.pid, 0);
    return isZombie(owner.pid) ? 'dead' : 'alive';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'dead' : 'alive';
  }
}

/** On Linux a zombie, which has ended but was not reaped, still accepts signals. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/**
 * Reads a key that development generates once and keeps in the data folder.
 *
 * @param read parses the text of the file; throws if it is not a key
 * @throws {ConfigError}
 */
export async function keepKey<Key>(
  dataDir: string,
  name: string,
  make: () => string,
  read: (text: string) => Key,
): Promise<Key> {
  const folder = await openDataFolder(dataDir);
  const path = join(folder, name);
  const text = await keepSecret(folder, name, make).catch((error: unknown) => {
    throw pathFault(error, VARIABLE, path);
  });
  try {
    return read(text);
  } catch {
    const fix = `restore it from a backup, or set ${VARIABLE} to another folder`;
    throw new ConfigError([`${VARIABLE}: the file ${path} does not hold the key that was kept there; ${fix}`]);
  }
}

/**
 * Reads the text of a file, and creates it first if necessary, readable by its owner only. Of processes that create it
 * at the same time one wins, and all return its text.
 */
export async function keepSecret(folder: string, name: string, make: () => string): Promise<string> {
  const path = join(folder, name);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  // Write it completely under another name and then link it, so that no process reads half a key.
  const draft = join(folder, `.${name}.${randomUUID()}`);
  await writeFile(draft, make(), { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, 'utf8');
}
