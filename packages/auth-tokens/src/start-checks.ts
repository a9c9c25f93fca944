import type { FastifyInstance } from 'fastify';
import { QUERY_TOKEN_PARAMETER } from './tokens/index.js';

/**
 * Routes that were there before the plugin, as Fastify prints them: its hooks may not run for them. A route for OPTIONS
 * alone is none: @fastify/cors adds one, and belongs before this plugin, so that refusals carry its headers too.
 */
export function unguardedRoutes(fastify: FastifyInstance): string[] {
  const lines = fastify.printRoutes({ commonPrefix: false }).split('\n');
  return lines
    .map((line) => line.replace(/^[│├└─\s]+/, ''))
    .filter((line) => line.endsWith(')') && !line.endsWith(' (OPTIONS)') && line !== '(empty tree)');
}

// Of pino: the serializers of a logger.
const SERIALIZERS = Symbol.for('pino.serializers');

/** Whether the log of requests would show a query token: asked of the log's own `req` serializer, with a token of no worth. */
export function logsQueryTokens(fastify: FastifyInstance): boolean {
  const log = fastify.log as unknown as Record<symbol, Record<string, (request: unknown) => unknown> | undefined>;
  const serialize = log[SERIALIZERS]?.req;
  if (serialize === undefined) return false;
  const probe = 'auth-tokens-probe';
  const url = `/?${QUERY_TOKEN_PARAMETER}=${probe}`;
  const request = { id: probe.length, method: 'GET', url, originalUrl: url, headers: {}, socket: {} };
  try {
    return JSON.stringify(serialize({ ...request, raw: request }))?.includes(probe) ?? false;
  } catch {
    // A serializer that needs a whole request can't be asked.
    return false;
  }
}
