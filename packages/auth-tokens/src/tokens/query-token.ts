/** The parameter of RFC 6750, 2.3. Requirement TOK-9. */
export const QUERY_TOKEN_PARAMETER = 'access_token';

/** Parameters in which clients have been seen to send credentials; `ticket` is the one for tickets (TOK-10). */
const SECRET_PARAMETERS = new Set([QUERY_TOKEN_PARAMETER, 'token', 'authorization', 'ticket']);

const PARAMETER = /([?&;])([^=&;?#]*)=([^&;#]*)/g;

/**
 * A URL as it may be logged: the values of `access_token`, `token`, `authorization` and `ticket` become `***`, whatever
 * their letter case or percent-encoding, and whether or not query tokens are allowed. For the `req` serializer of the
 * log and for audit records; see the README.
 */
export function maskQueryToken(url: string): string {
  return url.replace(PARAMETER, (whole, separator: string, name: string) =>
    SECRET_PARAMETERS.has(decodeName(name)) ? `${separator}${name}=***` : whole,
  );
}

/** Without a bracket suffix (`token[]`), by which some parsers make arrays. */
function decodeName(name: string): string {
  return percentDecoded(name).toLowerCase().replace(/\[.*$/s, '');
}

function percentDecoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
