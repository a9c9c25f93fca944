import { equalBytes } from '@noble/curves/utils.js';
import type { ServerKeys } from '../keys/index.js';

/** A key a minute for a week. Beyond that, the oldest id is forgotten, which no client uses any longer. */
const MAX_KNOWN_KEYS = 10_000;

/** The public key of each id that this process has used. */
export interface KnownKeys {
  /**
   * Ids that named another key before. A client that has sealed for an id keeps its key, and would be refused, even if
   * the id was absent in the meantime.
   */
  reusedIdFaults(keys: ServerKeys): string[];
  /** The key of an id in these keys, or else the key that it named before. */
  publicKeyOf(keyId: string, keys: ServerKeys): Uint8Array | undefined;
  remember(keys: ServerKeys): void;
}

export function createKnownKeys(): KnownKeys {
  const known = new Map<string, Uint8Array>();
  return {
    reusedIdFaults: ({ publicKeys }) =>
      [...publicKeys]
        .filter(([keyId, publicKey]) => !equalBytes(known.get(keyId) ?? publicKey, publicKey))
        .map(([keyId]) => `the id ${keyId} named another key until now: give each key an id of its own`),
    publicKeyOf: (keyId, { publicKeys }) => publicKeys.get(keyId) ?? known.get(keyId),
    remember({ publicKeys }) {
      for (const [keyId, publicKey] of publicKeys) {
        known.delete(keyId);
        known.set(keyId, publicKey);
      }
      for (const keyId of known.keys()) {
        if (known.size <= MAX_KNOWN_KEYS) return;
        known.delete(keyId);
      }
    },
  };
}
