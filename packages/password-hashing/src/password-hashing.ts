import { randomHash, readHash } from './bcrypt-hash.js';
import { PasswordHashingBusyError } from './errors.js';
import { isHashable } from './hashable-password.js';
import { createHashingQueue } from './hashing-queue.js';
import { type HashingTask, isAboveCost, roundsOf } from './hashing-task.js';
import { type HashingWorkers, startHashingWorkers, TaskEndedError } from './hashing-workers.js';
import { type PasswordHashingOptions, readPasswordHashingOptions, type ValidOptions } from './options.js';

/** Hashes and verifies passwords in worker threads. */
export interface PasswordHashing {
  /**
   * A salted BCrypt hash of the configured cost.
   *
   * @param client counter key of the requesting client, for public routes; default: no bound for a client
   * @throws {TypeError} for a password that is not hashable: check it with `isHashable` first
   * @throws {PasswordHashingBusyError}
   */
  hash(password: string, client?: string): Promise<string>;
  /**
   * Whether the password matches the hash. Null stands for an unknown account. It takes the same work and yields false.
   * The same applies to a password that is not hashable, and to a stored hash that is malformed, of unknown version, or
   * above `maxCost`, which is also logged. A stored hash never causes a rejection.
   *
   * @param hash the stored hash of the account, or null
   * @param client counter key of the requesting client: no client can occupy all workers; default: no bound
   * @throws {PasswordHashingBusyError}
   */
  verify(password: string, hash: string | null, client?: string): Promise<boolean>;
  /**
   * Whether the hash can be verified and has a lower cost than new ones. Hash the password again after a verification
   * that succeeded. Never throws: any other value yields false.
   */
  isOutdated(hash: string | null): boolean;
  /** Ends the workers. Running, waiting and later tasks reject with `PasswordHashingBusyError`. */
  close(): Promise<void>;
}

/**
 * Hashed in place of a password that can't be hashed. Its length does not matter, because BCrypt repeats a password to
 * 72 bytes.
 */
const PLACEHOLDER = 'not hashable';

/**
 * Creates a password hashing and starts its first worker. Close it when the server closes.
 *
 * @example
 * ```ts
 * const passwords = createPasswordHashing({ log: app.log });
 * app.addHook('onClose', () => passwords.close());
 * const users = new Map([['ada', await passwords.hash('correct horse')]]);
 *
 * app.post('/login', async ({ body, ip }, reply) => {
 *   const { username = '', password = '' } = body as Record<string, string>;
 *   const isRight = await passwords.verify(password, users.get(username) ?? null, ip);
 *   return isRight ? { username } : reply.code(401).send({ code: 'LOGIN_FAILED' });
 * });
 * ```
 *
 * @throws PasswordHashingSetupError naming every fault of the options
 */
export function createPasswordHashing(options?: PasswordHashingOptions): PasswordHashing {
  const valid = readPasswordHashingOptions(options);
  const onLost = (err: unknown) => valid.log?.error({ err }, 'A worker of the password hashing was lost');
  return openPasswordHashing(valid, startHashingWorkers({ ...valid, onLost }));
}

/** The engine with given workers. */
export function openPasswordHashing(options: ValidOptions, workers: HashingWorkers): PasswordHashing {
  const { cost, maxCost, maxTaskMillis, maxElapsedMillis, log } = options;
  const hashOfNobody = randomHash(cost);
  const queue = createHashingQueue({ ...options, now: () => performance.now() });
  let isClosed = false;

  function run(task: HashingTask, client: string | undefined): Promise<string | boolean> {
    const size = { rounds: roundsOf(task), maxMillis: isAboveCost(task) ? maxTaskMillis : maxElapsedMillis };
    return queue.run(size, client, async () => {
      try {
        return await workers.run(task);
      } catch (error) {
        // If the hash is expensive, the hash is the reason. At the configured cost, the machine is too slow or too
        // busy, which must not count as a failure of a client.
        if (error instanceof TaskEndedError && isAboveCost(task)) throw error;
        if (!isClosed) log?.error({ err: error, cost }, 'A task of the password hashing was not done');
        throw new PasswordHashingBusyError('the task was not done');
      }
    });
  }

  /** The cost of a stored hash. Null if it can't be verified, which is logged. */
  function costOf(hash: string): number | null {
    const read = readHash(hash);
    if ('cost' in read && read.cost <= maxCost) return read.cost;
    const fault = 'fault' in read ? read.fault : `has a cost of ${read.cost}, which is above maxCost`;
    log?.error({ fault }, `A stored password hash ${fault}. Its verification failed.`);
    return null;
  }

  return {
    async hash(password, client) {
      if (!isHashable(password)) throw new TypeError('a password has 1 to 72 bytes of UTF-8, without NUL');
      return String(await run({ password, cost }, client));
    },

    async verify(password, hash, client) {
      const hashCost = hash === null ? null : costOf(hash);
      if (hash === null || hashCost === null || !isHashable(password)) {
        await run({ password: PLACEHOLDER, cost, hash: hashOfNobody }, client);
        return false;
      }
      try {
        return (await run({ password, cost, hash, hashCost }, client)) === true;
      } catch (error) {
        if (!(error instanceof TaskEndedError)) throw error;
        const fault = `has a cost of ${hashCost}, which took longer than maxTaskMillis`;
        log?.error({ fault }, `A stored password hash ${fault}. Its verification failed.`);
        return false;
      }
    },

    isOutdated(hash) {
      const read = readHash(hash);
      return 'cost' in read && read.cost < cost;
    },

    async close() {
      isClosed = true;
      queue.close();
      await workers.close();
    },
  };
}
