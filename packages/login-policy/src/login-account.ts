/** Whose failures are counted: the normalised name and terminal. Equal accounts have equal texts. Requirement LGN-4. */
export interface LoginAccount {
  readonly username: string;
  readonly terminal: string;
}

/** Longer than any account's name, and short enough that its normalisation costs nothing. In UTF-16 units, as submitted. */
const MAX_USERNAME_LENGTH = 256;

/** Controls are in nobody's name, and two lone surrogates would be one name in UTF-8. */
const IMPOSSIBLE = /[\p{Cc}\p{Surrogate}]/u;

/**
 * NFKC, trimmed, lower case; null if it can't be a name. Folding first can undo the normal form, so it comes in between:
 * the result is its own normal form.
 */
export function normaliseUsername(submitted: unknown): string | null {
  if (typeof submitted !== 'string' || submitted.length > MAX_USERNAME_LENGTH) return null;
  const username = submitted.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
  return username === '' || IMPOSSIBLE.test(username) ? null : username;
}

/** Lower case; null if it isn't one of the list. */
export function normaliseTerminal(submitted: unknown, terminals: readonly string[]): string | null {
  if (typeof submitted !== 'string') return null;
  const terminal = submitted.toLowerCase();
  return terminals.includes(terminal) ? terminal : null;
}
