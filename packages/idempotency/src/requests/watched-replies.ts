import { replaceReplyMethod } from '@sallyport/plugin-kit/routes';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The state of a request, to which its reply matters. */
interface ReplyState {
  noteHijacked(): void;
  noteSent(payload: unknown): void;
  /** A promise follows the reply. */
  noteFollowed(): void;
}

const kHijack = Symbol('@sallyport/idempotency: hijack');
const kSend = Symbol('@sallyport/idempotency: send');
const kThen = Symbol('@sallyport/idempotency: then');

/**
 * Notes how the reply of a request is sent, hijacked or followed.
 *
 * @returns a function for the reply of each request with a state
 */
export function watchReplies(
  fastify: FastifyInstance,
  stateOf: (request: FastifyRequest) => ReplyState | null,
): (reply: FastifyReply) => void {
  const watches = [
    replaceReplyMethod(fastify, kHijack, 'hijack', function watched(hijack) {
      return function hijackWatched() {
        hijack.call(this);
        stateOf(this.request)?.noteHijacked();
        return this;
      };
    }),
    replaceReplyMethod(fastify, kSend, 'send', function watched(send) {
      return function sendWatched(...given) {
        stateOf(this.request)?.noteSent(given[0]);
        return send.apply(this, given);
      };
    }),
    replaceReplyMethod(fastify, kThen, 'then', function watched(then) {
      return function thenWatched(...listeners) {
        stateOf(this.request)?.noteFollowed();
        return then.apply(this, listeners);
      };
    }),
  ];
  return function watchReply(reply) {
    for (const watch of watches) watch(reply);
  };
}
