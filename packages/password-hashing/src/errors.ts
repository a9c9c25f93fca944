import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { refusals } from './refusals.js';

/** Bad options. `faults` lists them all; none repeats a value. */
export class PasswordHashingSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('PASSWORD_HASHING_SETUP_INVALID', subject, faults);
  }
}

/** When to try again, in seconds: by then a worker has ended several tasks. */
const RETRY_AFTER_SECONDS = 2;

/**
 * The workers can't do the task in time: too many wait, the client has too many, a task at the configured cost took
 * longer than its bounds, or the hashing is closed. It says nothing about the password. `cause` says why, for the log.
 */
export class PasswordHashingBusyError extends refusalError(refusals, 'PASSWORD_WORKERS_BUSY') {
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;
  /** Fastify sends them. */
  readonly headers: Readonly<Record<'retry-after', string>> = { 'retry-after': String(RETRY_AFTER_SECONDS) };

  constructor(reason?: string) {
    super();
    if (reason !== undefined) this.cause = new Error(reason);
  }
}
