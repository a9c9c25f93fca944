import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { lock } from 'proper-lockfile';

/** Longer than the event loop is ever held, in milliseconds. */
const STALE_MILLIS = 10_000;

/** How often a lock is looked at that may be stale soon, in milliseconds. */
const RETRY_MILLIS = 250;

/** Another process has the data folder. */
export class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError';
  constructor(folder: string, owner: Owner | null) {
    super(
      `The data folder ${folder} is in use by another process${owner === null ? '' : ` (pid ${owner.pid} on ${owner.host})`}. ` +
        'Stop that one, or give this one a folder of its own with SERVICE_DATA_DIR.',
    );
  }
}

interface Owner {
  readonly pid: number;
  readonly host: string;
}

/** Makes the folder if it isn't there, and keeps everybody else out of it. */
export async function openDataFolder(path: string): Promise<string> {
  const folder = resolve(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return folder;
}

/** The folders that this process has. */
const held = new Set<string>();

/**
 * Takes the folder for this process (OPS-9) and resolves to the function that gives it back. A lock whose owner died
 * without giving it back is taken over: at once where that is certain, else when it is stale.
 *
 * @param staleMillis after this long without a sign of life a lock counts as left behind
 * @throws {DataFolderInUseError}
 */
export async function lockDataFolder(folder: string, staleMillis = STALE_MILLIS): Promise<() => Promise<void>> {
  // Of two processes that find a dead owner's lock, the slower must not sweep away the lock of the faster.
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
 * What is locked is a path; the lock is a folder of that name with `.lock` behind, touched again and again while it is
 * held. `patient` waits as long as a lock takes to become stale.
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
    throw isLocked(error) ? new DataFolderInUseError(folder, await readOwner(folder)) : error;
  }
}

/** Two processes on one embedded database lose rows: a process that lost its lock must not write another byte. */
function stopAtOnce(error: Error): never {
  process.stderr.write(
    `The lock on the data folder was lost (${error.message}); stopping at once to keep the data whole.\n`,
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
 * Whether the last owner still runs. Another machine's can't be asked; and one with our own number is a question too,
 * because in containers everybody is number 1.
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

/** On Linux, a process that has ended and that nobody has fetched yet still takes signals. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/**
 * The text of a file that is made once and then kept, readable by nobody else. Of processes that make it at the same
 * time one wins, and all of them get its text.
 */
export async function keepSecret(folder: string, name: string, make: () => string): Promise<string> {
  const path = join(folder, name);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  // Written whole under another name and then linked: nobody ever reads half a key.
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
