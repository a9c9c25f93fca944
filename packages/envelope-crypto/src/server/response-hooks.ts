import { isResponse } from '@sallyport/plugin-kit/routes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EnvelopeSealingFailedError, ResponseBodyConsumedError } from '../errors.js';
import type { EnvelopeSuite } from '../suites/index.js';
import { ENVELOPE_HEADER, ENVELOPE_VERSION, isJsonContentType } from '../wire/index.js';
import { type Answer, isLarge, sealResponse as sealEnvelope, sealLargeResponse } from './envelope-engine.js';
import { type Answerable, answerableOf, kRequestState, type RequestState } from './request-state.js';
import {
  bytesOf,
  discardPayload,
  isStream,
  type ResponsePayload,
  readStream,
  StreamTooLongError,
} from './response-payload.js';

type Done = (error: Error | null, payload?: unknown) => void;

/** Dependencies of {@link createResponseHooks}. */
export interface ResponseHooksDependencies {
  readonly suite: EnvelopeSuite;
  readonly now: () => number;
  readonly drawIv: () => Uint8Array;
}

/** The hooks that seal a response. */
export function createResponseHooks({ suite, now, drawIv }: ResponseHooksDependencies) {
  /**
   * onSend. A response is sealed if and only if its request's envelope was claimed and it is JSON. The hook returns a
   * promise only for streams and large payloads.
   */
  function sealResponse(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done) {
    const state = request[kRequestState];
    const refused = release(state);
    // A program that goes on after a read that was refused has no query, and its answer is wrong.
    if (refused !== null && reply.statusCode < 400) return done(refused);
    const answerable = answerableOf(state);
    if (answerable === null) return done(null, payload);
    // If a later hook fails after the response was sealed, its error passes through this hook.
    dropHeader(reply, ENVELOPE_HEADER);
    const sent = isResponse(payload) ? takeOver(reply, payload) : (payload as ResponsePayload);
    if (!isJson(reply) || hasNoContent(reply.statusCode)) return done(null, sent);
    // On routes, `hidePlaintext` follows. An unknown path does not have that hook.
    if (request.method === 'HEAD') return done(null, request.is404 ? hideBody(reply, sent) : sent);
    if (isStream(sent)) return sealStream(answerable, request, reply, sent);

    const plaintext = bytesOf(sent);
    if (plaintext.length === 0) return done(null, '');
    if (isLarge(plaintext)) return sealInTurns(answerable, request, reply, plaintext);
    let text: string;
    try {
      text = sealAtOnce(answerable, request, reply, plaintext);
    } catch (error) {
      return done(error as Error);
    }
    done(null, text);
  }

  /** onError. What logs an error reads the URL, and Fastify may write the error without onSend. */
  function releaseRequest(request: FastifyRequest, _reply: FastifyReply, _error: Error, done: () => void): void {
    release(request[kRequestState]);
    done();
  }

  async function sealStream(
    answerable: Answerable,
    request: FastifyRequest,
    reply: FastifyReply,
    stream: Parameters<typeof readStream>[0],
  ): Promise<string> {
    let plaintext: Uint8Array;
    try {
      plaintext = await readStream(stream, reply.raw);
    } catch (error) {
      throw error instanceof StreamTooLongError ? unsealable(request, reply, error) : error;
    }
    if (plaintext.length === 0) return '';
    return (isLarge(plaintext) ? sealInTurns : sealAtOnce)(answerable, request, reply, plaintext);
  }

  function sealAtOnce(
    answerable: Answerable,
    request: FastifyRequest,
    reply: FastifyReply,
    plaintext: Uint8Array,
  ): string {
    try {
      const text = sealEnvelope(suite, answeredBy(answerable), answerOf(reply, plaintext));
      setEnvelopeHeaders(reply);
      return text;
    } catch (cause) {
      throw unsealable(request, reply, cause);
    }
  }

  async function sealInTurns(
    answerable: Answerable,
    request: FastifyRequest,
    reply: FastifyReply,
    plaintext: Uint8Array,
  ): Promise<string> {
    try {
      const text = await sealLargeResponse(suite, answeredBy(answerable), answerOf(reply, plaintext));
      setEnvelopeHeaders(reply);
      return text;
    } catch (cause) {
      throw unsealable(request, reply, cause);
    }
  }

  function answerOf(reply: FastifyReply, plaintext: Uint8Array): Answer {
    if (reply.hasHeader('content-encoding')) throw new Error('the response is compressed before it is sealed');
    return { status: reply.statusCode, timestamp: now(), iv: drawIv(), plaintext };
  }

  /**
   * onSend of a HEAD route, after Fastify's own hook. That one sets the length of the plaintext, but the envelope is
   * longer. Hooks of the application, such as that of `@fastify/etag`, have run as well.
   */
  async function hidePlaintext(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const isHidden = request.method === 'HEAD' && answerableOf(request[kRequestState]) !== null && isJson(reply);
    return isHidden ? hideBody(reply, payload as ResponsePayload) : payload;
  }

  return { sealResponse, releaseRequest, hidePlaintext };
}

/** From the answer on. Returns the error of a read that was refused. */
function release(state: RequestState | null): Error | null {
  if (state?.stage !== 'delivered' && state?.stage !== 'unknown-path') return null;
  state.releaseReply();
  return state.releaseRawUrl?.() ?? null;
}

function answeredBy({ keyId, nonce, responseKey, binding: { method, path } }: Answerable) {
  return { keyId, nonce, responseKey, method, path };
}

/** Headers of the plaintext. An ETag is its digest, and a short answer can be guessed from that. */
const PLAINTEXT_HEADERS = ['etag', 'content-length'] as const;

function dropPlaintextHeaders(reply: FastifyReply): void {
  for (const name of PLAINTEXT_HEADERS) dropHeader(reply, name);
}

function setEnvelopeHeaders(reply: FastifyReply): void {
  dropPlaintextHeaders(reply);
  reply.headers({
    [ENVELOPE_HEADER]: ENVELOPE_VERSION,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
}

/** The response becomes an error, as plaintext and without data. */
function unsealable(request: FastifyRequest, reply: FastifyReply, cause: unknown): EnvelopeSealingFailedError {
  request[kRequestState] = { stage: 'unsealable' };
  reply.removeHeader('content-encoding');
  return new EnvelopeSealingFailedError({ cause });
}

function hideBody(reply: FastifyReply, payload: ResponsePayload): null {
  discardPayload(payload);
  dropPlaintextHeaders(reply);
  return null;
}

/** Removes a header if it is set. Usually it is not, and V8 is slow to delete an absent property. */
function dropHeader(reply: FastifyReply, name: string): void {
  if (reply.hasHeader(name)) reply.removeHeader(name);
}

/** Takes a fetch `Response` apart, as Fastify does after the last hook. Throws if its body was read before. */
function takeOver(reply: FastifyReply, response: Response): ResponsePayload {
  if (response.body !== null && response.bodyUsed) throw new ResponseBodyConsumedError();
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  return response.body as ReadableStream<Uint8Array> | null;
}

function isJson(reply: FastifyReply): boolean {
  const contentType = reply.getHeader('content-type');
  return isJsonContentType(contentType === undefined ? undefined : String(contentType));
}

function hasNoContent(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}
