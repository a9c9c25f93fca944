import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENVELOPE_HEADER, ENVELOPE_VERSION, isJsonContentType } from './envelope.js';
import { EnvelopeSealingFailedError } from './errors.js';
import { type Answerable, answerableOf, kExchange } from './exchange.js';
import { isLarge } from './next-turn.js';
import { bytesOf, discardPayload, isStream, type ResponsePayload, readStream } from './response-payload.js';
import { sealResponse as sealEnvelope, sealLargeResponse } from './seal-response.js';
import type { EnvelopeSuite } from './suites/sm2-sm4-gcm-v1.js';

/** What the hooks on responses work with. */
export interface ResponseHooksContext {
  readonly suite: EnvelopeSuite;
  readonly now: () => number;
  readonly freshIv: () => Uint8Array;
}

/** The hooks that seal a response. */
export function createResponseHooks({ suite, now, freshIv }: ResponseHooksContext) {
  /** onSend. A response is sealed if and only if its request's envelope was claimed, and it is JSON. */
  function sealResponse(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ) {
    const answerable = answerableOf(request[kExchange]);
    // No promise, which Fastify would await, for the requests in the clear.
    return answerable === null ? done(null, payload) : sealFor(answerable, request, reply, payload);
  }

  async function sealFor(
    answerable: Answerable,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): Promise<unknown> {
    // A later hook that failed sends its error through here after a response was sealed.
    dropHeader(reply, ENVELOPE_HEADER);
    const sent = payload instanceof Response ? takeOver(reply, payload) : (payload as ResponsePayload);
    if (!isJson(reply) || hasNoContent(reply.statusCode)) return sent;
    // For routes `hideLengthFromHead` follows; an unknown path has none.
    if (request.method === 'HEAD') return request.is404 ? hideBody(reply, sent) : sent;

    const plaintext = isStream(sent) ? await readStream(sent, (stop) => reply.raw.once('close', stop)) : bytesOf(sent);
    return plaintext.length === 0 ? '' : sealBytes(request, reply, answerable, plaintext);
  }

  async function sealBytes(
    request: FastifyRequest,
    reply: FastifyReply,
    answerable: Answerable,
    plaintext: Uint8Array,
  ): Promise<string> {
    try {
      if (reply.hasHeader('content-encoding')) throw new Error('the response is compressed before it is sealed');
      const { keyId, nonce, responseKey } = answerable;
      const { method, path } = answerable.binding;
      const { statusCode: status } = reply;
      const answer = { status, timestamp: now(), iv: freshIv(), plaintext };
      const answered = { keyId, nonce, responseKey, method, path };
      const text = isLarge(plaintext)
        ? await sealLargeResponse(suite, answered, answer)
        : sealEnvelope(suite, answered, answer);
      dropHeader(reply, 'etag');
      dropHeader(reply, 'content-length');
      reply.headers({
        [ENVELOPE_HEADER]: ENVELOPE_VERSION,
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
      });
      return text;
    } catch (cause) {
      // What comes instead is an error of ours, in the clear and without data.
      request[kExchange] = { stage: 'unsealable' };
      reply.removeHeader('content-encoding');
      throw new EnvelopeSealingFailedError({ cause });
    }
  }

  /** onSend of a HEAD route, after Fastify's own, which counts the body it hides: the envelope would be longer. */
  async function hideLengthFromHead(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const isHidden = request.method === 'HEAD' && answerableOf(request[kExchange]) !== null && isJson(reply);
    return isHidden ? hideBody(reply, payload as ResponsePayload) : payload;
  }

  return { sealResponse, hideLengthFromHead };
}

function hideBody(reply: FastifyReply, payload: ResponsePayload): null {
  discardPayload(payload);
  reply.removeHeader('content-length');
  return null;
}

/** Removes a header that may be there. Most often it isn't, and V8 takes its time to find nothing to delete. */
function dropHeader(reply: FastifyReply, name: string): void {
  if (reply.hasHeader(name)) reply.removeHeader(name);
}

/** What Fastify would do with a fetch `Response` after the last hook. */
function takeOver(reply: FastifyReply, response: Response): ResponsePayload {
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
