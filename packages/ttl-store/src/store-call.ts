import { type BoundedCall, createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import { StoreUnavailableError } from './errors.js';

/** The SQLSTATE of PostgreSQL for a table that does not exist. */
const UNDEFINED_TABLE = '42P01';
const MISSING_TABLE_FIX =
  'migrate the schema that exports ttlEntries, or call createTtlEntriesTable(database) of @sallyport/ttl-store/postgres';

/**
 * Bounds the calls to the service behind a store. A call that fails or is late rejects with `StoreUnavailableError`.
 */
export function createStoreCall(timeoutMillis: number): BoundedCall {
  return createBoundedCall({
    timeoutMillis,
    toError: (reason) => new StoreUnavailableError({ cause: describeFailure(reason) }),
  });
}

/**
 * Turns the failure of a client library into an error that is safe to log. The libraries attach the arguments of the
 * failed command (ioredis `command`, PGlite `params`, drizzle in the message). These are keys and values, which may be
 * secrets. Only name, code and message are kept.
 */
function describeFailure(failure: unknown): Error {
  const error = innermost(failure);
  if (!(error instanceof Error)) return new Error('The client failed without an error');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const message = withoutArguments(error.message) || code || error.name;
  const described = new Error(code === UNDEFINED_TABLE ? `${message}: ${MISSING_TABLE_FIX}` : message);
  described.name = error.name;
  return code === undefined ? described : Object.assign(described, { code });
}

/** drizzle and ioredis wrap the original error. */
function innermost(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('lastNodeError' in error && error.lastNodeError instanceof Error) return innermost(error.lastNodeError);
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

/** Redis quotes unknown commands: `ERR unknown command 'X', with args beginning with: …`. */
function withoutArguments(message: string): string {
  return message.replace(/,? with args beginning with[\s\S]*/, '');
}
