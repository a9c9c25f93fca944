import { bytesToHex } from '@noble/hashes/utils.js';
import type { AnyRequest } from '@sallyport/plugin-kit/routes';
import type { FastifyRequest } from 'fastify';
import type { ServerKeys } from '../keys/index.js';
import type { KeyRefreshFailure } from '../rotation/index.js';
import type { ActiveBackend } from '../suites/index.js';
import { type EncryptionMode, type EnvelopeBootstrap, SUITE_NAME } from '../wire/index.js';
import type { EnvelopeOpener } from './envelope-engine.js';
import type { SealEvent } from './event-sealing.js';
import type { EnvelopeCryptoSettings } from './options.js';

/** `fastify.envelopeCrypto`. */
export interface EnvelopeCrypto {
  readonly mode: EncryptionMode;
  /** The id of the key that new envelopes must use now. Null in mode OFF without a key. */
  readonly keyId: string | null;
  /** The public key of `keyId`: 130 lower-case hexadecimal characters. Null in mode OFF without a key. */
  readonly publicKey: string | null;
  readonly timestampWindowSeconds: number;
  /**
   * The reasons why the keys of a `keySource` could not be refreshed. Null if the last refresh succeeded, and without a
   * source. The service continues with its present keys.
   */
  keyRefreshFailure(): KeyRefreshFailure | null;
  /** The implementation of the cryptography in use, and the reason. Null in mode OFF. */
  readonly backend: ActiveBackend | null;
  /** The answer of `GET /encryption/public-key`. */
  bootstrap(): EnvelopeBootstrap;
  /**
   * From now on, refuses envelopes stamped before this time (milliseconds since the Unix epoch) as expired. For a
   * replay guard whose memory begins with the process.
   */
  refuseStampedBefore(millis: number): void;
  /**
   * In mode OPTIONAL: the number of plaintext requests since the start, by `METHOD /route`, without exempt ones. When
   * it stays empty, REQUIRED is safe.
   */
  plaintextUses(): ReadonlyMap<string, number>;
  /**
   * For a handler that answers with a stream of events (200, `text/event-stream`): returns the function that seals the
   * data of each event, in their order. It changes nothing where the response would not be sealed. A client opens them
   * with `openEvent`. Call it once for each request.
   */
  sealEvents(request: AnyRequest): SealEvent;
}

/** The dependencies of {@link presentEnvelopeCrypto}. */
export interface PresentedEnvelopeCrypto {
  readonly settings: EnvelopeCryptoSettings;
  readonly backend: ActiveBackend | null;
  readonly opener: EnvelopeOpener;
  readonly uses: PlaintextUses;
  readonly exemptRoutes: () => readonly string[];
  /** The current key. A rotation changes it. */
  readonly currentKey: () => ServerKeys['current'] | null;
  readonly keyRefreshFailure: () => KeyRefreshFailure | null;
  readonly sealEvents: (request: FastifyRequest) => SealEvent;
}

export function presentEnvelopeCrypto(presented: PresentedEnvelopeCrypto): EnvelopeCrypto {
  const { settings, backend, opener, uses, exemptRoutes, currentKey, keyRefreshFailure } = presented;
  const { mode, timestampWindowSeconds, maxPayloadBytes, now } = settings;

  function publishedKey(): Pick<EnvelopeBootstrap, 'keyId' | 'publicKey'> {
    const key = currentKey();
    return key === null ? {} : { keyId: key.keyId, publicKey: bytesToHex(key.publicKey) };
  }

  return {
    mode,
    get keyId() {
      return publishedKey().keyId ?? null;
    },
    get publicKey() {
      return publishedKey().publicKey ?? null;
    },
    timestampWindowSeconds,
    keyRefreshFailure,
    backend,
    bootstrap: () => ({
      mode,
      suite: SUITE_NAME,
      version: 1,
      ...publishedKey(),
      timestampWindowSeconds,
      maxPayloadBytes,
      maxQueryBytes: opener.maxPlaintextBytes('query'),
      serverTime: now(),
      exempt: exemptRoutes(),
    }),
    refuseStampedBefore: opener.refuseStampedBefore,
    plaintextUses: uses.read,
    sealEvents: (request) => presented.sealEvents(request as FastifyRequest),
  };
}

/** Counts plaintext requests by route. Its size is bounded by the number of routes and methods. */
export interface PlaintextUses {
  count(method: string, routeUrl: string | undefined): void;
  /** The numbers since the start by `METHOD /route`. All unknown paths count as one route, `METHOD (no route)`. */
  read(): ReadonlyMap<string, number>;
}

export function createPlaintextUses(): PlaintextUses {
  const uses = new Map<string, number>();
  return {
    count(method, routeUrl) {
      const route = `${method} ${routeUrl ?? '(no route)'}`;
      uses.set(route, (uses.get(route) ?? 0) + 1);
    },
    read: () => new Map(uses),
  };
}
