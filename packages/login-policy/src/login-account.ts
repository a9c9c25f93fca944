/** Who tries to sign in, as submitted. */
export interface LoginSubject {
  readonly username: string;
  readonly terminal: string;
  /** The client's address, from a source that clients can't write: `request.clientIp` of @sallyport/client-ip. */
  readonly clientIp: string;
  /**
   * The token of the client's device, of an earlier `issueDeviceToken`; default none. One that is malformed, unknown,
   * of another name or used up has no effect.
   */
  readonly deviceToken?: string | undefined;
}

/** The account that failures are counted for: the normalised name and terminal. */
export interface LoginAccount {
  readonly username: string;
  readonly terminal: string;
}

/** In UTF-16 code units, as submitted. Longer than any account's name, and short enough to normalise at no cost. */
const MAX_USERNAME_LENGTH = 256;

/** No name contains control characters. All lone surrogates would become one name in UTF-8. */
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
