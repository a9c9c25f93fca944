import type { ActiveBackend } from '../suites/index.js';
import type { EnvelopeBootstrap } from '../wire/index.js';
import { createBootstrapCache, readBootstrap } from './bootstrap.js';
import { createClientBackend } from './client-backend.js';
import { EnvelopeClientError } from './errors.js';
import { type EnvelopeClientOptions, readClientOptions } from './options.js';
import { type FetchInput, type OutgoingRequest, readRequest } from './outgoing-request.js';
import { bootstrapForRetry, type Refusal, readRefusal } from './retry.js';
import { openFetch, sealFetch } from './sealed-fetch.js';
import { createServiceAddress } from './service-address.js';
import { createServiceClock } from './service-clock.js';

/** A client of one service. */
export interface EnvelopeClient {
  /**
   * Like the global `fetch`, but requests to the service are sealed and its responses opened. A path that begins with
   * `/` belongs to the service. Requests to other hosts and to exempt paths, and all requests in mode OFF, are sent
   * unchanged. A URL at the service's host outside `baseUrl` is refused.
   */
  fetch(input: FetchInput, init?: RequestInit): Promise<Response>;
  /** The service's description of its encryption, read once for all callers. */
  bootstrap(): Promise<EnvelopeBootstrap>;
  /** The implementation of the cryptography that this client uses, and why. Requirement ENV-8. */
  backend(): ActiveBackend;
}

/** How a request is sent: sealed by a bootstrap, or as plaintext. */
type Route =
  | { readonly kind: 'sealed'; readonly path: string; readonly bootstrap: EnvelopeBootstrap }
  | { readonly kind: 'plaintext' };

/** The response to a sealed request. */
interface SealedAnswer {
  readonly response: Response;
  /** A plaintext refusal. A sealed one comes from the application, and is not acted on. */
  readonly refusal: Refusal;
}

/**
 * Creates a client that seals requests and opens responses, for browsers and Node.js.
 *
 * @throws EnvelopeClientSetupError with every fault of the options
 */
export function createEnvelopeClient(options: EnvelopeClientOptions): EnvelopeClient {
  const settings = readClientOptions(options);
  const address = createServiceAddress(settings.base);
  const clock = createServiceClock(settings.now, settings.confirmClock);
  const backend = createClientBackend(settings.kernel);

  const bootstraps = createBootstrapCache(async () => {
    const init: RequestInit & { cache: string } = { cache: 'no-store', redirect: 'manual' };
    const { href } = address.locate(settings.bootstrapPath);
    const bootstrap = await readBootstrap(await settings.fetch(href, init), href);
    await clock.correct(bootstrap.serverTime);
    backend.prepareFor(bootstrap);
    return bootstrap;
  });

  async function routeOf(input: FetchInput, init: RequestInit, url: URL): Promise<Route> {
    const path = address.pathOf(url);
    const method = init.method ?? (input instanceof Request ? input.method : 'GET');
    if (path === null || settings.isBypassed(method.toUpperCase(), path)) return { kind: 'plaintext' };
    const bootstrap = await bootstraps.current();
    return bootstrap.mode === 'OFF' ? { kind: 'plaintext' } : { kind: 'sealed', path, bootstrap };
  }

  async function sendPlaintext(input: FetchInput, init: RequestInit, url: URL): Promise<Response> {
    const response = await settings.fetch(input instanceof Request ? input : url.href, init);
    // The service requires encryption since the bootstrap was read. The next request reads it again.
    if ((await readRefusal(response)).code === 'ENVELOPE_REQUIRED') bootstraps.forget();
    return response;
  }

  /**
   * A refused envelope, or an answer that does not open, can mean a new key under the same id, or a wrong clock. The
   * next request reads the bootstrap again. This one is not repeated, since it may have taken effect.
   */
  async function sendSealed(
    request: OutgoingRequest,
    path: string,
    bootstrap: EnvelopeBootstrap,
  ): Promise<SealedAnswer> {
    const { suite } = backend.current();
    const { url, init, requestState } = sealFetch(request, path, bootstrap, clock.now(), suite);
    const received = await settings.fetch(url, init);
    const { timestampWindowSeconds } = bootstrap;
    try {
      const window = { now: clock.now(), timestampWindowSeconds };
      const { response, wasSealed } = await openFetch(requestState, received, window, suite);
      const refusal = wasSealed ? {} : await readRefusal(response);
      if (refusal.code === 'ENVELOPE_REJECTED') bootstraps.forget();
      return { response, refusal };
    } catch (error) {
      if (error instanceof EnvelopeClientError && error.code === 'RESPONSE_REFUSED') bootstraps.forget();
      throw error;
    }
  }

  return {
    bootstrap: bootstraps.current,
    backend: () => backend.current().active,

    async fetch(input, init = {}) {
      const url = address.locate(input);
      const route = await routeOf(input, init, url);
      if (route.kind === 'plaintext') return sendPlaintext(input, init, url);
      const request = await readRequest(input, url, init);
      const { response, refusal } = await sendSealed(request, route.path, route.bootstrap);
      const next = await bootstrapForRetry(refusal, request, route.bootstrap, bootstraps, clock);
      return next === null ? response : (await sendSealed(request, route.path, next)).response;
    },
  };
}
