import type { IncomingMessage } from 'node:http';
import type { ClientIp } from '@sallyport/client-ip';
import { v7 as uuidv7 } from 'uuid';

/** What an inbound request id may look like: bounded, and nothing that a log or a page could misread (HTTP-3). */
const INBOUND_ID = /^[A-Za-z0-9_-]{8,64}$/;

export function newRequestId(): string {
  return uuidv7();
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
