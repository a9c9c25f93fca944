/**
 * What a failed statement means for the records that it should have written:
 * - `again`: it was rolled back for what others did, or the connection broke and it may have been committed. Try again,
 *   looking for the ids.
 * - `duplicate`: an id or a sequence is there already.
 * - `record`: something in a record. Its neighbours needn't suffer.
 * - `refused`: no record can be written now, such as without the table or the right to write.
 */
export type FailureKind = 'again' | 'duplicate' | 'record' | 'refused';

export function kindOfFailure(failure: unknown): FailureKind {
  const code = codeOf(innermost(failure));
  if (code === '23505') return 'duplicate';
  // Data exception, integrity violation, a program limit such as an index row too long. Without a code no database spoke.
  if (code === '' || isRefusedValue(failure)) return 'record';
  // Syntax error or access rule: a table or a right that is missing. Invalid authorization; no such catalog or schema.
  if (/^(?:42|28|3D|3F|0A)/.test(code)) return 'refused';
  // Deadlock, cancelled, shutting down or starting, read-only while it fails over, or no connection.
  return 'again';
}

/** Whether the database says that it is a value of the record, and not itself. */
export function isRefusedValue(failure: unknown): boolean {
  return /^(?:22|23|54)/.test(codeOf(innermost(failure)));
}

/**
 * The failure as an error that may be logged. Drivers attach the statement's parameters, which are whole records, and
 * drizzle quotes them in its message: name, code and message of the innermost are kept, nothing else.
 */
export function describeFailure(failure: unknown): Error {
  const error = innermost(failure);
  if (!(error instanceof Error)) return new Error('The database failed without an error');
  const code = codeOf(error);
  const described = new Error(
    quotesRecord(code) ? 'The database refused a value' : error.message || code || error.name,
  );
  described.name = error.name;
  return code === '' ? described : Object.assign(described, { code });
}

/** PostgreSQL quotes the value that it refuses. */
function quotesRecord(code: string): boolean {
  return /^(?:22|23)/.test(code);
}

/** drizzle wraps the error that says why into one that quotes the whole statement. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
