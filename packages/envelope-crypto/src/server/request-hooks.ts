import type { Readable } from 'node:stream';
import type { FastifyBodyParser, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import {
  EnvelopeKeyUnavailableError,
  EnvelopeMalformedError,
  EnvelopeNotDeliveredError,
  EnvelopePlaintextInvalidError,
  RequestBodyTooLargeError,
} from '../errors.js';
import type { EnvelopeSuite } from '../suites/index.js';
import { maxTextBytes, type RequestBinding } from '../wire/index.js';
import { admitRequest, type RequestHead } from './admit-request.js';
import { type BypassRoute, isBypassed } from './bypass-routes.js';
import { isTimeRoute } from './encryption-routes.js';
import type { PlaintextUses } from './envelope-crypto.js';
import type { EnvelopeOpener, OpenedRequest } from './envelope-engine.js';
import type { EnvelopeCryptoSettings } from './options.js';
import { deliverRawUrl, type RefuseHijack, withholdRawUrl } from './raw-access.js';
import type { RefusalLog } from './refusal-log.js';
import { hasBody, hideBody, readBody } from './request-body.js';
import { kRequestState, presentEnvelope, type RequestState } from './request-state.js';
import { hasQuery, readRequestPlaintext } from './request-text.js';

/** Dependencies of {@link createRequestHooks}. */
export interface RequestHooksDependencies {
  readonly settings: Pick<
    EnvelopeCryptoSettings,
    'timestampWindowSeconds' | 'querystringParser' | 'scheduleQueryOpening' | 'now'
  >;
  readonly mode: 'OPTIONAL' | 'REQUIRED';
  readonly bypassRoutes: readonly BypassRoute[];
  readonly suite: EnvelopeSuite;
  readonly opener: EnvelopeOpener;
  readonly uses: PlaintextUses;
  readonly refusalLog: Pick<RefusalLog, 'note'>;
  readonly refuseHijack: RefuseHijack;
  /** Fastify's own JSON parser, with the instance's protections. */
  readonly parseJson: FastifyBodyParser<string>;
}

/** The whole plaintext of an envelope that asks for the time: no query and no body. */
const LINE_FEED = 0x0a;

type Done = (error?: Error) => void;

/** Other plugins read the content of a request after a hook with this mark. */
const kDeliversContent = Symbol.for('@sallyport/delivers-content');

/**
 * The hooks that open a request, in order. Plaintext requests run them as well, so they return a promise, which Fastify
 * awaits, only for an envelope.
 */
export function createRequestHooks(dependencies: RequestHooksDependencies) {
  const { settings, mode, suite, opener } = dependencies;

  async function openEnvelope(
    request: FastifyRequest,
    binding: RequestBinding,
    text: Uint8Array,
    isRefused: () => boolean = () => false,
  ): Promise<void> {
    // The clock is read when the envelope is complete. If a slow body were timed by its first byte, it could be
    // accepted a second time after the record of its first use has expired.
    const receivedAt = settings.now();
    const isForTime = isTimeRoute(request);
    let opened: OpenedRequest;
    try {
      opened = await opener.open(text, binding, isForTime ? null : receivedAt);
    } catch (refusal) {
      if (refusal instanceof EnvelopeKeyUnavailableError) dependencies.refusalLog.note(refusal);
      throw refusal;
    }
    if (isRefused()) return;
    if (isForTime) return answerTime(request, opened);
    const envelope = presentEnvelope(opened, receivedAt, settings.timestampWindowSeconds);
    request.envelope = envelope;
    request[kRequestState] = { stage: 'opened', envelope, opened };
    // The envelope does not cover it. An attacker who adds it would learn by 304 whether a guess is right.
    delete request.raw.headers['if-none-match'];
  }

  /**
   * ENV-16: the envelope is no request, so it is not shown to the replay guard, and its nonce is not recorded. Its path
   * and method are bound into it, so that it opens at this route alone, and no envelope of another route opens here.
   */
  function answerTime(request: FastifyRequest, { keyId, nonce, binding, responseKey, plaintext }: OpenedRequest): void {
    request[kRequestState] = { stage: 'asked-for-time', opened: { keyId, nonce, binding, responseKey } };
    if (plaintext.length !== 1 || plaintext[0] !== LINE_FEED) throw new EnvelopePlaintextInvalidError();
  }

  /** onRequest. A refusal is kept, not thrown: it must count against the rate limit, and 429 must win. */
  function openQueryEnvelope(request: FastifyRequest, reply: FastifyReply, done: Done): void | Promise<void> {
    if (isExempt(dependencies, request)) {
      request[kRequestState] = { stage: 'exempt' };
      return done();
    }
    try {
      const admission = admitRequest(headOf(request), mode, suite);
      if (admission.kind === 'plaintext') {
        request[kRequestState] = { stage: 'plaintext' };
        return done();
      }
      // Plugins see no query until the plaintext's query replaces the envelope.
      request.query = settings.querystringParser('');
      // A query envelope is opened before rate limits run.
      if (admission.kind === 'query' && isTimeRoute(request)) throw queryForTime();
      if (admission.kind === 'query') return openFromQuery(request, reply, admission.binding, admission.text);
      request[kRequestState] = { stage: 'awaiting-body', binding: admission.binding };
    } catch (refusal) {
      refuseLater(request, refusal);
    }
    return done();
  }

  async function openFromQuery(
    request: FastifyRequest,
    reply: FastifyReply,
    binding: RequestBinding,
    text: Uint8Array,
  ): Promise<void> {
    // An envelope that is not opened is not served.
    refuseLater(request, new EnvelopeNotDeliveredError('scheduleQueryOpening resolved without opening the envelope'));
    let opening: Promise<void> | null = null;
    let isRefused = false;
    function open(): Promise<void> {
      opening ??= openEnvelope(request, binding, text, () => isRefused);
      // If a scheduler does not await it, a forged envelope must not end the process.
      opening.catch(() => {});
      return opening;
    }
    try {
      await settings.scheduleQueryOpening(request, reply, open);
      await opening;
    } catch (refusal) {
      isRefused = true;
      refuseLater(request, refusal);
    }
  }

  function refuseLater(request: FastifyRequest, refusal: unknown): void {
    request.query = settings.querystringParser('');
    request[kRequestState] = { stage: 'refused', refusal };
  }

  /** preParsing: after rate limiting, before any byte of the body is parsed. */
  const enforceEncryptionPolicy: preParsingHookHandler = function enforceEncryptionPolicy(
    request,
    reply,
    payload,
    done,
  ) {
    const state = request[kRequestState];
    switch (state?.stage) {
      case 'refused':
        return Promise.reject(state.refusal);
      case 'plaintext':
        dependencies.uses.count(request.method, request.routeOptions.url);
        return done(null, payload);
      case 'opened':
        return done(null, hideBody(request));
      case 'awaiting-body':
        return takeBody(request, reply, payload, state.binding);
      default:
        return done(null, payload);
    }
  };

  async function takeBody(request: FastifyRequest, reply: FastifyReply, payload: Readable, binding: RequestBinding) {
    const text = await readBody(request, reply, payload, maxTextBytes(opener.maxPlaintextBytes('body')));
    request[kRequestState] = { stage: 'awaiting-opening', binding, text };
    return hideBody(request);
  }

  /** preValidation. The replay guard's hook follows. */
  function openBodyEnvelope(request: FastifyRequest, _reply: FastifyReply, done: Done): void | Promise<void> {
    const state = request[kRequestState];
    if (state?.stage !== 'awaiting-opening') return done();
    return openEnvelope(request, state.binding, state.text);
  }

  /** preValidation of the route. Fastify runs it after the hooks of the instance, including the replay guard's. */
  function deliverPlaintext(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    const state = request[kRequestState];
    try {
      if (state?.stage === 'opened') deliver(request, reply, state);
    } catch (refusal) {
      done(refusal as Error);
      return;
    }
    done();
  }

  function deliver(request: FastifyRequest, reply: FastifyReply, state: Extract<RequestState, { stage: 'opened' }>) {
    const { envelope, opened } = state;
    if (envelope.state !== 'claimed') throw notClaimed();

    const { keyId, nonce, binding, responseKey, plaintext } = opened;
    const { query, body, bodyBytes } = readRequestPlaintext(plaintext, envelope.carrier);
    if (bodyBytes > request.routeOptions.bodyLimit) throw new RequestBodyTooLargeError();
    request.query = settings.querystringParser(query);
    const releaseRawUrl = deliverRawUrl(request, reply, query);
    const answerable = { keyId, nonce, binding, responseKey };
    const releaseReply = dependencies.refuseHijack(request, reply);
    request[kRequestState] = { stage: 'delivered', envelope, opened: answerable, releaseRawUrl, releaseReply };
    if (body === null) return;

    request.raw.headers['content-type'] = 'application/json';
    request.raw.headers['content-length'] = String(bodyBytes);
    request.body = parseBody(request, body);
  }

  /**
   * Fastify's parser calls back synchronously, inside its own `try`. The rest of the request must not run inside it.
   */
  function parseBody(request: FastifyRequest, body: string): unknown {
    let fault: Error | null = null;
    let parsed: unknown;
    void dependencies.parseJson(request, body, (error, value) => {
      fault = error;
      parsed = value;
    });
    if (fault !== null) throw fault;
    return parsed;
  }

  /** preHandler. A route registered before the plugin has no `deliverPlaintext`: its handler would get no data. */
  function refuseUndelivered(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    const state = request[kRequestState];
    const isUndelivered = state?.stage === 'opened' && !request.is404;
    if (state?.stage === 'opened' && request.is404) guardUnknownPath(request, reply, state);
    done(isUndelivered ? registeredTooEarly(request.routeOptions.url) : undefined);
  }

  /** The handler of unknown paths may pass them on to another server. No query is delivered to it. */
  function guardUnknownPath(
    request: FastifyRequest,
    reply: FastifyReply,
    { envelope, opened }: Extract<RequestState, { stage: 'opened' }>,
  ): void {
    const { keyId, nonce, binding, responseKey, plaintext } = opened;
    const releaseRawUrl = hasQuery(plaintext, envelope.carrier) ? withholdRawUrl(request, reply) : null;
    const answerable = { keyId, nonce, binding, responseKey };
    const releaseReply = dependencies.refuseHijack(request, reply);
    request[kRequestState] = { stage: 'unknown-path', envelope, opened: answerable, releaseRawUrl, releaseReply };
  }

  Object.assign(deliverPlaintext, { [kDeliversContent]: true });
  return { openQueryEnvelope, enforceEncryptionPolicy, openBodyEnvelope, deliverPlaintext, refuseUndelivered };
}

function isExempt({ bypassRoutes }: RequestHooksDependencies, request: FastifyRequest): boolean {
  // The route that the router chose decides, so no spelling of another path is exempt.
  const { url, config } = request.routeOptions;
  return isPreflight(request) || config.bypassEnvelope === true || isBypassed(bypassRoutes, request.method, url);
}

/** A route that answers other methods as well, such as one of `app.all`, would take it for a request. */
function isPreflight(request: FastifyRequest): boolean {
  // `routeOptions` makes an object, so it is not read of other requests.
  if (request.method !== 'OPTIONS') return false;
  const { headers, raw, is404, routeOptions } = request;
  if (headers.origin === undefined || headers['access-control-request-method'] === undefined) return false;
  return !hasBody(raw) && (is404 || [routeOptions.method].flat().every((one) => one === 'OPTIONS'));
}

function headOf({ method, originalUrl, query, raw }: FastifyRequest): RequestHead {
  return { method, target: originalUrl, rawHeaders: raw.rawHeaders, query, hasBody: hasBody(raw) };
}

function queryForTime(): EnvelopeMalformedError {
  return new EnvelopeMalformedError({ cause: new Error('the time is asked for by a body envelope') });
}

function notClaimed(): EnvelopeNotDeliveredError {
  return new EnvelopeNotDeliveredError('no replay guard claimed the envelope: register @sallyport/replay-guard');
}

function registeredTooEarly(url: string | undefined): EnvelopeNotDeliveredError {
  return new EnvelopeNotDeliveredError(`route ${url}: register @sallyport/envelope-crypto before it`);
}
