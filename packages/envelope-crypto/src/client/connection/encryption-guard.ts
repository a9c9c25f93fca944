import type { EnvelopeBootstrap } from '../../wire/index.js';
import { EnvelopeClientError } from '../errors.js';

/** The time between two resets of a base URL. */
export interface SealingEpoch {
  /** Whether a request was sealed in this epoch. After that, mode `OFF` is a downgrade. */
  hasSealed: boolean;
}

/**
 * The current epochs, by base URL, of all clients in the process. A second client of a service must not accept what the
 * first one refuses. An entry is never dropped, because that would forget that requests were sealed. A process has few
 * services.
 */
const epochs = new Map<string, SealingEpoch>();

/**
 * Applies the demands of the application to the bootstrap. The bootstrap is not authenticated, so an attacker on the
 * connection can write it, and must not get a request in the clear by it.
 */
export interface EncryptionGuard {
  /** Throws `ENCRYPTION_DOWNGRADE` or `SERVER_KEY_UNTRUSTED`. */
  admit(bootstrap: EnvelopeBootstrap): void;
  epoch(): SealingEpoch;
  /** Begins an epoch: the application accepts `OFF` again, unless it requires encryption. */
  reset(): void;
}

/** @param trustedKeys public keys, or null for any */
export function createEncryptionGuard(
  baseUrl: string,
  requireEncryption: boolean,
  trustedKeys: readonly string[] | null,
): EncryptionGuard {
  const reset = () => {
    const epoch = { hasSealed: false };
    epochs.set(baseUrl, epoch);
    return epoch;
  };
  const epoch = () => epochs.get(baseUrl) ?? reset();
  return {
    epoch,
    reset,
    admit({ mode, publicKey }) {
      if (mode !== 'OFF') {
        if (trustedKeys === null || trustedKeys.includes(publicKey!)) return;
        throw new EnvelopeClientError('SERVER_KEY_UNTRUSTED', 'the key of the service is none of trustedKeys');
      }
      if (requireEncryption || epoch().hasSealed) {
        const why = requireEncryption
          ? 'requireEncryption or trustedKeys forbid that'
          : 'if that was planned, call resetEncryption()';
        throw new EnvelopeClientError('ENCRYPTION_DOWNGRADE', `the service says its encryption is OFF; ${why}`);
      }
    },
  };
}
