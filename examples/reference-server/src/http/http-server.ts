import AjvCompiler from '@fastify/ajv-compiler';
import { createClientIp } from '@sallyport/client-ip';
import { type FastifyHttpOptions, LogController, type RawServerDefault } from 'fastify';
import type { Config } from '../config/config.js';
import { formatChecks, type KnownToFormats } from './body-formats.js';
import { answerClientError, answerFrameworkError } from './error-response.js';
import { loggerOptions } from './logging.js';
import { createRequestIds } from './request-id.js';

/** Header lines and request line together, in bytes; beyond it 431. Node's own default, said aloud. */
const MAX_HEADER_BYTES = 16_384;

/** A client has this long for the headers, in milliseconds; beyond it 408. For the whole request a setting says it. */
const HEADERS_TIMEOUT_MILLIS = 10_000;

/**
 * A socket on which nothing moves for this long is closed, in milliseconds: readers that don't read, too. Longer than a
 * connection is kept for the next request (72 s), which is longer than proxies keep theirs.
 */
const IDLE_TIMEOUT_MILLIS = 90_000;

/** How often Node looks for requests over their time, in milliseconds. */
const TIMEOUT_CHECK_MILLIS = 2000;

/**
 * The body of a plaintext request takes as much as an envelope of the largest payload does: four thirds of it in
 * base64url, and the other members.
 */
function bodyLimit(maxPayloadBytes: number): number {
  return Math.ceil((maxPayloadBytes * 4) / 3) + 2048;
}

/** How Fastify is made for this server: limits, ids, logs, and schema checks that change nothing in a body. */
export function httpServerOptions(
  config: Config,
  known: KnownToFormats,
  logStream?: NodeJS.WritableStream,
): FastifyHttpOptions<RawServerDefault> {
  return {
    bodyLimit: bodyLimit(config['api.encryption.max-payload-bytes']),
    requestTimeout: config['request-timeout-seconds'] * 1000,
    connectionTimeout: IDLE_TIMEOUT_MILLIS,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MILLIS, config['request-timeout-seconds'] * 1000),
      connectionsCheckingInterval: TIMEOUT_CHECK_MILLIS,
    },
    // Requests that are under way, or already on an open connection, are served to the end.
    return503OnClosing: false,
    genReqId: createRequestIds(createClientIp({ trustedProxies: config['trusted-proxies'] })),
    logger: loggerOptions(config, logStream),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerClientError,
    ajv: { customOptions: { formats: formatChecks(known) } },
    schemaController: { compilersFactory: { buildValidator: strictBodies(known) } },
  };
}

/**
 * Pools of Ajv instances. A new instance compiles the schema of all schemas first, which takes a third of the time that
 * an app takes to start; so apps with the same formats share theirs.
 */
const pools = new WeakMap<KnownToFormats, AjvCompiler.BuildCompilerFromPool>();

/**
 * Text from a query has to become numbers. A JSON body names its types itself, and a wrong one is refused, not coerced.
 * A property that the schema does not name is refused as well (HTTP-4): by default Ajv would drop it silently.
 */
function strictBodies(known: KnownToFormats): AjvCompiler.BuildCompilerFromPool {
  const build = pools.get(known) ?? AjvCompiler();
  pools.set(known, build);
  return (externalSchemas, options) => {
    const withCoercion = (coerceTypes: 'array' | false) => {
      const customOptions = { ...options?.customOptions, removeAdditional: false, coerceTypes } as AjvCompiler.Options;
      return build(externalSchemas, { ...options, customOptions } as typeof options);
    };
    const body = withCoercion(false);
    const others = withCoercion('array');
    return (route) => (isBody(route) ? body(route) : others(route));
  };
}

/** The declared parameter is any schema; what Fastify hands over is the definition of a route's part. */
function isBody(route: unknown): boolean {
  return (route as { httpPart?: string }).httpPart === 'body';
}
