import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import bcrypt from 'bcryptjs';
import { Piscina } from 'piscina';
import { PasswordWorkersBusyError } from './errors.js';

export interface PasswordHashingOptions {
  /** log2 of the BCrypt rounds (ADM-7). */
  readonly cost: number;
  /** Worker threads. Default: one less than the machine has cores, 1 to 4: the event loop keeps one. */
  readonly threads?: number;
  /**
   * Tasks that may wait for a thread. Beyond it `PasswordWorkersBusyError`. Default: about 4 s of work, by the cost.
   */
  readonly maxWaiting?: number;
  /**
   * Tasks of one client that may wait or run. Beyond it `PasswordWorkersBusyError`, for that client alone. Default 8.
   */
  readonly maxForClient?: number;
}

export interface PasswordHashing {
  /**
   * A salted BCrypt hash.
   * @param client whose request it is, where anybody may send one
   */
  hash(password: string, client?: string): Promise<string>;
  /**
   * Whether the password belongs to the hash. With null, an account that isn't there, the same work and false (ADM-3).
   * @param client whose sign-in it is, such as its counter key: no client can take the workers from all others
   */
  verify(password: string, hash: string | null, client?: string): Promise<boolean>;
  /** Whether a hash was made with less work than new ones are. */
  isOutdated(hash: string): boolean;
  close(): Promise<void>;
}

/** At cost 12 a task takes about a quarter of a second; each step of the cost doubles it. */
const WAITING_PER_THREAD = { atCost: 12, tasks: 16, least: 4, most: 256 } as const;

// More than the failures after which a name is locked by default: a lock must come from counting, not from a queue.
const MAX_FOR_CLIENT = 8;

/**
 * By how much the workers stand back behind the event loop where both want a core (PRF-6), where the system can do
 * that.
 */
const NICE_INCREMENT = 10;

/** BCrypt reads no byte after this one: two longer passwords with one beginning would be the same (LP-47). */
const MAX_PASSWORD_BYTES = 72;

/**
 * What BCrypt can hold apart: 1 to 72 bytes of UTF-8 without NUL (BCrypt repeats the password with a NUL behind it, so
 * `a` and `a NUL a` would be the same), and nothing that turns into a replacement character on the way.
 */
export function isHashable(password: string): boolean {
  const bytes = Buffer.from(password);
  return bytes.length >= 1 && bytes.length <= MAX_PASSWORD_BYTES && !bytes.includes(0) && bytes.toString() === password;
}

export function createPasswordHashing(options: PasswordHashingOptions): PasswordHashing {
  const { cost, threads = Math.min(4, Math.max(1, availableParallelism() - 1)) } = options;
  const { maxWaiting = waitingPerThread(cost) * threads, maxForClient = MAX_FOR_CLIENT } = options;
  const workers = new Piscina<object, string | boolean>({
    filename: new URL('bcrypt-worker.js', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 60_000,
    niceIncrement: NICE_INCREMENT,
    // Without it a task that finds no thread free goes behind those that came later, and may wait for as long as they
    // come.
    stricterFIFO: true,
  });
  const hashOfNobody = randomHash(cost);

  /** Tasks by client; a client without one has no entry. */
  const tasksOf = new Map<string, number>();

  async function run(task: object): Promise<string | boolean> {
    if (workers.queueSize >= maxWaiting) throw new PasswordWorkersBusyError();
    return workers.run(task);
  }

  async function runFor(client: string | undefined, task: object): Promise<string | boolean> {
    if (client === undefined) return run(task);
    const tasks = tasksOf.get(client) ?? 0;
    if (tasks >= maxForClient) throw new PasswordWorkersBusyError();
    tasksOf.set(client, tasks + 1);
    try {
      return await run(task);
    } finally {
      const left = (tasksOf.get(client) ?? 1) - 1;
      if (left === 0) tasksOf.delete(client);
      else tasksOf.set(client, left);
    }
  }

  return {
    async hash(password, client) {
      if (!isHashable(password)) throw new TypeError('a password has 1 to 72 bytes of UTF-8, without NUL');
      return String(await runFor(client, { password, cost }));
    },
    async verify(password, hash, client) {
      const matches = await runFor(client, { password, cost, hash: hash ?? hashOfNobody });
      return isHashable(password) && hash !== null && matches === true;
    },
    isOutdated: (hash) => bcrypt.getRounds(hash) < cost,
    close: () => workers.destroy(),
  };
}

function waitingPerThread(cost: number): number {
  const { atCost, tasks, least, most } = WAITING_PER_THREAD;
  return Math.min(most, Math.max(least, Math.floor(tasks * 2 ** (atCost - cost))));
}

/** A well-formed hash that belongs to no password: comparing with it is the same work as with a real one. */
export function randomHash(cost: number): string {
  const salt = bcrypt.encodeBase64(randomBytes(16), 16);
  const digest = bcrypt.encodeBase64(randomBytes(23), 23);
  return `$2b$${String(cost).padStart(2, '0')}$${salt}${digest}`;
}
