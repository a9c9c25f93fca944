import { Readable } from 'node:stream';
import type { FastifyBodyParser, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import { EnvelopeNotDeliveredError, EnvelopeTooLargeError, RequestBodyTooLargeError } from '../errors.js';
import type { EnvelopeSuite } from '../suites/sm2-sm4-gcm-v1.js';
import { maxTextBytes, type RequestBinding } from '../wire/envelope.js';
import { admitRequest, type RequestHead } from './admit-request.js';
import { type BypassRoute, isBypassed } from './bypass-routes.js';
import type { EnvelopeOpener } from './open-envelope.js';
import { presentEnvelope } from './opened-envelope.js';
import type { EnvelopeCryptoSettings } from './options.js';
import type { PlaintextUses } from './plaintext-uses.js';
import { readText } from './read-text.js';
import { readRequestPlaintext } from './request-plaintext.js';
import { type Exchange, kExchange } from './request-state.js';

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

type Done = (error?: Error) => void;

/**
 * The hooks that open a request, in the order in which they run. Every request in the clear passes by them as well: they
 * make a promise, which Fastify awaits, only where there is an envelope.
 */
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
  function openQueryEnvelope(request: FastifyRequest, _reply: FastifyReply, done: Done): void | Promise<void> {
    if (isExempt(context, request)) {
      request[kExchange] = { stage: 'exempt' };
      return done();
    }
    try {
      const admission = admitRequest(headOf(request), mode, suite);
      if (admission.kind === 'plaintext') {
        request[kExchange] = { stage: 'plaintext' };
        return done();
      }
      // Nobody sees the envelope as a query; the plaintext's takes its place.
      request.query = settings.querystringParser('');
      if (admission.kind === 'query') return openFromQuery(request, admission.binding, admission.text);
      request[kExchange] = { stage: 'awaiting-body', binding: admission.binding };
    } catch (refusal) {
      refuseLater(request, refusal);
    }
    return done();
  }

  async function openFromQuery(request: FastifyRequest, binding: RequestBinding, text: Uint8Array): Promise<void> {
    try {
      await openEnvelope(request, binding, text);
    } catch (refusal) {
      refuseLater(request, refusal);
    }
  }

  function refuseLater(request: FastifyRequest, refusal: unknown): void {
    request.query = settings.querystringParser('');
    request[kExchange] = { stage: 'refused', refusal };
  }

  /** preParsing, after rate limiting and before a byte of the body is parsed. */
  const enforceEncryptionPolicy: preParsingHookHandler = function enforceEncryptionPolicy(
    request,
    reply,
    payload,
    done,
  ) {
    const exchange = request[kExchange];
    switch (exchange?.stage) {
      case 'refused':
        return Promise.reject(exchange.refusal);
      case 'plaintext':
        context.uses.count(request.method, request.routeOptions.url);
        return done(null, payload);
      case 'opened':
        return done(null, hideBody(request));
      case 'awaiting-body':
        return takeBody(request, reply, payload, exchange.binding);
      default:
        return done(null, payload);
    }
  };

  async function takeBody(request: FastifyRequest, reply: FastifyReply, payload: Readable, binding: RequestBinding) {
    const text = await readBody(request, reply, payload, maxTextBytes(opener.maxPlaintextBytes('body')));
    request[kExchange] = { stage: 'awaiting-opening', binding, text };
    return hideBody(request);
  }

  /** preValidation. The replay guard's hook follows. */
  function openBodyEnvelope(request: FastifyRequest, _reply: FastifyReply, done: Done): void | Promise<void> {
    const exchange = request[kExchange];
    if (exchange?.stage !== 'awaiting-opening') return done();
    return openEnvelope(request, exchange.binding, exchange.text);
  }

  /** preValidation of the route, which Fastify runs after all of the instance's, the replay guard's among them. */
  function deliverPlaintext(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
    const exchange = request[kExchange];
    try {
      if (exchange?.stage === 'opened') deliver(request, exchange);
    } catch (refusal) {
      done(refusal as Error);
      return;
    }
    done();
  }

  function deliver(request: FastifyRequest, exchange: Extract<Exchange, { stage: 'opened' }>): void {
    const { envelope, opened } = exchange;
    if (envelope.state !== 'claimed') throw notClaimed();

    const { keyId, nonce, binding, responseKey, plaintext } = opened;
    const { query, body, bodyBytes } = readRequestPlaintext(plaintext, envelope.carrier);
    if (bodyBytes > request.routeOptions.bodyLimit) throw new RequestBodyTooLargeError();
    request[kExchange] = { stage: 'delivered', envelope, opened: { keyId, nonce, binding, responseKey } };
    request.query = settings.querystringParser(query);
    if (body === null) return;

    request.raw.headers['content-type'] = 'application/json';
    request.raw.headers['content-length'] = String(bodyBytes);
    request.body = parseBody(request, body);
  }

  /** Fastify's parser calls back before it returns, from within a `try` of its own: whatever follows must not run in there. */
  function parseBody(request: FastifyRequest, body: string): unknown {
    let fault: Error | null = null;
    let parsed: unknown;
    void context.parseJson(request, body, (error, value) => {
      fault = error;
      parsed = value;
    });
    if (fault !== null) throw fault;
    return parsed;
  }

  /** preHandler. A route that was registered before the plugin has no `deliverPlaintext`: its handler would see nothing. */
  function refuseUndelivered(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
    const isUndelivered = request[kExchange]?.stage === 'opened' && !request.is404;
    done(isUndelivered ? registeredTooEarly(request.routeOptions.url) : undefined);
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
  // `Readable.from` would take an iterator and promises to find nothing.
  return new Readable({ read: endAtOnce });
}

function endAtOnce(this: Readable): void {
  this.push(null);
}

function notClaimed(): EnvelopeNotDeliveredError {
  return new EnvelopeNotDeliveredError('no replay guard claimed the envelope: register @sallyport/replay-guard');
}

function registeredTooEarly(url: string | undefined): EnvelopeNotDeliveredError {
  return new EnvelopeNotDeliveredError(`route ${url}: register @sallyport/envelope-crypto before it`);
}
