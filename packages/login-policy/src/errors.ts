import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { refusals } from './refusals.js';

/** Bad options. `faults` lists them all; none repeats a value. */
export class LoginPolicySetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('LOGIN_POLICY_SETUP_INVALID', subject, faults);
  }
}

/** The terminal isn't in the configured list. Free text would open a new counter. */
export const LoginTerminalRefusedError = refusalError(refusals, 'LOGIN_TERMINAL_REFUSED');
export type LoginTerminalRefusedError = InstanceType<typeof LoginTerminalRefusedError>;

/** The user name is not a string, empty, too long, or contains control characters. */
export const LoginNameRefusedError = refusalError(refusals, 'LOGIN_NAME_REFUSED');
export type LoginNameRefusedError = InstanceType<typeof LoginNameRefusedError>;

/** The whitelist is on, and the client's address isn't in it. */
export const LoginIpRefusedError = refusalError(refusals, 'LOGIN_IP_REFUSED');
export type LoginIpRefusedError = InstanceType<typeof LoginIpRefusedError>;

/** A counter refuses the attempt: the same for names that exist and names that don't. */
export class LoginLockedError extends refusalError(refusals, 'LOGIN_LOCKED') {
  /** When to try again, in whole seconds from now; at least 1. */
  readonly retryAfterSeconds: number;
  /** The plugin sets these on the reply, with any error handler. */
  readonly headers: Readonly<Record<'retry-after', string>>;

  constructor(retryAfterSeconds: number) {
    super();
    this.retryAfterSeconds = retryAfterSeconds;
    this.headers = { 'retry-after': String(retryAfterSeconds) };
  }
}

/**
 * The policy can't be read, or holds a bad value: nobody can sign in until it is corrected. `cause` has the reason, for
 * the log. (An unavailable store is `StoreUnavailableError` of @sallyport/ttl-store, also 503.)
 */
export const LoginPolicyUnavailableError = refusalError(refusals, 'LOGIN_POLICY_UNAVAILABLE');
export type LoginPolicyUnavailableError = InstanceType<typeof LoginPolicyUnavailableError>;

/** Every refusal of an attempt before its password is verified. */
export type LoginRefusal = LoginTerminalRefusedError | LoginNameRefusedError | LoginIpRefusedError | LoginLockedError;
