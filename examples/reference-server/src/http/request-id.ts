import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ClientIp } from '@sallyport/client-ip';

/**
 * Accepted form of an inbound request id: bounded, and without characters that a log or a page could interpret
 * (HTTP-3).
 */
const INBOUND_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** Index of the version digit in the text of a UUID. */
const VERSION_AT = 14;

/**
 * A UUIDv7 (RFC 9562, section 5.7): 48 bits of time, and the 74 random bits of a UUIDv4, which Node generates in
 * batches. Generated for every request, including floods, so it must be cheap.
 */
export function newRequestId(): string {
  const time = Date.now();
  if (time !== beginning.time) beginning = { time, text: beginningAt(time) };
  return beginning.text + randomUUID().slice(VERSION_AT + 1);
}

/** Caches the prefix of the current millisecond, which dozens of ids may share. */
let beginning = { time: 0, text: '' };

function beginningAt(time: number): string {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
}

/**
 * The id of a request (HTTP-3): the inbound `X-Request-Id` of a trusted proxy if it has the accepted form, else a
 * UUIDv7. Other clients could otherwise reuse the id of another request and confuse the logs.
 */
export function createRequestIds(clientIp: Pick<ClientIp, 'isTrustedProxy'>): (request: IncomingMessage) => string {
  return function requestId(request) {
    const inbound = request.headers['x-request-id'];
    if (typeof inbound !== 'string' || !INBOUND_ID.test(inbound)) return newRequestId();
    return clientIp.isTrustedProxy(request.socket.remoteAddress ?? '') ? inbound : newRequestId();
  };
}
