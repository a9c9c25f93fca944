import { bytesToHex } from '@noble/hashes/utils.js';
import { SUITE_NAME } from '../suites/sm2-sm4-gcm-v1.js';
import type { ActiveBackend } from './choose-suite.js';
import type { EnvelopeOpener } from './open-envelope.js';
import type { EncryptionMode, EnvelopeCryptoSettings } from './options.js';
import type { PlaintextUses } from './plaintext-uses.js';

/** What the bootstrap endpoint tells a client; every field is public. Its shape is the protocol's. */
export interface EnvelopeBootstrap {
  readonly mode: EncryptionMode;
  readonly suite: typeof SUITE_NAME;
  readonly version: 1;
  /** Absent in mode OFF without a key. */
  readonly keyId?: string;
  /** 130 lower-case hexadecimal characters: 04, x, y. Absent in mode OFF without a key. */
  readonly publicKey?: string;
  readonly timestampWindowSeconds: number;
  readonly maxPayloadBytes: number;
  readonly maxQueryBytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly serverTime: number;
}

/** `fastify.envelopeCrypto`. */
export interface EnvelopeCrypto {
  readonly mode: EncryptionMode;
  /** The key that new envelopes must use; null in mode OFF without a key. */
  readonly keyId: string | null;
  /** Its public key: 130 lower-case hexadecimal characters; null in mode OFF without a key. */
  readonly publicKey: string | null;
  readonly timestampWindowSeconds: number;
  /** The implementation of the cryptography that serves, and why it is this one; null in mode OFF. Requirement ENV-8. */
  readonly backend: ActiveBackend | null;
  /** What `GET /encryption/public-key` answers. */
  bootstrap(): EnvelopeBootstrap;
  /**
   * From now on, envelopes stamped before this time (milliseconds since the Unix epoch) are refused as expired. For a
   * replay guard whose memory begins with the process. Requirement RPL-3.
   */
  refuseStampedBefore(millis: number): void;
  /**
   * In mode OPTIONAL: how many requests came in the clear since the start, by `METHOD /route`; exempt ones don't count.
   * Empty for long enough, and REQUIRED is safe. Requirement ENV-7.
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
