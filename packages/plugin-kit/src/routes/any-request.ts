import type { FastifyRequest } from 'fastify';

/**
 * A request of any application, with HTTP/2, type providers and loggers of its own. `FastifyRequest` without arguments
 * is one of HTTP/1.1 only. Take it in a function that applications call, and use it as a `FastifyRequest`.
 */
export type AnyRequest = Pick<FastifyRequest, 'id' | 'is404' | 'method' | 'originalUrl'>;
