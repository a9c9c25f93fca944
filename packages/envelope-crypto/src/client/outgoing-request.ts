import { ENVELOPE_HEADER, type TextDecoding } from '../wire/index.js';
import { readBody, unsupportedContent } from './connection/index.js';

/** The first argument of `fetch`. */
export type FetchInput = string | URL | Request;

/** The parts of a request to seal. */
export interface OutgoingRequest {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  /** The text of the body. Null for none. */
  readonly body: string | null;
  /** The other options of `fetch`: signal, credentials, cache. */
  readonly init: RequestInit;
}

// The members of a Request that are copied. The others are already handled, or do not apply to a sealed request.
const REQUEST_MEMBERS = ['cache', 'credentials', 'keepalive', 'mode', 'referrer', 'referrerPolicy', 'signal'] as const;

/** The argument if it is a `Request`, otherwise null. An environment may lack that class. */
export function requestIn(input: FetchInput): Request | null {
  return typeof input === 'object' && 'url' in input ? input : null;
}

/** Reads the arguments of `fetch`. Throws `REQUEST_UNSUPPORTED` for content that no envelope can carry. */
export async function readRequest(
  input: FetchInput,
  init: RequestInit,
  decodeText: TextDecoding,
): Promise<OutgoingRequest> {
  const request = requestIn(input);
  const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
  const headers = readHeaders(init.headers ?? request?.headers ?? {});
  delete headers[ENVELOPE_HEADER];
  const isBodyless = method === 'GET' || method === 'HEAD';
  const given = init.body ?? (request !== null && !isBodyless ? await request.clone().text() : null);
  const body = readBody(given, headers['content-type'] ?? null, decodeText);
  if (body !== null && isBodyless) throw unsupportedContent(`${method} with a body`);
  const fromRequest = request === null ? {} : Object.fromEntries(REQUEST_MEMBERS.map((name) => [name, request[name]]));
  return { method, headers, body, init: { ...fromRequest, ...init } };
}

/** The headers as `Headers` would normalise them. */
function readHeaders(given: NonNullable<RequestInit['headers']>): Record<string, string> {
  const headers: Record<string, string> = {};
  const add = (value: unknown, name: string) => {
    const before = headers[name.toLowerCase()];
    const trimmed = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
    headers[name.toLowerCase()] = before === undefined ? trimmed : `${before}, ${trimmed}`;
  };
  if (Array.isArray(given)) for (const [name, value] of given as [string, string][]) add(value, name);
  else if (typeof given.forEach === 'function') (given as Headers).forEach(add);
  else for (const [name, value] of Object.entries(given)) add(value, name);
  return headers;
}
