import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ClientIp } from '@sallyport/client-ip';

/** What an inbound request id may look like: bounded, and nothing that a log or a page could misread (HTTP-3). */
const INBOUND_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** Where in the text of a UUID its version stands. */
const VERSION_AT = 14;

/**
 * A UUIDv7 (RFC 9562, section 5.7): 48 bits of time, and the 74 random bits of a UUIDv4, which Node draws for many at a
 * time. One is made for every request, floods included.
 */
export function newRequestId(): string {
  const time = Date.now();
  if (time !== beginning.time) beginning = { time, text: beginningAt(time) };
  return beginning.text + randomUUID().slice(VERSION_AT + 1);
}

/** Of the ids of this millisecond: there may be dozens. */
let beginning = { time: 0, text: '' };

function beginningAt(time: number): string {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
}

/**
 * The id of a request (HTTP-3): the inbound `X-Request-Id` of a trusted proxy if it has the accepted form, else a
 * UUIDv7. Anybody else could choose the id of another's request and blur both in the logs.
 */
export function createRequestIds(clientIp: Pick<ClientIp, 'isTrustedProxy'>): (request: IncomingMessage) => string {
  return function requestId(request) {
    const inbound = request.headers['x-request-id'];
    if (typeof inbound !== 'string' || !INBOUND_ID.test(inbound)) return newRequestId();
    return clientIp.isTrustedProxy(request.socket.remoteAddress ?? '') ? inbound : newRequestId();
  };
}
