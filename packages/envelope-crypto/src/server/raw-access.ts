import { replaceReplyMethod } from '@sallyport/plugin-kit/routes';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
  const { url: sent, routeOptions } = request;
  const mark = sent.indexOf('?');
  // The query of a body envelope is no part of the URL, and most often there is none.
  if (mark === -1 && query === '') return null;
  const path = mark === -1 ? sent : sent.slice(0, mark);
  if (query === '') return replaceRawUrl(request, reply, path);
  if (routeOptions.config.deliverRawUrl !== true) return withholdRawUrl(request, reply);
  return replaceRawUrl(request, reply, `${path}?${query.replaceAll(NOT_IN_TARGET, encodeURIComponent)}`);
}

/** The same, where nothing declares the read. */
export function withholdRawUrl(request: FastifyRequest, reply: FastifyReply): ReleaseRawUrl {
  return replaceRawUrl(request, reply, null);
}

/** A plaintext query may contain them, a request target may not: spaces, controls, `#`, and all that is not ASCII. */
const NOT_IN_TARGET = /[^\x21\x22\x24-\x7e]/gu;

/** @param delivered null: a read is refused */
function replaceRawUrl(request: FastifyRequest, reply: FastifyReply, delivered: string | null): ReleaseRawUrl {
  const { raw, url: sent } = request;
  let current = delivered;
  let refused: Error | null = null;
  Object.defineProperty(request, 'url', { value: sent, configurable: true });
  Object.defineProperty(raw, 'url', {
    configurable: true,
    get() {
      // It logs and answers what it reads, also after `reply.callNotFound()` in a route.
      if (isNotFoundOfFastify(request)) return sent;
      return current ?? refuse();
    },
    // A router takes off the path under which it is mounted.
    set(url: string) {
      current = current === null ? refuse() : url;
    },
  });
  function refuse(): never {
    refused = new EnvelopeRawUrlUndeclaredError(routeOf(request));
    throw refused;
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

/** Whether Fastify itself answers that the path is unknown, and no handler of the application. */
function isNotFoundOfFastify(request: FastifyRequest): boolean {
  // Handlers of the application are bound, which is part of their name also in a minified bundle.
  return request.is404 && !request.routeOptions.handler.name.startsWith('bound ');
}

/** The route that is being answered, which `reply.callNotFound()` changes. */
function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? 'of unknown paths';
}

/** Lets Fastify write the reply. */
export type ReleaseReply = () => void;

/** Refuses what is written past Fastify, in the reply of a request whose answer is sealed. */
export type RefuseHijack = (request: FastifyRequest, reply: FastifyReply) => ReleaseReply;

const kHijack = Symbol('@sallyport/envelope-crypto: hijack');

/**
 * Data that is written past Fastify is never sealed, so it is refused where the route does not declare it. Taking the
 * reply over throws, and so does writing to that of Node.js: the head of an answer, which `write` and `end` write too,
 * or a pipe.
 *
 * @param isGuarded whether the function was called for the request
 */
export function createHijackGuard(
  fastify: FastifyInstance,
  isGuarded: (request: FastifyRequest) => boolean,
): RefuseHijack {
  const guardHijack = replaceReplyMethod(fastify, kHijack, 'hijack', function guarded(hijack) {
    return function hijackGuarded() {
      if (isGuarded(this.request)) refuseUndeclared(this.request);
      return hijack.call(this);
    };
  });
  return function refuseHijack(request, reply) {
    const { raw } = reply;
    const { writeHead } = raw;
    let isReleased = false;
    function refuseUntilReleased(): void {
      if (!isReleased) refuseUndeclared(request);
    }
    guardHijack(reply);
    Reflect.set(raw, 'writeHead', (...head: unknown[]) => {
      refuseUntilReleased();
      return Reflect.apply(writeHead, raw, head);
    });
    raw.prependListener('pipe', refuseUntilReleased);
    return function releaseReply() {
      isReleased = true;
    };
  };
}

function refuseUndeclared(request: FastifyRequest): void {
  if (request.routeOptions.config.allowHijack !== true) throw new EnvelopeHijackUndeclaredError(routeOf(request));
}
