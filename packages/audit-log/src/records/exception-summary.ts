/** The maximum number of errors of a chain of causes, which is enough for driver, ORM and application. */
const MAX_CAUSES = 4;

/** The form of a class or a code in a program. A name with other characters may contain a message. */
const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$.:-]{0,63}$/u;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * An error and its causes by class and code, such as `DrizzleQueryError < PostgresError 23505`. Messages are left out,
 * because they quote statements and parameters. The log has them under the id of the request.
 */
export function summarizeException(error: unknown): string {
  const names: string[] = [];
  let current: unknown = error;
  while (names.length < MAX_CAUSES && current !== undefined && current !== null) {
    names.push(nameOf(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return names.join(' < ');
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return `thrown ${typeof error}`;
  const name = [error.name, error.constructor.name].find((candidate) => isIdentifier(candidate)) ?? 'Error';
  const { code } = error as { code?: unknown };
  return isCode(code) && code !== name ? `${name} ${code}` : name;
}

/** The `code` of an error, if it has the form of a code. */
export function codeOf(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown };
  return isCode(code) ? code : null;
}

function isCode(code: unknown): code is string {
  return isIdentifier(code) || (typeof code === 'string' && SQLSTATE.test(code));
}

function isIdentifier(text: unknown): boolean {
  return typeof text === 'string' && IDENTIFIER.test(text);
}
