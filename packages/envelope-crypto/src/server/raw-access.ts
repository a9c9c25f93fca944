import type { FastifyReply, FastifyRequest } from 'fastify';
import { EnvelopeHijackUndeclaredError, EnvelopeRawUrlUndeclaredError } from '../errors.js';

/** Lets everybody read the URL again, as it was sent. The first call gives the error of a read that was refused. */
export type ReleaseRawUrl = () => Error | null;

/**
 * A proxy or another router reads the URL of Node.js instead of `request.query`. It gets the plaintext query where the
 * route declares it. Elsewhere the read throws, since it would find no parameters and give a wrong answer.
 * `request.url` and `request.originalUrl` stay as sent: logs read them.
 *
 * @returns null where nothing throws
 */
export function deliverRawUrl(request: FastifyRequest, query: string): ReleaseRawUrl | null {
  const { raw, url: sent, routeOptions } = request;
  const mark = sent.indexOf('?');
  // The query of a body envelope is no part of the URL, and most often there is none.
  if (mark === -1 && query === '') return null;
  const path = mark === -1 ? sent : sent.slice(0, mark);
  Object.defineProperty(request, 'url', { value: sent, configurable: true });
  if (query === '' || routeOptions.config.deliverRawUrl === true) {
    raw.url = query === '' ? path : `${path}?${query.replaceAll(NOT_IN_TARGET, encodeURIComponent)}`;
    return null;
  }
  let refused: Error | null = null;
  Object.defineProperty(raw, 'url', {
    configurable: true,
    get() {
      refused = new EnvelopeRawUrlUndeclaredError(String(routeOptions.url));
      throw refused;
    },
  });
  return function releaseRawUrl() {
    Object.defineProperty(raw, 'url', { value: sent, configurable: true, writable: true });
    const error = refused;
    refused = null;
    return error;
  };
}

/** A plaintext query may contain them, a request target may not: spaces, controls, `#`, and all that is not ASCII. */
const NOT_IN_TARGET = /[^\x21\x22\x24-\x7e]/gu;

/** A hijacked reply is never sealed. Where that is not declared, taking it over throws. */
export function refuseHijack({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (routeOptions.config.allowHijack === true) return;
  reply.hijack = () => {
    throw new EnvelopeHijackUndeclaredError(String(routeOptions.url));
  };
}
