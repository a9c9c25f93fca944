import { Readable } from 'node:stream';
import type { FastifyBodyParser, FastifyReply, FastifyRequest, preParsingAsyncHookHandler } from 'fastify';
import { admitRequest, type RequestHead } from './admit-request.js';
import { type BypassRoute, isBypassed } from './bypass-routes.js';
import { maxTextBytes, type RequestBinding } from './envelope.js';
import { EnvelopeNotDeliveredError, EnvelopeTooLargeError, RequestBodyTooLargeError } from './errors.js';
import { kExchange } from './exchange.js';
import type { EnvelopeOpener } from './open-envelope.js';
import { presentEnvelope } from './opened-envelope.js';
import type { EnvelopeCryptoSettings } from './options.js';
import type { PlaintextUses } from './plaintext-uses.js';
import { readText } from './read-text.js';
import { readRequestPlaintext } from './request-plaintext.js';
import type { EnvelopeSuite } from './suites/sm2-sm4-gcm-v1.js';

/** What the hooks on requests work with. */
export interface RequestHooksContext {
  readonly settings: Pick<EnvelopeCryptoSettings, 'timestampWindowSeconds' | 'querystringParser' | 'now'>;
  readonly mode: 'OPTIONAL' | 'REQUIRED';
  readonly bypassRoutes: readonly BypassRoute[];
  readonly suite: EnvelopeSuite;
  readonly opener: EnvelopeOpener;
  readonly uses: PlaintextUses;
  /** Fastify's own parser, with the instance's protections. */
  readonly parseJson: FastifyBodyParser<string>;
}

/** The hooks that open a request, in the order in which they run. */
export function createRequestHooks(context: RequestHooksContext) {
  const { settings, mode, suite, opener } = context;

  async function openEnvelope(request: FastifyRequest, binding: RequestBinding, text: Uint8Array): Promise<void> {
    // Read when the envelope is complete: a body that dribbles in must not be timed by its first byte, or it could be
    // sent again, still in time, after the record of its first use is gone.
    const receivedAt = settings.now();
    const opened = await opener.open(text, binding, receivedAt);
    const envelope = presentEnvelope(opened, receivedAt, settings.timestampWindowSeconds);
    request.envelope = envelope;
    request[kExchange] = { stage: 'opened', envelope, opened };
  }

  /** onRequest. A refusal is remembered and not thrown: it must count against the rate limit, and 429 must win. */
  async function openQueryEnvelope(request: FastifyRequest): Promise<void> {
    if (isExempt(context, request)) {
      request[kExchange] = { stage: 'exempt' };
      return;
    }
    try {
      const admission = admitRequest(headOf(request), mode, suite);
      if (admission.kind === 'plaintext') {
        request[kExchange] = { stage: 'plaintext' };
        return;
      }
      // Nobody sees the envelope as a query; the plaintext's takes its place.
      request.query = settings.querystringParser('');
      if (admission.kind === 'body') request[kExchange] = { stage: 'awaiting-body', binding: admission.binding };
      else await openEnvelope(request, admission.binding, admission.text);
    } catch (refusal) {
      request.query = settings.querystringParser('');
      request[kExchange] = { stage: 'refused', refusal };
    }
  }

  /** preParsing, after rate limiting and before a byte of the body is parsed. */
  const enforceEncryptionPolicy: preParsingAsyncHookHandler = async function enforceEncryptionPolicy(
    request,
    reply,
    payload,
  ) {
    const exchange = request[kExchange];
    switch (exchange?.stage) {
      case 'refused':
        throw exchange.refusal;
      case 'plaintext':
        context.uses.count(request.method, request.routeOptions.url);
        return payload;
      case 'opened':
        return hideBody(request);
      case 'awaiting-body': {
        const text = await readBody(request, reply, payload, maxTextBytes(opener.maxPlaintextBytes('body')));
        request[kExchange] = { stage: 'awaiting-opening', binding: exchange.binding, text };
        return hideBody(request);
      }
      default:
        return payload;
    }
  };

  /** preValidation. The replay guard's hook follows. */
  async function openBodyEnvelope(request: FastifyRequest): Promise<void> {
    const exchange = request[kExchange];
    if (exchange?.stage === 'awaiting-opening') await openEnvelope(request, exchange.binding, exchange.text);
  }

  /** preValidation of the route, which Fastify runs after all of the instance's, the replay guard's among them. */
  async function deliverPlaintext(request: FastifyRequest): Promise<void> {
    const exchange = request[kExchange];
    if (exchange?.stage !== 'opened') return;
    const { envelope, opened } = exchange;
    if (envelope.state !== 'claimed') throw notClaimed();

    const { plaintext, ...answerable } = opened;
    const { query, body, bodyBytes } = readRequestPlaintext(plaintext, envelope.carrier);
    if (bodyBytes > request.routeOptions.bodyLimit) throw new RequestBodyTooLargeError();
    request[kExchange] = { stage: 'delivered', envelope, opened: answerable };
    request.query = settings.querystringParser(query);
    if (body === null) return;

    request.raw.headers['content-type'] = 'application/json';
    request.raw.headers['content-length'] = String(bodyBytes);
    request.body = await parseBody(request, body);
  }

  function parseBody(request: FastifyRequest, body: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      void context.parseJson(request, body, (error, value) => (error ? reject(error) : resolve(value)));
    });
  }

  /** preHandler. A route that was registered before the plugin has no `deliverPlaintext`: its handler would see nothing. */
  async function refuseUndelivered(request: FastifyRequest): Promise<void> {
    if (request[kExchange]?.stage === 'opened' && !request.is404) throw registeredTooEarly(request.routeOptions.url);
  }

  return { openQueryEnvelope, enforceEncryptionPolicy, openBodyEnvelope, deliverPlaintext, refuseUndelivered };
}

function isExempt({ bypassRoutes }: RequestHooksContext, request: FastifyRequest): boolean {
  const { method, headers } = request;
  const isPreflight =
    method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
  // The route that the router chose: no spelling of another path opens anything.
  const { url, config } = request.routeOptions;
  return isPreflight || config.bypassEnvelope === true || isBypassed(bypassRoutes, method, url);
}

function headOf({ method, originalUrl, query, raw }: FastifyRequest): RequestHead {
  return { method, target: originalUrl, rawHeaders: raw.rawHeaders, query, hasBody: hasBody(raw) };
}

function hasBody(raw: FastifyRequest['raw']): boolean {
  const { 'content-length': contentLength, 'transfer-encoding': transferEncoding } = raw.headers;
  if (transferEncoding !== undefined || Number(contentLength ?? 0) > 0) return true;
  // HTTP/2 needs neither header for a body.
  return raw.httpVersionMajor >= 2 && 'stream' in raw && Reflect.get(Object(raw.stream), 'endAfterHeaders') === false;
}

async function readBody(request: FastifyRequest, reply: FastifyReply, payload: Readable, maxBytes: number) {
  try {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new EnvelopeTooLargeError();
    return await readText(payload, maxBytes);
  } catch (refusal) {
    // The rest of the body is still on its way.
    if (request.raw.httpVersionMajor < 2) reply.header('connection', 'close');
    throw refusal;
  }
}

/** Shows Fastify, and every plugin, a request without a body. */
function hideBody({ method, raw }: FastifyRequest): Readable {
  delete raw.headers['content-length'];
  delete raw.headers['transfer-encoding'];
  // Fastify lets no QUERY request pass without a content type (RFC 10008, section 2), so it gets the least JSON there is.
  if (method === 'QUERY') return Readable.from([Buffer.from('null')]);
  delete raw.headers['content-type'];
  return Readable.from([]);
}

function notClaimed(): EnvelopeNotDeliveredError {
  return new EnvelopeNotDeliveredError('no replay guard claimed the envelope: register @sallyport/replay-guard');
}

function registeredTooEarly(url: string | undefined): EnvelopeNotDeliveredError {
  return new EnvelopeNotDeliveredError(`route ${url}: register @sallyport/envelope-crypto before it`);
}
