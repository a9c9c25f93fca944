import type { FastifyBaseLogger } from 'fastify';

/** The parameter of RFC 6750, 2.3. */
export const QUERY_TOKEN_PARAMETER = 'access_token';

/** Parameters in which clients send credentials; `ticket` is for tickets (TOK-10). */
const SECRET_PARAMETERS = new Set([QUERY_TOKEN_PARAMETER, 'token', 'authorization', 'ticket']);

const PARAMETER = /([?&;])([^=&;?#]*)=([^&;#]*)/g;

/**
 * Masks a URL for logs: the values of `access_token`, `token`, `authorization` and `ticket` become `***`, in any letter
 * case or percent-encoding, whether or not query tokens are allowed. Use it in the log's `req` serializer and in audit
 * records; see the reference.
 *
 * @example
 * ```ts
 * const app = Fastify({
 *   logger: { serializers: { req: ({ method, url }) => ({ method, url: maskQueryToken(url) }) } },
 * });
 * await app.register(authTokens, {
 *   store: createMemoryStore(),
 *   issuer: 'https://example.com',
 *   signingKey: generateSigningKey(),
 *   allowQueryToken: true,
 * });
 * app.get('/export', { config: { access: 'admin', queryToken: true } }, async () => 'a;b;c');
 * ```
 */
export function maskQueryToken(url: string): string {
  return url.replace(PARAMETER, (whole, separator: string, name: string) =>
    SECRET_PARAMETERS.has(decodeName(name)) ? `${separator}${name}=***` : whole,
  );
}

/** Without a bracket suffix (`token[]`), which some parsers read as an array. */
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

/** The symbol under which pino keeps the serializers of a logger. */
const SERIALIZERS = Symbol.for('pino.serializers');

/** Whether the request log would contain a query token. Calls the log's `req` serializer with a worthless one. */
export function logsQueryTokens(log: FastifyBaseLogger): boolean {
  type Serializers = Record<string, (request: unknown) => unknown>;
  const serialize = (log as unknown as Record<symbol, Serializers | undefined>)[SERIALIZERS]?.req;
  if (serialize === undefined) return false;
  const probe = 'auth-tokens-probe';
  const url = `/?${QUERY_TOKEN_PARAMETER}=${probe}`;
  const request = { id: probe.length, method: 'GET', url, originalUrl: url, headers: {}, socket: {} };
  try {
    return JSON.stringify(serialize({ ...request, raw: request }))?.includes(probe) ?? false;
  } catch {
    // A serializer that requires a complete request can't be tested.
    return false;
  }
}
