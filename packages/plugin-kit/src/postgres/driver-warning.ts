/** What `sql.begin` of every postgres.js has, minified or not: its hook, and the property that it sets. */
const OF_POSTGRES_JS = [/\bonexecute\b/, /\.onclose\s*=/];

/** The patch rejects the statements that wait within a transaction whose connection was closed. */
const OF_THE_PATCH = /\.shift\(\)\.reject\(/;

const ADVICE =
  'postgres.js runs without the patch of @sallyport/idempotency: a connection that is lost within a transaction ends ' +
  'the process, and statements may run outside of their transaction. The section Drivers of its README says how to ' +
  'apply it';

/**
 * Warns of a client of postgres.js without the patch, by `process.emitWarning`. By the text of `sql.begin`: a client
 * does not lead to the function that made it, and the connections of the application must not be cut to see what
 * happens. A `begin` that something has wrapped is not judged.
 */
export function warnOfUnmendedDriver(client: object): void {
  const { begin } = client as { readonly begin?: unknown };
  if (typeof begin !== 'function') return;
  const text = Function.prototype.toString.call(begin);
  if (!OF_POSTGRES_JS.every((part) => part.test(text)) || OF_THE_PATCH.test(text)) return;
  process.emitWarning(ADVICE, { code: 'SALLYPORT_DRIVER_UNMENDED' });
}
