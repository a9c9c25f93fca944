import type { ActiveBackend } from '../server/choose-suite.js';
import type { EnvelopeBootstrap } from '../server/envelope-crypto.js';
import { readBootstrap } from './bootstrap.js';
import { createBootstrapCache } from './bootstrap-cache.js';
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
   * Like the global `fetch`: requests to the service travel in envelopes and responses come opened. A path that begins with
   * `/` is one of the service. Requests to other hosts, exempt paths, and all when the service's mode is OFF, go as they
   * are. What is at the service's host and not under `baseUrl` is refused.
   */
  fetch(input: FetchInput, init?: RequestInit): Promise<Response>;
  /** What the service says of its encryption: read once, for all callers. */
  bootstrap(): Promise<EnvelopeBootstrap>;
  /** The implementation of the cryptography that this client uses, and why it is this one. Requirement ENV-8. */
  backend(): ActiveBackend;
}

/** How a request goes out: sealed by a description of the service, or as it is. */
type Course =
  | { readonly kind: 'sealed'; readonly path: string; readonly bootstrap: EnvelopeBootstrap }
  | { readonly kind: 'clear' };

/** What a sealed request yields. */
interface SealedAnswer {
  readonly response: Response;
  /** What it says if it is a refusal in the clear; one that came sealed is the application speaking. */
  readonly refusal: Refusal;
}

/** A client that seals requests and opens responses, for browsers and Node. */
export function createEnvelopeClient(options: EnvelopeClientOptions): EnvelopeClient {
  const settings = readClientOptions(options);
  const address = createServiceAddress(settings.base);
  const clock = createServiceClock(settings.now, settings.confirmClock);
  const backend = createClientBackend(settings.kernel);

  const bootstraps = createBootstrapCache(async () => {
    const init: RequestInit & { cache: string } = { cache: 'no-store', redirect: 'manual' };
    const response = await settings.fetch(address.locate(settings.bootstrapPath).href, init);
    const bootstrap = await readBootstrap(response);
    await clock.correct(bootstrap.serverTime);
    backend.prepareFor(bootstrap);
    return bootstrap;
  });

  async function courseOf(input: FetchInput, init: RequestInit, url: URL): Promise<Course> {
    const path = address.pathOf(url);
    const method = init.method ?? (input instanceof Request ? input.method : 'GET');
    if (path === null || settings.isBypassed(method.toUpperCase(), path)) return { kind: 'clear' };
    const bootstrap = await bootstraps.current();
    return bootstrap.mode === 'OFF' ? { kind: 'clear' } : { kind: 'sealed', path, bootstrap };
  }

  async function sendInTheClear(input: FetchInput, init: RequestInit, url: URL): Promise<Response> {
    const response = await settings.fetch(input instanceof Request ? input : url.href, init);
    // Encryption was switched on since the description was read; the next request will know.
    if ((await readRefusal(response)).code === 'ENVELOPE_REQUIRED') bootstraps.forget();
    return response;
  }

  /**
   * An envelope that isn't opened, or an answer that doesn't open, can mean another key under the same id, or a clock that
   * went astray: the description is read anew for the next request. This one isn't repeated: it may have taken effect.
   */
  async function sendSealed(
    request: OutgoingRequest,
    path: string,
    bootstrap: EnvelopeBootstrap,
  ): Promise<SealedAnswer> {
    const { suite } = backend.current();
    const { url, init, exchange } = sealFetch(request, path, bootstrap, clock.now(), suite);
    const received = await settings.fetch(url, init);
    const { timestampWindowSeconds } = bootstrap;
    try {
      const window = { now: clock.now(), timestampWindowSeconds };
      const { response, wasSealed } = await openFetch(exchange, received, window, suite);
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
      const course = await courseOf(input, init, url);
      if (course.kind === 'clear') return sendInTheClear(input, init, url);
      const request = await readRequest(input, url, init);
      const { response, refusal } = await sendSealed(request, course.path, course.bootstrap);
      const next = await bootstrapForRetry(refusal, request, course.bootstrap, bootstraps, clock);
      return next === null ? response : (await sendSealed(request, course.path, next)).response;
    },
  };
}
