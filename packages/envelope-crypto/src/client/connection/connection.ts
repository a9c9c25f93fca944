import { hexToBytes } from '@noble/hashes/utils.js';
import type { ActiveBackend } from '../../suites/index.js';
import {
  bindAuthorization,
  bindIdempotencyKey,
  type Carrier,
  ENVELOPE_HEADER,
  ENVELOPE_VERSION,
  type EnvelopeBootstrap,
} from '../../wire/index.js';
import { EnvelopeClientError } from '../errors.js';
import type { Answer } from './answer.js';
import { createBootstrapCache, readBootstrap } from './bootstrap.js';
import { createClientBackend } from './client-backend.js';
import type { ConnectionRequest } from './connection-request.js';
import { createEncryptionGuard } from './encryption-guard.js';
import { mustBeSealed, openResponse, type ReceivedResponse } from './open-response.js';
import type { ConnectionSettings } from './options.js';
import { drawSecrets } from './random-source.js';
import { bootstrapForRetry, type Refusal, readRefusal } from './retry.js';
import { type RequestState, sealRequest } from './seal-request.js';
import { createServiceAddress } from './service-address.js';
import { createServiceClock, MAX_UNSEALED_AHEAD_MILLIS } from './service-clock.js';
import type { ServiceUrl } from './service-url.js';

/** A sealed request, for a transport. The header `Api-Encryption` goes with it, and no other query. */
export interface SealedMessage {
  readonly url: string;
  /** JSON, to be sent as `application/json`. Null for no body: the URL carries the envelope. */
  readonly body: string | null;
}

/** The form of an outgoing request: sealed by a bootstrap, or in the clear. */
export type Route =
  | { readonly kind: 'sealed'; readonly path: string; readonly bootstrap: EnvelopeBootstrap }
  /** In the clear for an exempt path or another host, or, with a bootstrap, for a service whose encryption is off. */
  | { readonly kind: 'clear'; readonly bootstrap: EnvelopeBootstrap | null };

/** The content of a sealed answer. */
export interface OpenedContent {
  readonly plaintext: Uint8Array;
  readonly contentType: string;
  /** The service's clock when it answered, in milliseconds since the Unix epoch. */
  readonly timestamp: number;
}

/** The answer to a sealed request. `opened` is null for one in the clear: it is not authenticated. */
export interface Outcome<Received extends Answer> {
  readonly answer: Received;
  readonly opened: OpenedContent | null;
  /** Opens the events of an answer that is a stream of them, in their order. Throws `RESPONSE_REFUSED`. */
  readonly openEvent: OpenEvent;
}

/** Opens the text of an event. */
export type OpenEvent = (text: string) => Promise<string>;

/** The part of a client that is the same for every transport. */
export interface EnvelopeControls {
  /** The service's description of its encryption, read once for all callers. It is not authenticated. */
  bootstrap(): Promise<EnvelopeBootstrap>;
  /** The implementation of the cryptography that this client uses, and the reason. */
  backend(): ActiveBackend;
  /**
   * Forgets that clients of this process sealed requests to this `baseUrl`, and has all of them read the bootstrap
   * again: mode `OFF` is accepted from then on, unless `requireEncryption` is set. Only the application may call it,
   * after a planned change of the service. Never call it because of an answer or an error.
   */
  resetEncryption(): void;
}

/** A connection to one service: decides what is sealed, seals it, and opens the answers. It has no transport. */
export interface Connection extends EnvelopeControls {
  /** The parsed URL of a request: see {@link createServiceAddress}. */
  locate(text: string): ServiceUrl;
  /** @param signal ends the wait for the bootstrap, which is read for all callers */
  routeOf(method: string, url: ServiceUrl, signal?: AbortSignal | null): Promise<Route>;
  /** Sends a request unsealed. Throws `ENCRYPTION_DOWNGRADE` if the application expects it to be sealed. */
  sendClear<Received extends Answer>(
    route: Route & { readonly kind: 'clear' },
    send: () => Promise<Received>,
  ): Promise<Received>;
  /** Seals a request, sends it, and opens the answer, with the one retry of the protocol. */
  sendSealed<Received extends Answer>(
    route: Route & { readonly kind: 'sealed' },
    request: ConnectionRequest,
    send: (message: SealedMessage) => Promise<Received>,
  ): Promise<Outcome<Received>>;
}

/** A request that the connection itself sends. */
export interface OwnRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** @param send sends a request to a URL of the service, without following redirects and from no cache */
export function createConnection(
  settings: ConnectionSettings,
  send: (url: string, request: OwnRequest) => Promise<Answer>,
): Connection {
  const { random, encodeText, decodeText } = settings;
  const address = createServiceAddress(settings.base, settings.parseUrl);
  const clock = createServiceClock(settings.now);
  const backend = createClientBackend(settings.kernel, settings.whenIdle);
  const guard = createEncryptionGuard(address.baseUrl, settings.requireEncryption, settings.trustedKeys);

  const bootstraps = createBootstrapCache(
    async () => {
      const { href } = address.locate(settings.bootstrapPath);
      const answer = await send(href, { method: 'GET', headers: {}, body: null });
      const bootstrap = await readBootstrap(answer, href, decodeText);
      guard.admit(bootstrap);
      backend.prepareFor(bootstrap);
      if (!clock.correct(bootstrap.serverTime)) await correctFar(bootstrap);
      return bootstrap;
    },
    ({ mode }) => {
      if (mode === 'OFF') return MAX_OFF_MILLIS;
      // A device's clock that is put right would go on being corrected.
      return clock.isFarAhead() ? MAX_UNSEALED_AHEAD_MILLIS : Infinity;
    },
    settings.now,
    guard.epoch,
  );

  /** Corrects the clock by a time that the service seals for this very request. The stamp may be any. */
  async function correctFar(bootstrap: EnvelopeBootstrap): Promise<void> {
    try {
      const url = address.locate(settings.bootstrapPath.replace(/[^/]+$/, 'time'));
      const request = { method: 'POST', url, authorization: null, idempotencyKey: null, body: null } as const;
      const { message, requestState } = await seal(request, address.pathOf(url)!, bootstrap);
      const headers = { 'content-type': 'application/json', [ENVELOPE_HEADER]: ENVELOPE_VERSION };
      const answer = await send(message.url, { method: 'POST', headers, body: message.body });
      const opened = await open(requestState, answer, { ...bootstrap, timestampWindowSeconds: Infinity });
      clock.correct(opened!.timestamp, Infinity);
    } catch {
      // No sealed time: an older service, or an attacker.
      clock.correct(settings.now() + MAX_UNSEALED_AHEAD_MILLIS);
    }
  }

  async function seal(
    request: ConnectionRequest,
    path: string,
    bootstrap: EnvelopeBootstrap,
  ): Promise<{ message: SealedMessage; requestState: RequestState }> {
    const { method, url, body } = request;
    const { suite } = backend.current();
    const query = url.search.slice(1);
    const carrier = carrierFor(request, query, bootstrap);
    const idempotencyKey = bindIdempotencyKey(request.idempotencyKey);
    if (idempotencyKey === null) {
      throw new EnvelopeClientError('REQUEST_UNSUPPORTED', 'Idempotency-Key must be 1 to 255 visible ASCII');
    }
    const authorization = bindAuthorization(request.authorization, suite);
    const secrets = random && (await drawSecrets(random));
    const { text, requestState } = sealRequest(
      { ...bootstrap, keyId: bootstrap.keyId!, publicKey: hexToBytes(bootstrap.publicKey!) },
      { carrier, method, path, authorization, idempotencyKey, timestamp: clock.now(), query, body: body ?? '' },
      secrets,
      suite,
      encodeText,
    );
    const address = url.origin + url.pathname;
    const message = carrier === 'query' ? { url: `${address}?${text}`, body: null } : { url: address, body: text };
    return { message, requestState };
  }

  /** Opens an answer. Throws `RESPONSE_REFUSED` if it is not the service's. */
  async function open(
    requestState: RequestState,
    answer: Omit<Answer, 'status'> & Pick<ReceivedResponse, 'status'>,
    { timestampWindowSeconds }: EnvelopeBootstrap,
  ): Promise<OpenedContent | null> {
    const { status, headers } = answer;
    // The body of a plaintext response is not read here, because it may be a long download.
    if (headers.get(ENVELOPE_HEADER) === null && !mustBeSealed(requestState, answer)) return null;
    const window = { now: clock.now(), timestampWindowSeconds };
    const received = { status, headers, body: await answer.bytes() };
    const opened = openResponse(requestState, received, window, backend.current().suite, decodeText);
    return opened.kind === 'opened' ? opened : null;
  }

  /**
   * A refused envelope, or an answer that does not open, may be caused by a new key under the same id, or by a wrong
   * clock. The next request reads the bootstrap again. This request is not repeated, because it may have taken effect.
   */
  async function sendOnce<Received extends Answer>(
    request: ConnectionRequest,
    path: string,
    bootstrap: EnvelopeBootstrap,
    send: (message: SealedMessage) => Promise<Received>,
  ): Promise<Outcome<Received> & { readonly refusal: Refusal }> {
    try {
      const { message, requestState } = await seal(request, path, bootstrap);
      const answer = await send(message);
      const opened = await open(requestState, answer, bootstrap);
      // A sealed refusal comes from the application, and is not acted on.
      const refusal = opened === null ? await readRefusal(answer, decodeText) : {};
      if (refusal.code === 'ENVELOPE_REJECTED') bootstraps.forget();
      let events = 0;
      const openEvent = async (text: string) => {
        // As `eventStatus` of the server.
        const status = `${answer.status}\n${events++}` as const;
        const event = { status, headers: { get: () => ENVELOPE_VERSION }, bytes: async () => encodeText(text) };
        return decodeText((await open(requestState, event, bootstrap))!.plaintext);
      };
      return { answer, opened, refusal, openEvent };
    } catch (error) {
      const { code } = error as Partial<EnvelopeClientError>;
      const ageMillis = Math.abs(clock.now() - bootstrap.serverTime);
      // A forged limit must not outlive the attack. A genuine limit is not read again with every request.
      const isDoubtful = code === 'REQUEST_TOO_LARGE' && ageMillis > MAX_DOUBT_MILLIS;
      if (code === 'RESPONSE_REFUSED' || isDoubtful) bootstraps.forget();
      throw error;
    }
  }

  return {
    bootstrap: () => bootstraps.current(),
    backend: () => backend.current().active,
    locate: address.locate,

    resetEncryption() {
      guard.reset();
    },

    async routeOf(method, url, signal) {
      const path = address.pathOf(url);
      if (path === null || settings.isBypassed(method.toUpperCase(), path)) return { kind: 'clear', bootstrap: null };
      // After a reset, a request that began before it no longer says anything about the service.
      const epoch = guard.epoch();
      const bootstrap = await bootstraps.current(signal);
      if (bootstrap.mode === 'OFF') return { kind: 'clear', bootstrap };
      epoch.hasSealed = true;
      return { kind: 'sealed', path, bootstrap };
    },

    async sendClear({ bootstrap }, send) {
      // Another request may have been sealed since the bootstrap was read. From this check to the sending is one turn.
      if (bootstrap !== null) {
        // The service may have turned its encryption on, so the next request reads the bootstrap.
        if (guard.epoch().hasSealed) bootstraps.forget();
        guard.admit(bootstrap);
      }
      const answer = await send();
      // The service requires encryption since the bootstrap was read. The next request reads it again.
      if ((await readRefusal(answer, decodeText)).code === 'ENVELOPE_REQUIRED') bootstraps.forget();
      return answer;
    },

    async sendSealed({ path, bootstrap }, request, send) {
      const first = await sendOnce(request, path, bootstrap, send);
      const next = await bootstrapForRetry(first.refusal, request, bootstrap, bootstraps, clock);
      return next === null ? first : sendOnce(request, path, next, send);
    },
  };
}

/** How long `OFF` is believed: a forged one must not outlive the attack. */
const MAX_OFF_MILLIS = 60_000;

/** A request that exceeds the limits of a bootstrap that is older has it read again for the next one. */
const MAX_DOUBT_MILLIS = 60_000;

/** Methods that carry the envelope in the body, even an empty one, so that URL logs do not contain it. */
const BODY_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH'];

function carrierFor(
  { method, body, takesBody = BODY_METHODS.includes(method) }: ConnectionRequest,
  query: string,
  { maxQueryBytes }: EnvelopeBootstrap,
): Carrier {
  if (method === 'GET' || method === 'HEAD') return 'query';
  return body !== null || takesBody || query.length > maxQueryBytes ? 'body' : 'query';
}
