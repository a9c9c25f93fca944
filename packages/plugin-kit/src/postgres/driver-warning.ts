import { refusalError } from '../refusals/refusal-errors.js';
import { type ClientPool, isPool } from './database-client.js';
import { refusals } from './refusals.js';

/** Texts in `sql.begin` of every postgres.js, minified or not: its hook, and the property that it sets. */
const OF_POSTGRES_JS = [/\bonexecute\b/, /\.onclose\s*=/];

/** The patch rejects the statements that wait within a transaction whose connection was closed. */
const OF_THE_PATCH = /\.shift\(\)\.reject\(/;

/** The page that says how to apply the patch. */
export const PATCH_PAGE =
  'https://github.com/sallyport/sallyport/blob/main/docs/reference/idempotency/exactly-once.md#drivers';

const UNMENDED = 'postgres.js runs without the patch of @sallyport/idempotency: ';
const TO_APPLY = `. How to apply it: ${PATCH_PAGE}`;
const LOSSES =
  'a connection that is lost within a transaction ends the process, and statements may run outside of their transaction';
const NO_TRANSACTIONS = 'with max_pipeline: 0 it then rejects every transaction (UNSAFE_TRANSACTION)';

/** postgres.js has the option `max_pipeline: 0`, but not the patch that this option needs. Nothing was sent. */
export class UnmendedDriverError extends refusalError(refusals, 'DRIVER_UNMENDED') {
  override readonly name = 'UnmendedDriverError';
  constructor() {
    super(`${UNMENDED}${NO_TRANSACTIONS}${TO_APPLY}`);
  }
}

/**
 * Whether this is a client of postgres.js without the patch. It reads the text of `sql.begin`: a client has no
 * reference to the function that made it, and a test must not cut the connections of the application. A wrapped `begin`
 * is not judged.
 */
export function isUnmended(client: object): boolean {
  const { begin } = client as { readonly begin?: unknown };
  if (typeof begin !== 'function') return false;
  const text = Function.prototype.toString.call(begin);
  return OF_POSTGRES_JS.every((part) => part.test(text)) && !OF_THE_PATCH.test(text);
}

/** Whether it would reject every transaction. */
export function refusesTransactions(client: object): boolean {
  const { options } = client as { readonly options?: { readonly max_pipeline?: unknown } };
  return options?.max_pipeline === 0 && isUnmended(client);
}

/**
 * Warns by `process.emitWarning` of a postgres.js without the patch, and of a pool of node-postgres without the
 * listeners that keep the process.
 */
export function warnOfDriver(client: object): void {
  if (isPool(client)) {
    // Listeners that the application adds in the same turn count.
    setImmediate(() => {
      const missing = missingListeners(client);
      if (missing.length > 0) process.emitWarning(listenersAdvice(missing), { code: 'SALLYPORT_DRIVER_LISTENERS' });
    });
  } else if (isUnmended(client)) {
    const also = refusesTransactions(client) ? `; ${NO_TRANSACTIONS}` : '';
    process.emitWarning(`${UNMENDED}${LOSSES}${also}${TO_APPLY}`, { code: 'SALLYPORT_DRIVER_UNMENDED' });
  }
}

function missingListeners(pool: ClientPool): readonly string[] {
  // A listener of any of these events can add the error listener to a client before it is used.
  const reachesClients =
    pool.listenerCount('connect') > 0 ||
    pool.listenerCount('acquire') > 0 ||
    typeof pool.options?.onConnect === 'function';
  return [
    ...(pool.listenerCount('error') > 0 ? [] : ["pool.on('error', …)"]),
    ...(reachesClients ? [] : ["pool.on('connect', (client) => client.on('error', …))"]),
  ];
}

function listenersAdvice(missing: readonly string[]): string {
  return (
    'node-postgres runs without listeners of its errors: a connection that is lost ends the process. Add ' +
    missing.join(' and ')
  );
}
