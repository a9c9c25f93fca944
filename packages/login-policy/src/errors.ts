import createError from '@fastify/error';

/** Options that can't be right; the message lists every fault at once. Thrown at registration. */
export const LoginPolicySetupError = createError<'LOGIN_POLICY_SETUP_INVALID', 500, [string]>(
  'LOGIN_POLICY_SETUP_INVALID',
  'login-policy: %s',
  500,
);
export type LoginPolicySetupError = InstanceType<typeof LoginPolicySetupError>;

/** The terminal isn't in the configured list: free text would open a fresh counter. Requirement LGN-4. */
export const LoginTerminalRefusedError = createError(
  'LOGIN_TERMINAL_REFUSED',
  'This terminal cannot sign in here',
  400,
);
export type LoginTerminalRefusedError = InstanceType<typeof LoginTerminalRefusedError>;

/** The user name is no text, empty, longer than any account's, or holds control characters. Requirement LGN-4. */
export const LoginNameRefusedError = createError('LOGIN_NAME_REFUSED', 'This is not a user name', 400);
export type LoginNameRefusedError = InstanceType<typeof LoginNameRefusedError>;

/** The whitelist is on, and the client's address isn't in it. Requirement LGN-8. */
export const LoginIpRefusedError = createError('LOGIN_IP_REFUSED', 'Sign-in is not allowed from this address', 403);
export type LoginIpRefusedError = InstanceType<typeof LoginIpRefusedError>;

const LockedError = createError('LOGIN_LOCKED', 'Too many failed sign-ins; try again later', 429);

/** A counter refuses the attempt: the same for names that exist and names that don't. Requirement LGN-3. */
export class LoginLockedError extends LockedError {
  /** When it makes sense to try again, in whole seconds from now; at least 1. */
  readonly retryAfterSeconds: number;
  /** What Fastify's own error handler sets on the reply. */
  readonly headers: Readonly<Record<'retry-after', string>>;

  constructor(retryAfterSeconds: number) {
    super();
    this.retryAfterSeconds = retryAfterSeconds;
    this.headers = { 'retry-after': String(retryAfterSeconds) };
  }
}

/**
 * The policy can't be read, or holds a value that would not protect: nobody signs in until it is mended. `cause` says
 * why, for the log. (A store that is away is `StoreUnavailableError` of @sallyport/ttl-store, also 503.)
 */
export const LoginPolicyUnavailableError = createError(
  'LOGIN_POLICY_UNAVAILABLE',
  'Sign-ins cannot be checked at the moment',
  503,
);
export type LoginPolicyUnavailableError = InstanceType<typeof LoginPolicyUnavailableError>;

/** Every way in which an attempt is refused before its password is looked at. */
export type LoginRefusal = LoginTerminalRefusedError | LoginNameRefusedError | LoginIpRefusedError | LoginLockedError;
