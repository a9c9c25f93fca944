import { listOf, option, optional, readOptions } from '@sallyport/plugin-kit/options';
import { EnvelopeSetupError } from '../errors.js';
import type { KeyProvider } from './key-provider.js';
import { loadServerKeys, type PrivateKeySource, type ServerKeysReading } from './server-keys.js';

/** The keys of a service, as a program supplies them: in the plugin's options, or through a key source. */
export interface SuppliedKeys {
  /** Identifier of `privateKey` on the wire: 1 to 64 characters of `A-Z a-z 0-9 . _ -`. Needed with `privateKey`. */
  readonly keyId?: string;
  /** The current key: 64 hexadecimal characters. Needed without a `keyProvider`. */
  readonly privateKey?: string;
  /** Earlier keys that are still accepted, each by its id. Default: none. */
  readonly previousKeys?: readonly PrivateKeySource[];
  /**
   * A provider that unwraps with the current key, or with an earlier one if `privateKey` is also given. Default: none.
   */
  readonly keyProvider?: KeyProvider;
}

type ReadKeys = { readonly [Name in keyof SuppliedKeys]-?: SuppliedKeys[Name] | undefined } & {
  readonly previousKeys: readonly PrivateKeySource[];
};

/**
 * The options of the keys. {@link loadServerKeys} checks their contents, because its faults concern several of them.
 */
export const keyRules = {
  keyId: optional(option<string>({ meaning: 'the id of privateKey, a string', accepts: isString })),
  privateKey: optional(option<string>({ meaning: '64 hexadecimal characters', accepts: isString })),
  previousKeys: listOf<PrivateKeySource>(isObject, { meaning: 'a list of { keyId, privateKey }', default: [] }),
  keyProvider: optional(
    option<KeyProvider>({ meaning: 'an object with keyId, publicKey and unwrap', accepts: isObject }),
  ),
};

/** A member with another name may be a key that was swapped with its id, so its name is not shown. */
const SHOWN_NAME = /^[A-Za-z]{1,24}$/;

/** Checks and loads keys of unknown shape. */
export function readSuppliedKeys(given: unknown): ServerKeysReading {
  if (!isObject(given) || Array.isArray(given))
    return { kind: 'refused', faults: ['the keys must be an object with keyId and privateKey'] };
  if (!Object.keys(given).every((name) => SHOWN_NAME.test(name))) {
    const names = Object.keys(keyRules).join(', ');
    const why = 'its name is not shown because it may be a key';
    return { kind: 'refused', faults: [`the keys have an unknown member (${why}); the members are ${names}`] };
  }
  try {
    return loadServerKeys(readOptions<ReadKeys>({ subject: 'keys', SetupError: EnvelopeSetupError }, given, keyRules));
  } catch (error) {
    if (error instanceof EnvelopeSetupError) return { kind: 'refused', faults: error.faults };
    throw error;
  }
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
