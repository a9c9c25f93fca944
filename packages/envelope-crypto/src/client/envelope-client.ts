import { createConnection, type EnvelopeControls, type OpenEvent, refuse } from './connection/index.js';
import { answerOf, responseOf, sealedInit } from './fetch-transport.js';
import { type EnvelopeClientOptions, readEnvelopeClientOptions } from './options.js';
import { type FetchInput, readRequest, requestIn } from './outgoing-request.js';

/** A client of one service. */
export interface EnvelopeClient extends EnvelopeControls {
  /**
   * Like the global `fetch`, but requests to the service are sealed and its responses opened. A path that begins with
   * `/` belongs to the service. Requests to other hosts and to exempt paths are sent unchanged. So are all requests in
   * mode OFF, unless that is a downgrade (see `requireEncryption`). A URL at the service's host outside `baseUrl` is
   * refused.
   */
  fetch(input: FetchInput, init?: RequestInit): Promise<Response>;
  /**
   * Opens the data of an event of a stream, such as server-sent events: of a response that `fetch` has given, whose
   * body the application reads. Call it for each event in its order: one that is missing, or comes twice, is refused
   * (`RESPONSE_REFUSED`). So is an event of any other response, such as a clone. If the request was not sealed, the
   * data is returned unchanged.
   */
  openEvent(response: Response, data: string): Promise<string>;
}

/**
 * Creates a client that seals requests and opens responses, for browsers, Node.js and other environments that run
 * ECMAScript.
 *
 * @example
 * ```ts
 * import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
 *
 * const { fetch } = createEnvelopeClient({ baseUrl: 'http://127.0.0.1:3000' });
 *
 * const response = await fetch('/payments', { method: 'POST', body: JSON.stringify({ amount: '12.50' }) });
 * console.log(await response.json());
 * ```
 *
 * @throws EnvelopeClientSetupError with every fault of the options
 */
export function createEnvelopeClient(options: EnvelopeClientOptions): EnvelopeClient {
  const { connection: settings, fetch: send, createResponse } = readEnvelopeClientOptions(options);

  const connection = createConnection(settings, async (url, request) => {
    const init: RequestInit & { cache: string } = { ...request, cache: 'no-store', redirect: 'manual' };
    return answerOf(await send(url, init));
  });

  const openers = new WeakMap<Response, OpenEvent>();

  return {
    bootstrap: connection.bootstrap,
    backend: connection.backend,
    resetEncryption: connection.resetEncryption,

    async fetch(input, init = {}) {
      const given = requestIn(input);
      const url = connection.locate(given?.url ?? (input as string | URL).toString());
      const signal = init.signal === undefined ? given?.signal : init.signal;
      const route = await connection.routeOf(init.method ?? given?.method ?? 'GET', url, signal);
      if (route.kind === 'clear') {
        const { response } = await connection.sendClear(route, async () =>
          answerOf(await send(given ?? url.href, init)),
        );
        openers.set(response, async (data) => data);
        return response;
      }
      const outgoing = await readRequest(input, init, settings.decodeText);
      const { method, headers, body } = outgoing;
      const request = {
        ...{ method, url, body, signal },
        authorization: headers.authorization ?? null,
        idempotencyKey: headers['idempotency-key'] ?? null,
      };
      const outcome = await connection.sendSealed(route, request, async (message) =>
        answerOf(await send(message.url, sealedInit(outgoing, message))),
      );
      const response = responseOf(outcome, createResponse);
      openers.set(response, outcome.openEvent);
      return response;
    },

    async openEvent(response, data) {
      const open = openers.get(response) ?? refuse('it answers another request');
      return open(data);
    },
  };
}
