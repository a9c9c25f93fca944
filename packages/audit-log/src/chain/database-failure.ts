/**
 * Why a statement failed that writes records:
 * - `again`: it was rolled back because of other transactions, or the connection broke and it may have been committed.
 *   Look up the ids, and try again.
 * - `duplicate`: an id or a sequence exists already.
 * - `record`: a value of a record is refused. Other records can be written.
 * - `refused`: no record can be written now: the table or the privilege is missing.
 */
export type FailureKind = 'again' | 'duplicate' | 'record' | 'refused';

export function kindOfFailure(failure: unknown): FailureKind {
  const code = codeOf(innermost(failure));
  if (code === '23505') return 'duplicate';
  // An error without a code doesn't come from the database; the driver refused a value.
  if (code === '' || isRefusedValue(failure)) return 'record';
  // Syntax error or access rule (a missing table or privilege); invalid authorization; no such catalog or schema; the
  // guard of the database.
  if (/^(?:42|28|3D|3F|0A|SESSIONS_SHARED$)/.test(code)) return 'refused';
  // Deadlock, cancelled, shutting down or starting, read-only during a failover, or no connection.
  return 'again';
}

/** Whether the database refused a value of a record: data exception, integrity violation, or a program limit. */
export function isRefusedValue(failure: unknown): boolean {
  return /^(?:22|23|54)/.test(codeOf(innermost(failure)));
}

/**
 * Whether PostgreSQL refused to call a function, because of a missing right or function, or because it is not supported
 * or not possible now.
 */
export function isRefusedCall(failure: unknown): boolean {
  return /^(?:42|0A|55)/.test(codeOf(innermost(failure)));
}

/** The SQLSTATE of PostgreSQL for a table that does not exist. */
const UNDEFINED_TABLE = '42P01';
const MISSING_TABLE_FIX =
  'migrate the schema that exports the tables of the audit log, or call createAuditTables(database) of ' +
  '@sallyport/audit-log/postgres';

/** Whether a table of the log is missing. */
export function isMissingTable(failure: unknown): boolean {
  return codeOf(innermost(failure)) === UNDEFINED_TABLE;
}

/** An error that says how to create a table that is missing. Any other failure is returned unchanged. */
export function explainMissingTable(failure: unknown): unknown {
  return isMissingTable(failure) ? describeFailure(failure) : failure;
}

/**
 * The failure as an error that may be logged: the name, code and message of the innermost error. Drivers attach the
 * parameters of the statement, which are whole records, and drizzle quotes them in its message.
 */
export function describeFailure(failure: unknown): Error {
  const error = innermost(failure);
  if (!(error instanceof Error)) return new Error('The database failed without an error');
  const code = codeOf(error);
  const message = quotesRecord(code) ? 'The database refused a value' : error.message || code || error.name;
  const isUnexplained = code === UNDEFINED_TABLE && !message.endsWith(MISSING_TABLE_FIX);
  const described = new Error(isUnexplained ? `${message}: ${MISSING_TABLE_FIX}` : message);
  described.name = error.name;
  return code === '' ? described : Object.assign(described, { code });
}

/** PostgreSQL quotes the value that it refuses. */
function quotesRecord(code: string): boolean {
  return /^(?:22|23)/.test(code);
}

/** drizzle wraps the driver's error in one that quotes the whole statement. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
