import type { FastifyReply, FastifyRequest } from 'fastify';
import { EnvelopeHijackUndeclaredError, EnvelopeRawUrlUndeclaredError } from '../errors.js';

/** Lets everybody read the URL again, as it was sent. The first call gives the error of a read that was refused. */
export type ReleaseRawUrl = () => Error | null;

/**
 * A proxy or another router reads the URL of Node.js instead of `request.query`. It gets the plaintext query where the
 * route declares it. Elsewhere the read throws, since it would find no parameters and give a wrong answer.
 * `request.url` and `request.originalUrl` stay as sent: logs read them. From the answer on, so is the URL of Node.js.
 *
 * @returns null where it is as it was sent
 */
export function deliverRawUrl(request: FastifyRequest, reply: FastifyReply, query: string): ReleaseRawUrl | null {
  const { raw, url: sent, routeOptions } = request;
  const mark = sent.indexOf('?');
  // The query of a body envelope is no part of the URL, and most often there is none.
  if (mark === -1 && query === '') return null;
  const path = mark === -1 ? sent : sent.slice(0, mark);
  Object.defineProperty(request, 'url', { value: sent, configurable: true });
  let refused: Error | null = null;
  if (query === '' || routeOptions.config.deliverRawUrl === true) {
    raw.url = query === '' ? path : `${path}?${query.replaceAll(NOT_IN_TARGET, encodeURIComponent)}`;
  } else {
    Object.defineProperty(raw, 'url', {
      configurable: true,
      get() {
        refused = new EnvelopeRawUrlUndeclaredError(String(routeOptions.url));
        throw refused;
      },
    });
  }
  function releaseRawUrl() {
    Object.defineProperty(raw, 'url', { value: sent, configurable: true, writable: true });
    const error = refused;
    refused = null;
    return error;
  }
  // A reply that was taken over runs no hook, and one that is broken off may run none. What listens to their end reads
  // the URL, and an error there would end the process.
  reply.raw.prependOnceListener('finish', releaseRawUrl);
  reply.raw.prependOnceListener('close', releaseRawUrl);
  return releaseRawUrl;
}

/** A plaintext query may contain them, a request target may not: spaces, controls, `#`, and all that is not ASCII. */
const NOT_IN_TARGET = /[^\x21\x22\x24-\x7e]/gu;

/** Lets Fastify write the reply. */
export type ReleaseReply = () => void;

/**
 * Refuses what is written past Fastify, which is never sealed, where the route does not declare it. Taking the reply
 * over throws, and so does writing to that of Node.js: the head of an answer, which `write` and `end` write too, or a
 * pipe.
 */
export function refuseHijack({ routeOptions }: FastifyRequest, reply: FastifyReply): ReleaseReply | null {
  if (routeOptions.config.allowHijack === true) return null;
  const { raw } = reply;
  const { writeHead } = raw;
  let isReleased = false;
  function refuse(): never {
    throw new EnvelopeHijackUndeclaredError(String(routeOptions.url));
  }
  function refuseUntilReleased(): void {
    if (!isReleased) refuse();
  }
  reply.hijack = refuse;
  Reflect.set(raw, 'writeHead', (...head: unknown[]) => {
    refuseUntilReleased();
    return Reflect.apply(writeHead, raw, head);
  });
  raw.prependListener('pipe', refuseUntilReleased);
  return function releaseReply() {
    isReleased = true;
  };
}
