import { createClientIp } from '@sallyport/client-ip';
import { type FastifyHttpOptions, LogController, type RawServerDefault } from 'fastify';
import type { Config } from '../config/config.js';
import { formatChecks, type KnownToFormats } from './body-formats.js';
import { answerClientError, answerFrameworkError } from './error-response.js';
import { loggerOptions } from './logging.js';
import { createRequestIds } from './request-id.js';
import { buildSerializer, strictBodies } from './schema-compilers.js';

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

/** The id of a passkey has up to 1023 bytes, here in base64url (WebAuthn Level 3, section 5.1). */
const MAX_PARAM_LENGTH = 1364;

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
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MILLIS, config['request-timeout-seconds'] * 1000),
      connectionsCheckingInterval: TIMEOUT_CHECK_MILLIS,
      // `host-header.ts` refuses these requests, with a problem document.
      requireHostHeader: false,
    },
    // Complete requests in progress, and requests on connections that are already open.
    return503OnClosing: false,
    genReqId: createRequestIds(createClientIp({ trustedProxies: config['trusted-proxies'] })),
    logger: loggerOptions(config, logStream),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerClientError,
    ajv: { customOptions: { formats: formatChecks(known) } },
    schemaController: { compilersFactory: { buildValidator: strictBodies(known), buildSerializer } },
  };
}
