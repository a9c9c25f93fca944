import { hexToBytes } from '@noble/hashes/utils.js';
import { isSm2PublicKey } from '../gm/index.js';
import { type KeyPair, sm2Sm4GcmV1 } from '../suites/index.js';
import { isKeyId } from '../wire/index.js';
import { boundedUnwrap, KEY_PROVIDER_DEFAULTS, type KeyProvider } from './key-provider.js';
import { parsePrivateKey } from './private-key.js';
import { isPublishedKey } from './published-keys.js';

/** A key whose private half this process holds: from the environment, or fetched from a key-management service. */
export interface PrivateKeySource {
  /** Identifier of the key on the wire (`kid`). 1 to 64 characters of `A-Z a-z 0-9 . _ -`. */
  readonly keyId: string;

  /** 64 hexadecimal characters. {@link parsePrivateKey} lists the refused keys. */
  readonly privateKey: string;
}

/** The keys of a service: the current one, for new envelopes, and earlier ones that are still accepted. */
export interface ServerKeyOptions {
  /** Identifier of `privateKey`. */
  readonly keyId?: string | undefined;

  /** The current key. Required without a `keyProvider`. */
  readonly privateKey?: string | undefined;

  /** Earlier keys, each accepted by its id. Default: none. */
  readonly previousKeys?: readonly PrivateKeySource[] | undefined;

  /** A provider for the current key, or for an earlier one if `privateKey` is also given. */
  readonly keyProvider?: KeyProvider | undefined;
}

/** The keys of a service, loaded. */
export interface ServerKeys {
  /** The key that the bootstrap endpoint announces. */
  readonly current: { readonly keyId: string; readonly publicKey: Uint8Array };

  /** The id of each key, the current one first. */
  readonly keyIds: readonly string[];

  /** The known public keys by id. A provider does not reveal those of its earlier keys. */
  readonly publicKeys: ReadonlyMap<string, Uint8Array>;

  /** The keys whose private halves this process holds. */
  readonly keyPairs: readonly KeyPair[];

  /** Whether an envelope under this id can be opened. */
  has(keyId: string): boolean;

  /**
   * Unwraps a base key with the key of that id: the 16 bytes, or null when the ciphertext (or the id) is refused.
   * Rejects with `EnvelopeKeyUnavailableError` when too many unwraps wait, and when a provider can't be reached.
   *
   * @param unwrapHere unwraps with a private key of this process. Default: the portable implementation, in this thread.
   */
  unwrap(keyId: string, ek: Uint8Array, unwrapHere?: UnwrapHere): Unwrapped;

  /** Overwrites the private keys with zeros. Nothing can be unwrapped with them afterwards. */
  wipe(): void;
}

/** Unwraps a base key with a private key of this process: the 16 bytes, or null when the ciphertext is refused. */
export type UnwrapHere = (privateKey: Uint8Array, ek: Uint8Array) => Unwrapped;

/** The loaded keys, or the faults of the options: sentences that begin with the name of the option, without a value. */
export type ServerKeysReading =
  | { readonly kind: 'loaded'; readonly keys: ServerKeys }
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

type Unwrapped = Uint8Array | null | Promise<Uint8Array | null>;

type Unwrap = (ek: Uint8Array, unwrapHere: UnwrapHere) => Unwrapped;

/** Checks and loads the keys. */
export function loadServerKeys({
  keyId,
  privateKey,
  previousKeys = [],
  keyProvider,
}: ServerKeyOptions): ServerKeysReading {
  const faults: string[] = [];
  // A Map, not an object: an id such as "__proto__" is an unknown one.
  const unwrappers = new Map<string, Unwrap>();
  const keyPairs: KeyPair[] = [];
  const publicKeys = new Map<string, Uint8Array>();
  let current: ServerKeys['current'] | null = null;

  const add = (name: string, keyId: unknown, unwrap: Unwrap) => {
    // The message does not show the id, because it is the key if id and key were swapped.
    if (!isKeyId(keyId)) faults.push(`${name} must have 1 to 64 characters of A-Z a-z 0-9 . _ -`);
    else if (looksLikePrivateKey(keyId)) faults.push(`${name} ${PUBLISHED_KEY_FAULT}`);
    else if (unwrappers.has(keyId)) faults.push(`${name} is the id of another key too`);
    else unwrappers.set(keyId, unwrap);
  };

  /** @param path of the option: '' or such as `previousKeys[0].` */
  const addPrivateKey = (path: string, keyId: unknown, hex: unknown): KeyPair | null => {
    const parsed = parsePrivateKey(hex as string);
    if (parsed.kind === 'refused') {
      faults.push(...parsed.faults.map((fault) => `${path}privateKey ${fault} (make one with: openssl rand -hex 32)`));
      add(`${path}keyId`, keyId, () => null);
      return null;
    }
    const { privateKey, publicKey } = parsed;
    keyPairs.push({ privateKey, publicKey });
    publicKeys.set(keyId as string, publicKey);
    add(`${path}keyId`, keyId, (ek, unwrapHere) => unwrapHere(privateKey, ek));
    return { privateKey, publicKey };
  };

  const addProvider = (provider: KeyProvider) => {
    faults.push(...providerFaults(provider));
    const unwrap = boundedUnwrap(provider);
    // If a provider is changed in place, this set of keys keeps the id with which it was loaded.
    const { keyId } = provider;
    add('keyProvider.keyId', keyId, (ek) => unwrap(keyId, ek));
    const earlier: unknown = provider.previousKeyIds ?? [];
    if (!Array.isArray(earlier)) {
      faults.push('keyProvider.previousKeyIds must be a list of ids');
      return;
    }
    for (const [i, keyId] of earlier.entries()) {
      add(`keyProvider.previousKeyIds[${i}]`, keyId, (ek) => unwrap(keyId, ek));
    }
  };

  if (privateKey !== undefined) {
    const keyPair = addPrivateKey('', keyId, privateKey);
    if (keyPair !== null) current = { keyId: keyId!, publicKey: keyPair.publicKey };
  } else if (keyId !== undefined && keyProvider !== undefined) {
    faults.push('keyId belongs to privateKey; the keyProvider has its own, so leave keyId out');
  }
  for (const [i, source] of previousKeys.entries())
    addPrivateKey(`previousKeys[${i}].`, source.keyId, source.privateKey);
  if (keyProvider !== undefined) addProvider(keyProvider);
  if (privateKey === undefined && keyProvider === undefined) {
    faults.push('privateKey and keyId, or keyProvider, are required: nothing opens an envelope without a current key');
  }
  if (faults.length > 0) {
    wipe(keyPairs);
    return { kind: 'refused', faults };
  }

  if (keyProvider !== undefined) publicKeys.set(keyProvider.keyId, hexToBytes(keyProvider.publicKey));
  current ??= { keyId: keyProvider!.keyId, publicKey: publicKeys.get(keyProvider!.keyId)! };
  const keys: ServerKeys = {
    current,
    keyIds: [...new Set([current.keyId, ...unwrappers.keys()])],
    publicKeys,
    keyPairs,
    has: (keyId) => unwrappers.has(keyId),
    unwrap: (keyId, ek, unwrapHere = sm2Sm4GcmV1.unwrapBaseKey) => unwrappers.get(keyId)?.(ek, unwrapHere) ?? null,
    wipe: () => wipe(keyPairs),
  };
  return { kind: 'loaded', keys };
}

function wipe(keyPairs: readonly KeyPair[]): void {
  for (const { privateKey } of keyPairs) privateKey.fill(0);
}

/**
 * A private key has 64 hexadecimal digits, and an id has at most 64 characters. So no accepted id equals or contains a
 * private key, even if the two variables were swapped.
 */
function looksLikePrivateKey(keyId: string): boolean {
  return /^[0-9a-f]{64}$/i.test(keyId);
}

const PUBLISHED_KEY_FAULT =
  'has the form of a private key (64 hexadecimal digits), and an id is published: give each key a name such as 2026-11';

function providerFaults(provider: KeyProvider): string[] {
  const faults: string[] = [];
  const publicKey = /^[0-9a-f]{130}$/i.test(provider.publicKey) ? hexToBytes(provider.publicKey) : null;
  if (publicKey === null || !isSm2PublicKey(publicKey)) {
    faults.push('keyProvider.publicKey must be a point of sm2p256v1 as 130 hexadecimal characters: 04, x, y');
  } else if (isPublishedKey(publicKey)) {
    faults.push('keyProvider.publicKey belongs to a key printed in a standard or in published test vectors');
  }
  if (typeof provider.unwrap !== 'function') faults.push('keyProvider.unwrap must be a function');
  const requireInteger = (name: keyof typeof KEY_PROVIDER_DEFAULTS, max: number) => {
    const value = provider[name] ?? KEY_PROVIDER_DEFAULTS[name];
    if (Number.isInteger(value) && value >= 1 && value <= max) return;
    faults.push(`keyProvider.${name} must be an integer from 1 to ${max}`);
  };
  requireInteger('timeoutMillis', 60_000);
  requireInteger('maxConcurrentCalls', 10_000);
  return faults;
}
