/** The data of a sign-in, as submitted. */
export interface LoginSubject {
  readonly username: string;
  readonly terminal: string;
  /** The client's address, from a source that clients can't write: `request.clientIp` of @sallyport/client-ip. */
  readonly clientIp: string;
  /**
   * The token of the client's device, from an earlier `issueDeviceToken`. Default: none. A token that is malformed,
   * unknown, of another name or used up has no effect.
   */
  readonly deviceToken?: string | undefined;
}

/** The account that failures are counted for: the normalised name and terminal. */
export interface LoginAccount {
  readonly username: string;
  readonly terminal: string;
}

/**
 * The maximum length of a name as submitted, in UTF-16 code units. It is longer than any account's name, and short
 * enough to normalise cheaply.
 */
const MAX_USERNAME_LENGTH = 256;

/** A name contains no control characters. All lone surrogates would become the same name in UTF-8. */
const IMPOSSIBLE = /[\p{Cc}\p{Surrogate}]/u;

/**
 * NFKC, trimmed, lower case; null if it can't be a name. Lower-casing can undo the normal form, so the text is
 * normalised again after it.
 */
export function normaliseUsername(submitted: unknown): string | null {
  if (typeof submitted !== 'string' || submitted.length > MAX_USERNAME_LENGTH) return null;
  const username = submitted.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
  return username === '' || IMPOSSIBLE.test(username) ? null : username;
}

/** Lower case; null if it isn't in the list. */
export function normaliseTerminal(submitted: unknown, terminals: readonly string[]): string | null {
  if (typeof submitted !== 'string') return null;
  const terminal = submitted.toLowerCase();
  return terminals.includes(terminal) ? terminal : null;
}
