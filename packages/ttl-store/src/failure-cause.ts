/**
 * The failure of a client library as an error that may be logged. The libraries attach the arguments of the failed
 * command (ioredis `command`, PGlite `params`, drizzle even in the message), that is keys and values, which may be
 * secrets: name, code and message are kept, nothing else.
 */
export function describeFailure(failure: unknown): Error {
  const error = innermost(failure);
  if (!(error instanceof Error)) return new Error('The client failed without an error');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const described = new Error(withoutArguments(error.message) || code || error.name);
  described.name = error.name;
  return code === undefined ? described : Object.assign(described, { code });
}

/** drizzle and ioredis wrap the error that says why. */
function innermost(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('lastNodeError' in error && error.lastNodeError instanceof Error) return innermost(error.lastNodeError);
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

/** Redis quotes what it doesn't know: `ERR unknown command 'X', with args beginning with: …`. */
function withoutArguments(message: string): string {
  return message.replace(/,? with args beginning with[\s\S]*/, '');
}
