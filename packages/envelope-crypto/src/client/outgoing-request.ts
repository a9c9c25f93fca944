import { ENVELOPE_HEADER, isJsonContentType } from '../wire/index.js';
import { EnvelopeClientError } from './errors.js';

/** The first argument of `fetch`. */
export type FetchInput = string | URL | Request;

/** The parts of a request to seal. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** The text of the body. Null for none. */
  readonly body: string | null;
  /** The other options of `fetch`: signal, credentials, cache. */
  readonly init: RequestInit;
}

// The members of a Request that are copied. The others are handled already, or do not apply to a sealed request.
const REQUEST_MEMBERS = ['cache', 'credentials', 'keepalive', 'mode', 'referrer', 'referrerPolicy', 'signal'] as const;

/** Reads the arguments of `fetch`. Throws `REQUEST_UNSUPPORTED` for content that no envelope can carry. */
export async function readRequest(input: FetchInput, url: URL, init: RequestInit): Promise<OutgoingRequest> {
  const request = input instanceof Request ? input : null;
  const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
  const headers = new Headers(init.headers ?? request?.headers);
  headers.delete(ENVELOPE_HEADER);
  const contentType = headers.get('content-type');
  const isBodyless = method === 'GET' || method === 'HEAD';
  const given = init.body ?? (request !== null && !isBodyless ? await request.clone().text() : null);
  const body = readBody(given, contentType);
  if (body !== null && isBodyless) throw unsupported(`${method} with a body`);
  const fromRequest = request === null ? {} : Object.fromEntries(REQUEST_MEMBERS.map((name) => [name, request[name]]));
  return { method, url, headers, body, init: { ...fromRequest, ...init } };
}

function readBody(body: NonNullable<RequestInit['body']> | null, contentType: string | null): string | null {
  if (body === null || body === '') return null;
  if (contentType !== null && !isJsonContentType(contentType)) throw unsupported(`the content type ${contentType}`);
  if (typeof body === 'string') return body;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body))
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  throw unsupported(body.constructor.name);
}

function unsupported(what: string): EnvelopeClientError {
  const fix = 'send JSON as a string, or name the path under `bypass` where the service exempts it';
  return new EnvelopeClientError('REQUEST_UNSUPPORTED', `an envelope carries JSON, not ${what}: ${fix}`);
}
