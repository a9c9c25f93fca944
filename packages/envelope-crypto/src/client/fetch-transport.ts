import { ENVELOPE_HEADER, ENVELOPE_VERSION } from '../wire/index.js';
import {
  type Answer,
  ENVELOPE_HEADERS,
  isSuccess,
  type OpenedContent,
  type Outcome,
  refuse,
  requireNoJson,
  type SealedMessage,
} from './connection/index.js';
import type { CreateResponse } from './opened-response.js';
import type { OutgoingRequest } from './outgoing-request.js';

/** A response of `fetch`. */
export interface FetchAnswer extends Answer {
  readonly response: Response;
}

/** The answer in a response, which stays unread. */
export function answerOf(response: Response): FetchAnswer {
  return {
    response,
    status: response.status,
    headers: response.headers,
    bytes: async () => new Uint8Array(await response.clone().arrayBuffer()),
  };
}

/** The second argument of `fetch` for a sealed request. */
export function sealedInit({ headers, method, init }: OutgoingRequest, { body }: SealedMessage): RequestInit {
  const { 'content-type': _, ...others } = headers;
  // The caller's `integrity` is the hash of the plaintext response.
  const { integrity, ...rest } = init;
  const type = body === null ? {} : { 'content-type': 'application/json' };
  return {
    ...rest,
    method,
    headers: { ...others, ...type, [ENVELOPE_HEADER]: ENVELOPE_VERSION },
    body,
    // Otherwise, the target of a redirect would receive an envelope that is not bound to it.
    redirect: 'manual',
  };
}

/** The response that the application gets. */
export function responseOf({ answer, opened }: Outcome<FetchAnswer>, createResponse: CreateResponse): Response {
  const { response } = answer;
  if (opened !== null) return restore(response, opened, createResponse);
  return isSuccess(answer) ? refuseJson(response) : response;
}

/**
 * A plaintext success is a download, never data. Its bytes are available, but not JSON, and not a text that is JSON.
 */
function refuseJson(response: Response): Response {
  const { clone, text } = response;
  return Object.assign(response, {
    json: async () => refuse('its JSON is not sealed'),
    text: () => text.call(response).then(requireNoJson),
    clone: () => refuseJson(clone.call(response)),
  });
}

/** The response in its form before the service sealed it. */
function restore(response: Response, opened: OpenedContent, createResponse: CreateResponse): Response {
  const headers: [string, string][] = [['content-type', opened.contentType]];
  response.headers.forEach((value, name) => {
    if (!ENVELOPE_HEADERS.includes(name)) headers.push([name, value]);
  });
  const { status, statusText, url } = response;
  return createResponse({ status, statusText, url, headers, bytes: opened.plaintext });
}
