const HOW_TO_NAME_IT = 'give its address by --url, or its port by SERVICE_PORT';

/**
 * The origin of the server for a command, from `--url` or from the port of this machine, without a slash at its end.
 *
 * @throws TypeError
 */
export function serverAddress(url: string | undefined, port = '3000'): string {
  if (url === undefined) {
    if (port === '0') throw new TypeError('SERVICE_PORT is 0, a free port; give --url with the address that it shows.');
    const isPort = /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535;
    if (!isPort) throw new TypeError('SERVICE_PORT is not a port; write digits only, from 1 to 65535, or give --url.');
    return `http://127.0.0.1:${port}`;
  }
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const { username, password, search, hash } = parsed ?? {};
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || [username, password, search, hash].some(Boolean)) {
    throw new TypeError('--url is not the address of a server; write http://HOST:PORT or https://HOST.');
  }
  return url.replace(/\/$/, '');
}

/** The server did not answer within the time limit of the command. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly code = 'ETIMEDOUT';
}

/** Another program than the reference server has answered. */
export class OtherServiceError extends Error {
  override readonly name = 'OtherServiceError';
  /** @param what its answer, such as the status */
  constructor(url: string, what: string) {
    super(`The server at ${originOf(url)} is not this service (${what}); ${HOW_TO_NAME_IT}.`);
  }
}

/** The sentence for a request without an answer, with what to do. `fetch` has the reason in the cause of its error. */
export function whyUnanswered(error: unknown, url: string): string {
  const at = originOf(url);
  const code = codeOf(error);
  switch (code) {
    case 'ECONNREFUSED':
      return `No server answers at ${at}; start it with \`pnpm start\`, or ${HOW_TO_NAME_IT}.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host of ${at} is not known (${code}); correct --url.`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `${at} did not answer in time (${code}); see that the server runs there, or ${HOW_TO_NAME_IT}.`;
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return `The server at ${at} does not use TLS; write http:// in --url.`;
  }
  if (/CERT|SIGNATURE|ISSUER/.test(code ?? '')) {
    const fix = 'name its authority in NODE_EXTRA_CA_CERTS, or write the name of the certificate in --url';
    return `The certificate of ${at} is not trusted (${code}); ${fix}.`;
  }
  if (code?.startsWith('ERR_SSL_'))
    return `The TLS connection to ${at} failed (${code}); see its certificate and versions.`;
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') {
    return new OtherServiceError(url, 'it closed the connection; if it speaks TLS, write https:// in --url').message;
  }
  if (code?.startsWith('HPE_')) return new OtherServiceError(url, code).message;
  return messagesOf(error);
}

function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${messagesOf(error.cause)}` : error.message;
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** The innermost code of an error. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, cause, errors } = error as Error & { readonly code?: unknown; readonly errors?: unknown };
  const inner = codeOf(cause) ?? (Array.isArray(errors) ? codeOf(errors[0]) : null);
  return inner ?? (typeof code === 'string' ? code : null);
}
