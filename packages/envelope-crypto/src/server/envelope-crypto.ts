import { bytesToHex } from '@noble/hashes/utils.js';
import { readOptions } from '@sallyport/options';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EnvelopeSetupError } from '../errors.js';
import type { ActiveBackend } from '../suites/index.js';
import { type EncryptionMode, type EnvelopeBootstrap, SUITE_NAME } from '../wire/index.js';
import type { EnvelopeOpener } from './envelope-engine.js';
import type { EnvelopeCryptoSettings } from './options.js';

/** `fastify.envelopeCrypto`. */
export interface EnvelopeCrypto {
  readonly mode: EncryptionMode;
  /** The key that new envelopes must use. Null in mode OFF without a key. */
  readonly keyId: string | null;
  /** Its public key: 130 lower-case hexadecimal characters. Null in mode OFF without a key. */
  readonly publicKey: string | null;
  readonly timestampWindowSeconds: number;
  /** The implementation of the cryptography in use, and why. Null in mode OFF. Requirement ENV-8. */
  readonly backend: ActiveBackend | null;
  /** The answer of `GET /encryption/public-key`. */
  bootstrap(): EnvelopeBootstrap;
  /**
   * From now on, envelopes stamped before this time (milliseconds since the Unix epoch) are refused as expired. For a
   * replay guard whose memory begins with the process. Requirement RPL-3.
   */
  refuseStampedBefore(millis: number): void;
  /**
   * In mode OPTIONAL: the number of plaintext requests since the start, by `METHOD /route`, without exempt ones. When
   * it stays empty, REQUIRED is safe. Requirement ENV-7.
   */
  plaintextUses(): ReadonlyMap<string, number>;
}

export function presentEnvelopeCrypto(
  settings: EnvelopeCryptoSettings,
  backend: ActiveBackend | null,
  opener: EnvelopeOpener,
  uses: PlaintextUses,
): EnvelopeCrypto {
  const { mode, keys, timestampWindowSeconds, maxPayloadBytes, now } = settings;
  const key = keys === null ? null : { keyId: keys.current.keyId, publicKey: bytesToHex(keys.current.publicKey) };
  return {
    mode,
    keyId: key?.keyId ?? null,
    publicKey: key?.publicKey ?? null,
    timestampWindowSeconds,
    backend,
    bootstrap: () => ({
      mode,
      suite: SUITE_NAME,
      version: 1,
      ...key,
      timestampWindowSeconds,
      maxPayloadBytes,
      maxQueryBytes: opener.maxPlaintextBytes('query'),
      serverTime: now(),
    }),
    refuseStampedBefore: opener.refuseStampedBefore,
    plaintextUses: uses.read,
  };
}

/** Counts plaintext requests by route. Its size is bounded by the number of routes and methods. Requirement ENV-7. */
export interface PlaintextUses {
  count(method: string, routeUrl: string | undefined): void;
  /** The number since the start by `METHOD /route`. Unknown paths count as one route, `METHOD (no route)`. */
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

/**
 * `access` is for @sallyport/auth-tokens: a client without a token must be able to encrypt. `audit` is for
 * @sallyport/audit-log: the answer is the same for everyone, so there is nothing to record.
 */
const PUBLIC_ROUTE: FastifyContextConfig & { readonly access: 'public'; readonly audit: false } = {
  access: 'public',
  audit: false,
};

/**
 * A plugin that registers `GET /encryption/public-key`, where a client learns the key, the mode and the service's
 * clock. Below a prefix the client needs the option `bootstrapPath`. The route is plaintext in every mode, wherever it
 * is.
 */
export async function publicKeyRoute(fastify: FastifyInstance, given: object = {}): Promise<void> {
  readOptions({ subject: 'publicKeyRoute', SetupError: EnvelopeSetupError, isPlugin: true }, given, {});
  async function describeEncryption(_request: FastifyRequest, reply: FastifyReply) {
    reply.header('cache-control', 'no-store');
    return { data: fastify.envelopeCrypto.bootstrap() };
  }
  const url = '/encryption/public-key';
  // The default exemption is by path, and the route may have a prefix.
  fastify.get(url, { config: { ...PUBLIC_ROUTE, bypassEnvelope: true }, exposeHeadRoute: false }, describeEncryption);
  // GET alone is exempt (EC-49). The HEAD route that Fastify derives would share its config.
  fastify.head(url, { config: PUBLIC_ROUTE }, describeEncryption);
}
