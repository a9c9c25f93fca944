import type { FastifyRequest, preValidationHookHandler, RouteOptions } from 'fastify';
import { describeBody, hash, type RequestContent } from './request-identity.js';

/** A request before its schema has changed it. */
export interface SentRequest {
  readonly params: unknown;
  readonly content: RequestContent;
}

export const kSentRequest = Symbol('idempotency.sent-request');

/** The mark of a `preValidation` hook that puts the content into the request, such as that of envelope-crypto. */
const kDeliversContent = Symbol.for('@sallyport/delivers-content');

declare module 'fastify' {
  interface FastifyRequest {
    /** @internal */
    [kSentRequest]: SentRequest | null;
  }
}

/** Reads the requests of a route after their content was delivered, and before the route's own hooks. */
export function readBeforeValidation(route: RouteOptions): void {
  const read: preValidationHookHandler = function readAsSent(request, _reply, done) {
    if (request.headers['idempotency-key'] !== undefined) request[kSentRequest] = readSentRequest(request);
    done();
  };
  const hooks = [route.preValidation ?? []].flat();
  const first = hooks.findLastIndex((hook) => kDeliversContent in hook) + 1;
  route.preValidation = [...hooks.slice(0, first), read, ...hooks.slice(first)];
}

/** A validator may change a body in place, so that its hash is kept. The parameters are texts until then. */
function readSentRequest({ params, query, body }: FastifyRequest): SentRequest {
  const digest = hash(['sent', query ?? {}, ...describeBody(body)]);
  return { params: { ...(params as object) }, content: { query: {}, body: digest } };
}
