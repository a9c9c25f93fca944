import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import bcrypt from 'bcryptjs';
import { Piscina } from 'piscina';
import { PasswordWorkersBusyError } from './errors.js';

export interface PasswordHashingOptions {
  /** log2 of the BCrypt rounds (ADM-7). */
  readonly cost: number;
  /** Worker threads. Default: one less than the number of cores, 1 to 4, so that the event loop keeps a core. */
  readonly threads?: number;
  /** Maximum number of waiting tasks; beyond it `PasswordWorkersBusyError`. Default: about 4 s of work at this cost. */
  readonly maxWaiting?: number;
  /**
   * Maximum number of waiting and running tasks of one client; beyond it `PasswordWorkersBusyError` for that client.
   * Default 8.
   */
  readonly maxForClient?: number;
}

export interface PasswordHashing {
  /**
   * A salted BCrypt hash.
   * @param client counter key of the requesting client, for public routes
   */
  hash(password: string, client?: string): Promise<string>;
  /**
   * Whether the password matches the hash. With null, for an unknown account, it takes the same work and yields false
   * (ADM-3).
   * @param client counter key of the requesting client: no client can occupy all workers
   */
  verify(password: string, hash: string | null, client?: string): Promise<boolean>;
  /** Whether the hash has a lower cost than new ones. */
  isOutdated(hash: string): boolean;
  close(): Promise<void>;
}

/** At cost 12 a task takes about a quarter of a second. Each step of the cost doubles that. */
const WAITING_PER_THREAD = { atCost: 12, tasks: 16, least: 4, most: 256 } as const;

// More than the failures that lock a name by default: the lock must come from counted failures, not from a full queue.
const MAX_FOR_CLIENT = 8;

/** The niceness of the worker threads, where the system supports it. The event loop has priority for a core (PRF-6). */
const NICE_INCREMENT = 10;

/** BCrypt ignores all bytes after this one, so two passwords with the same first 72 bytes would be equal (LP-47). */
const MAX_PASSWORD_BYTES = 72;

/**
 * The passwords that BCrypt can tell apart: 1 to 72 bytes of UTF-8 without NUL and without lone surrogates. BCrypt
 * repeats the password with a trailing NUL, so `a` and `a NUL a` would be equal. Lone surrogates would be encoded as
 * replacement characters.
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
    // Otherwise a task that finds no free thread queues behind later ones and may starve.
    stricterFIFO: true,
  });
  const hashOfNobody = randomHash(cost);

  /** Tasks by client. A client without tasks has no entry. */
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

/** A well-formed hash that matches no password. Comparing with it takes the same work as with a real one. */
export function randomHash(cost: number): string {
  const salt = bcrypt.encodeBase64(randomBytes(16), 16);
  const digest = bcrypt.encodeBase64(randomBytes(23), 23);
  return `$2b$${String(cost).padStart(2, '0')}$${salt}${digest}`;
}
