import { option } from '@sallyport/plugin-kit/options';
import {
  KeyFault,
  type PreparedKey,
  prepareSigningKey,
  prepareVerificationKey,
  type SigningKey,
  type VerificationKey,
} from './signing-keys.js';

export const signingKeyRule = option<PreparedKey>({
  meaning: 'an object with `algorithm` and a key',
  accepts: (value) => typeof value === 'object' && value !== null,
  faults: (key: SigningKey, name) => keyFaults(name, () => prepareSigningKey(key)),
  read: prepareSigningKey,
});

export const verificationKeysRule = option<readonly PreparedKey[]>({
  meaning: 'a list of keys',
  accepts: Array.isArray,
  faults: (keys: readonly VerificationKey[], name) =>
    keys.flatMap((key, index) => keyFaults(`${name}[${index}]`, () => prepareVerificationKey(key))),
  read: (keys: readonly VerificationKey[]) => keys.map(prepareVerificationKey),
  default: [],
});

function keyFaults(name: string, prepare: () => PreparedKey): string[] {
  try {
    prepare();
    return [];
  } catch (error) {
    // Messages of other errors may quote the key.
    return [`${name}: ${error instanceof KeyFault ? error.message : 'unreadable key'}`];
  }
}
