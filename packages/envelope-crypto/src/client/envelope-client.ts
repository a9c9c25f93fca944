import type { EnvelopeBootstrap } from '../envelope-crypto.js';
import { readBootstrap } from './bootstrap.js';
import { createBootstrapCache } from './bootstrap-cache.js';
import { type EnvelopeClientOptions, readClientOptions } from './options.js';
import { type FetchInput, type OutgoingRequest, readRequest } from './outgoing-request.js';
import { bootstrapForRetry, readRefusal } from './retry.js';
import { type OpenedFetch, openFetch, sealFetch } from './sealed-fetch.js';
import { createServiceAddress } from './service-address.js';
import { createServiceClock } from './service-clock.js';

/** A client of one service. */
export interface EnvelopeClient {
  /**
   * Like the global `fetch`: requests to the service travel in envelopes and responses come opened. A path that begins with
   * `/` is one of the service. Requests to other places, exempt paths, and all when the service's mode is OFF, go as they are.
   */
  fetch(input: FetchInput, init?: RequestInit): Promise<Response>;
  /** What the service says of its encryption: read once, for all callers. */
  bootstrap(): Promise<EnvelopeBootstrap>;
}

/** How a request goes out: sealed by a description of the service, or as it is. */
type Course =
  | { readonly kind: 'sealed'; readonly path: string; readonly bootstrap: EnvelopeBootstrap }
  | { readonly kind: 'clear' };

/** A client that seals requests and opens responses, for browsers and Node. */
export function createEnvelopeClient(options: EnvelopeClientOptions): EnvelopeClient {
  const settings = readClientOptions(options);
  const address = createServiceAddress(settings.base);
  const clock = createServiceClock(settings.now, settings.confirmClock);

  const bootstraps = createBootstrapCache(async () => {
    const init: RequestInit & { cache: string } = { cache: 'no-store', redirect: 'manual' };
    const response = await settings.fetch(address.locate(settings.bootstrapPath).href, init);
    const bootstrap = await readBootstrap(response);
    await clock.correct(bootstrap.serverTime);
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

  async function sendSealed(
    request: OutgoingRequest,
    path: string,
    bootstrap: EnvelopeBootstrap,
  ): Promise<OpenedFetch> {
    const { url, init, exchange } = sealFetch(request, path, bootstrap, clock.now());
    const response = await settings.fetch(url, init);
    const { timestampWindowSeconds } = bootstrap;
    return openFetch(exchange, response, { now: clock.now(), timestampWindowSeconds });
  }

  return {
    bootstrap: bootstraps.current,

    async fetch(input, init = {}) {
      const url = address.locate(input);
      const course = await courseOf(input, init, url);
      if (course.kind === 'clear') return sendInTheClear(input, init, url);
      const request = await readRequest(input, url, init);
      const { response, wasSealed } = await sendSealed(request, course.path, course.bootstrap);
      if (wasSealed) return response;
      const refusal = await readRefusal(response);
      const next = await bootstrapForRetry(refusal, request, course.bootstrap, bootstraps, clock);
      return next === null ? response : (await sendSealed(request, course.path, next)).response;
    },
  };
}
