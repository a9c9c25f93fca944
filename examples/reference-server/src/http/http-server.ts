import AjvCompiler from '@fastify/ajv-compiler';
import { createClientIp } from '@sallyport/client-ip';
import { type FastifyHttpOptions, LogController, type RawServerDefault } from 'fastify';
import type { Config } from '../config/config.js';
import { formatChecks, type KnownToFormats } from './body-formats.js';
import { answerClientError, answerFrameworkError } from './error-response.js';
import { loggerOptions } from './logging.js';
import { createRequestIds } from './request-id.js';

/** Maximum size of request line and headers together, in bytes; beyond it 431. Node's default, stated explicitly. */
const MAX_HEADER_BYTES = 16_384;

/** Timeout for the headers of a request, in milliseconds; beyond it 408. A setting limits the whole request. */
const HEADERS_TIMEOUT_MILLIS = 10_000;

/**
 * A socket without traffic is closed after this time, in milliseconds, including clients that do not read. Longer than
 * the keep-alive timeout (72 s), which is longer than that of common proxies.
 */
const IDLE_TIMEOUT_MILLIS = 90_000;

/** How often Node checks for requests that exceed their timeout, in milliseconds. */
const TIMEOUT_CHECK_MILLIS = 2000;

/** The body limit fits the envelope of the largest payload: four thirds of it in base64url, plus the other members. */
function bodyLimit(maxPayloadBytes: number): number {
  return Math.ceil((maxPayloadBytes * 4) / 3) + 2048;
}

/** Fastify options of this server: limits, ids, logs, and schema checks that never modify a body. */
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
    // Complete requests in progress, and requests on connections that are already open.
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
 * Pools of Ajv instances. A new instance first compiles the JSON Schema metaschema, which takes a third of the start
 * time of an app. Apps with the same formats therefore share their instances.
 */
const pools = new WeakMap<KnownToFormats, AjvCompiler.BuildCompilerFromPool>();

/**
 * Query values are texts and must be coerced to numbers. A JSON body has types of its own, so a wrong type is refused
 * and not coerced. Unknown properties are refused too (HTTP-4); by default Ajv would silently remove them.
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

/** The declared parameter type is any schema. Fastify passes the definition of a part of the route. */
function isBody(route: unknown): boolean {
  return (route as { httpPart?: string }).httpPart === 'body';
}
