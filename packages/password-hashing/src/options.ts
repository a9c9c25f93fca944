import { availableParallelism } from 'node:os';
import { nullable, objectWith, optional, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { MAX_COST, MIN_COST } from './bcrypt-hash.js';
import { PasswordHashingSetupError } from './errors.js';

/** The part of a logger that is needed; `app.log` and any pino logger have it. */
export interface PasswordHashingLog {
  error(details: object, message: string): void;
}

/** Options of {@link createPasswordHashing}. */
export interface PasswordHashingOptions {
  /**
   * The cost of new hashes, and the minimum work of every verification: log2 of the BCrypt rounds, 4 to 31. Default 12,
   * about a quarter of a second.
   */
  readonly cost?: number;
  /**
   * The largest cost of a stored hash that is verified, `cost` to 31. A hash above it is not sent to a worker, and its
   * verification fails. Default 14, or `cost` if that is more. Each step doubles the time. At 14 a task takes about
   * half of `maxTaskMillis`.
   */
  readonly maxCost?: number;
  /**
   * The number of worker threads, 1 to 64. Default: one less than the number of cores, so that the event loop keeps a
   * core, but 1 to 4.
   */
  readonly threads?: number;
  /**
   * Maximum number of waiting tasks, 1 to 100 000; beyond it `PasswordHashingBusyError`. It bounds memory. Default
   * 1000.
   */
  readonly maxWaiting?: number;
  /**
   * The longest wait for a worker, in milliseconds, 1 to 60 000. A task that would have to wait longer, estimated from
   * the last tasks, is refused at once with `PasswordHashingBusyError`. Default 4000.
   */
  readonly maxWaitMillis?: number;
  /**
   * Maximum number of waiting and running tasks of one client, 1 to 10 000; beyond it `PasswordHashingBusyError` for
   * that client. Default 8.
   */
  readonly maxForClient?: number;
  /**
   * Processor time of a task, in milliseconds, 10 to 60 000. A task that uses more is ended together with its worker,
   * which is replaced. At `cost`, a busy machine may take longer for it: up to 10 s pass, or `maxTaskMillis` if that is
   * more. A stored hash above `cost` has `maxTaskMillis` of elapsed time. Default 2000.
   */
  readonly maxTaskMillis?: number;
  /**
   * Receives, at `error`, stored hashes that can't be verified, tasks that were ended, and lost workers. It never
   * receives a hash or a password. Default: no log.
   */
  readonly log?: PasswordHashingLog | null;
}

/** Validated options. */
export interface ValidOptions extends Required<PasswordHashingOptions> {
  /** The time limit of every task after a worker is free, including the start of the worker, in milliseconds. */
  readonly maxElapsedMillis: number;
}

/** At cost 14 a task takes about a second on a server of 2025. */
const USUAL_MAX_COST = 14;

/**
 * The time limit at the configured cost. A task at cost 12 takes less with eight other busy processes on two cores.
 * Nobody waits longer for an answer. Requirement PWD-5.
 */
const MAX_ELAPSED_MILLIS = 10_000;

/** The event loop keeps a core. More than four threads would starve the rest of a service. */
const MAX_DEFAULT_THREADS = 4;

/** The constant defaults of {@link PasswordHashingOptions}. */
export const PASSWORD_HASHING_DEFAULTS = {
  cost: 12,
  maxWaiting: 1000,
  maxWaitMillis: 4000,
  // More than the failures that lock a name by default. The lock must come from counted failures, not from a full
  // queue.
  maxForClient: 8,
  maxTaskMillis: 2000,
  log: null,
} as const satisfies PasswordHashingOptions;

const defaults = PASSWORD_HASHING_DEFAULTS;
const costRule = { min: MIN_COST, max: MAX_COST };

const rules = {
  cost: wholeNumber({ ...costRule, default: defaults.cost }),
  maxCost: optional(wholeNumber(costRule)),
  threads: optional(wholeNumber({ min: 1, max: 64, unit: 'threads' })),
  maxWaiting: wholeNumber({ min: 1, max: 100_000, unit: 'tasks', default: defaults.maxWaiting }),
  maxWaitMillis: wholeNumber({ min: 1, max: 60_000, unit: 'milliseconds', default: defaults.maxWaitMillis }),
  maxForClient: wholeNumber({ min: 1, max: 10_000, unit: 'tasks', default: defaults.maxForClient }),
  maxTaskMillis: wholeNumber({ min: 10, max: 60_000, unit: 'milliseconds', default: defaults.maxTaskMillis }),
  log: nullable(
    objectWith<PasswordHashingLog>({ methods: ['error'], meaning: 'a logger with error, such as app.log' }),
  ),
};

/** @throws PasswordHashingSetupError naming every fault of the options */
export function readPasswordHashingOptions(given: PasswordHashingOptions | undefined): ValidOptions {
  const options = readOptions<
    Pick<PasswordHashingOptions, 'maxCost' | 'threads'> & Omit<Required<PasswordHashingOptions>, 'maxCost' | 'threads'>
  >(
    { subject: 'createPasswordHashing', SetupError: PasswordHashingSetupError },
    given,
    rules,
    ({ cost = 0, maxCost = MAX_COST }) => (maxCost < cost ? ['maxCost must not be less than cost'] : []),
  );
  return {
    ...options,
    maxElapsedMillis: Math.max(MAX_ELAPSED_MILLIS, options.maxTaskMillis),
    maxCost: options.maxCost ?? Math.max(options.cost, USUAL_MAX_COST),
    threads: options.threads ?? Math.min(MAX_DEFAULT_THREADS, Math.max(1, availableParallelism() - 1)),
  };
}
