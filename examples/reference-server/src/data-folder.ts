import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { check, lock } from 'proper-lockfile';

/** After this long without a sign of life a lock counts as left behind, in milliseconds. */
const STALE_MILLIS = 10_000;

/** Another process has the data folder. */
class DataFolderInUseError extends Error {
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

/**
 * Takes the folder for this process (OPS-9) and resolves to the function that gives it back. A lock whose owner died
 * without giving it back is taken over: at once if the owner ran on this machine, else when it is stale.
 * @throws {DataFolderInUseError}
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  // Of two processes that find a dead owner's lock, the slower must not sweep away the lock of the faster.
  const taken = await lockOrRefuse(folder, 'taking');
  try {
    await removeLockOfDeadOwner(folder);
    const release = await lockOrRefuse(folder, 'database');
    await writeFile(join(folder, OWNER_FILE), JSON.stringify({ pid: process.pid, host: hostname() } satisfies Owner), {
      mode: 0o600,
    });
    return release;
  } finally {
    await taken();
  }
}

const OWNER_FILE = 'owner.json';

/** What proper-lockfile locks is a path; the lock is a folder of that name with `.lock` behind, there while it is held. */
const options = { stale: STALE_MILLIS, realpath: false } as const;

async function lockOrRefuse(folder: string, name: string): Promise<() => Promise<void>> {
  try {
    return await lock(join(folder, name), { ...options, onCompromised: stopAtOnce });
  } catch (error) {
    throw isLocked(error) ? new DataFolderInUseError(folder, await readOwner(folder)) : error;
  }
}

async function removeLockOfDeadOwner(folder: string): Promise<void> {
  const path = join(folder, 'database');
  if (!(await check(path, options))) return;
  const owner = await readOwner(folder);
  if (owner !== null && isDead(owner)) await rm(`${path}.lock`, { recursive: true, force: true });
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
 * Whether the owner surely no longer runs. Another machine's can't be asked; and a process with our own number is a
 * question too, because in containers everybody is number 1.
 */
function isDead({ pid, host }: Owner): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
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
