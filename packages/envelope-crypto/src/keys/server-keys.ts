import { hexToBytes } from '@noble/hashes/utils.js';
import { isSm2PublicKey } from '../gm/sm2.js';
import type { KeyPair } from '../kernel/proven-kernel.js';
import { sm2Sm4GcmV1 } from '../suites/sm2-sm4-gcm-v1.js';
import { boundedUnwrap, KEY_PROVIDER_DEFAULTS, type KeyProvider } from './key-provider.js';
import { parsePrivateKey } from './private-key.js';
import { isPublishedKey } from './published-keys.js';

export type { KeyProvider } from './key-provider.js';
export { type ParsedPrivateKey, parsePrivateKey } from './private-key.js';

/** A key whose private half this process holds: from the environment, or fetched from a key-management service. */
export interface PrivateKeySource {
  /** Identifier of the key on the wire (`kid`). 1 to 64 characters of `A-Z a-z 0-9 . _ -`. */
  readonly keyId: string;

  /** 64 hexadecimal characters; see {@link parsePrivateKey} for what is refused. Requirement ENV-3. */
  readonly privateKey: string;
}

/** The keys of a service: one that new envelopes must use, and any number of earlier ones that are still accepted. */
export interface ServerKeysOptions {
  /** The current key. Required without a `provider`. */
  readonly current?: PrivateKeySource;

  /** Earlier keys, each accepted by its id until it is taken off the list. Default: none. */
  readonly previous?: readonly PrivateKeySource[];

  /**
   * A service that keeps its keys to itself. Its key is the current one, unless `current` is given too: then it is one of the
   * earlier ones (a key on its way out of the service).
   */
  readonly provider?: KeyProvider;
}

/** What the engine asks of the keys. */
export interface ServerKeys {
  /** The key that the bootstrap endpoint announces. */
  readonly current: { readonly keyId: string; readonly publicKey: Uint8Array };

  /** The keys whose private halves this process holds. */
  readonly keyPairs: readonly KeyPair[];

  /** Whether an envelope under this id can be opened. */
  has(keyId: string): boolean;

  /**
   * Unwraps a base key with the key of that id: the 16 bytes, or null when the ciphertext (or the id) is refused. Rejects
   * with `EnvelopeKeyUnavailableError` beyond the bounds of whoever unwraps, and when a provider can't be reached.
   *
   * @param unwrapHere unwraps with a private key of this process. Default: the portable implementation, in this thread.
   */
  unwrap(keyId: string, ek: Uint8Array, unwrapHere?: UnwrapHere): Unwrapped;
}

type Unwrapped = Uint8Array | null | Promise<Uint8Array | null>;

/** Unwraps a base key with a private key of this process: the 16 bytes, or null when the ciphertext is refused. */
export type UnwrapHere = (privateKey: Uint8Array, ek: Uint8Array) => Unwrapped;

type Unwrap = (ek: Uint8Array, unwrapHere: UnwrapHere) => Unwrapped;

/** The keys of a service can't be used; the message lists every fault, by option, and never a value. */
export class ServerKeysInvalidError extends TypeError {
  override readonly name = 'ServerKeysInvalidError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`envelope keys:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** Checks and loads the keys. Throws a {@link ServerKeysInvalidError} that names all faults. */
export function createServerKeys(options: ServerKeysOptions): ServerKeys {
  const faults: string[] = [];
  // A Map, not an object: an id such as "__proto__" is just an unknown one.
  const unwrappers = new Map<string, Unwrap>();
  const keyPairs: KeyPair[] = [];
  let current: ServerKeys['current'] | null = null;

  const add = (name: string, keyId: string, unwrap: Unwrap) => {
    // The id is not shown: with id and key swapped it would be the key.
    if (!isKeyId(keyId)) faults.push(`${name} must have 1 to 64 characters of A-Z a-z 0-9 . _ -`);
    else if (looksLikePrivateKey(keyId)) faults.push(`${name} ${PUBLISHED_KEY_FAULT}`);
    else if (unwrappers.has(keyId)) faults.push(`${name} is the id of another key too`);
    else unwrappers.set(keyId, unwrap);
  };

  const addPrivateKey = (name: string, { keyId, privateKey: hex }: PrivateKeySource) => {
    const parsed = parsePrivateKey(hex);
    if (parsed.kind === 'refused') {
      faults.push(...parsed.faults.map((fault) => `${name}.privateKey ${fault} (make one with: openssl rand -hex 32)`));
      add(`${name}.keyId`, keyId, () => null);
      return;
    }
    const { privateKey, publicKey } = parsed;
    keyPairs.push({ privateKey, publicKey });
    add(`${name}.keyId`, keyId, (ek, unwrapHere) => unwrapHere(privateKey, ek));
    if (name === 'current') current = { keyId, publicKey };
  };

  const addProvider = (provider: KeyProvider) => {
    faults.push(...providerFaults(provider));
    const unwrap = boundedUnwrap(provider);
    add('provider.keyId', provider.keyId, (ek) => unwrap(provider.keyId, ek));
    const earlier: unknown = provider.previousKeyIds ?? [];
    if (!Array.isArray(earlier)) {
      faults.push('provider.previousKeyIds must be a list of ids');
      return;
    }
    for (const [i, keyId] of earlier.entries()) add(`provider.previousKeyIds[${i}]`, keyId, (ek) => unwrap(keyId, ek));
  };

  if (options.current) addPrivateKey('current', options.current);
  for (const [i, source] of (options.previous ?? []).entries()) addPrivateKey(`previous[${i}]`, source);
  if (options.provider) addProvider(options.provider);
  if (!options.current && !options.provider) faults.push('current or provider is required: nothing opens an envelope');
  if (faults.length > 0) throw new ServerKeysInvalidError(faults);

  return {
    current: current ?? { keyId: options.provider!.keyId, publicKey: hexToBytes(options.provider!.publicKey) },
    keyPairs,
    has: (keyId) => unwrappers.has(keyId),
    unwrap: (keyId, ek, unwrapHere = sm2Sm4GcmV1.unwrapBaseKey) => unwrappers.get(keyId)?.(ek, unwrapHere) ?? null,
  };
}

/** Whether the text may stand as `kid` in an envelope. */
function isKeyId(keyId: unknown): keyId is string {
  return typeof keyId === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(keyId);
}

/**
 * 64 hexadecimal digits are all that a private key can be, and all that an id has room for. So no id equals or contains a
 * configured key, whichever variable was swapped with, or filled from, which.
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
    faults.push('provider.publicKey must be a point of sm2p256v1 as 130 hexadecimal characters: 04, x, y');
  } else if (isPublishedKey(publicKey)) {
    faults.push('provider.publicKey belongs to a key printed in a standard or in published test vectors');
  }
  if (typeof provider.unwrap !== 'function') faults.push('provider.unwrap must be a function');
  const requireInteger = (name: keyof typeof KEY_PROVIDER_DEFAULTS, max: number) => {
    const value = provider[name] ?? KEY_PROVIDER_DEFAULTS[name];
    if (Number.isInteger(value) && value >= 1 && value <= max) return;
    faults.push(`provider.${name} must be an integer from 1 to ${max}`);
  };
  requireInteger('timeoutMillis', 60_000);
  requireInteger('maxConcurrentCalls', 10_000);
  return faults;
}
