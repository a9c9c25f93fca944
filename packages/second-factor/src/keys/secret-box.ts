import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { SecondFactorUnavailableError } from '../errors.js';

/** A key that encrypts secrets at rest. Keep it out of the database that has the records. */
export interface SecretKey {
  /** The id of the key in every encrypted secret: 1 to 64 letters, digits and `._-`. Not secret. */
  readonly id: string;
  /** 32 random bytes, such as `randomBytes(32)`. */
  readonly secret: Uint8Array;
}

/** To whom and what a secret belongs. It is authenticated: a secret that was moved elsewhere can't be decrypted. */
export interface SecretOwner {
  readonly principal: string;
  readonly factorId: string;
}

export interface SecretBox {
  seal(secret: Uint8Array, owner: SecretOwner): string;
  /** @throws SecondFactorUnavailableError if no key fits, or the text is not what was sealed for this owner */
  open(sealed: string, owner: SecretOwner): Buffer;
  /** Whether the text was sealed with an earlier key. */
  isOld(sealed: string): boolean;
}

const FORMAT = 'v1';

/** SP 800-38D, section 8.2.2: a random IV of 96 bits serves 2^32 secrets of one key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under the first key. The others only decrypt. */
export function createSecretBox(key: SecretKey, previousKeys: readonly SecretKey[]): SecretBox {
  const secrets = new Map([key, ...previousKeys].map(({ id, secret }) => [id, secret]));
  const associated = (keyId: string, { principal, factorId }: SecretOwner) =>
    Buffer.from(JSON.stringify(['sallyport second-factor totp', keyId, principal, factorId]));

  return {
    seal(secret, owner) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key.secret, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(associated(key.id, owner));
      const parts = [iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()];
      return [FORMAT, key.id, Buffer.concat(parts).toString('base64url')].join(':');
    },

    open(sealed, owner) {
      const [format, keyId = '', text = ''] = String(sealed).split(':');
      const secret = secrets.get(keyId);
      if (format !== FORMAT) throw unreadable('it has an unknown format');
      if (secret === undefined) throw unreadable('no key has its key id; give the key in previousKeys');
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length < IV_BYTES + TAG_BYTES) throw unreadable('it is too short');
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(associated(keyId, owner));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch {
        throw unreadable('the key is another one, or the secret was changed or moved from another account');
      }
    },

    isOld: (sealed) => String(sealed).split(':')[1] !== key.id,
  };
}

/** A value that shows whether two keys are the same, and nothing else of them. */
export function fingerprintOf({ secret }: SecretKey): string {
  return createHmac('sha256', secret).update('sallyport second-factor key check').digest('base64url');
}

function unreadable(reason: string): SecondFactorUnavailableError {
  return new SecondFactorUnavailableError({ cause: new Error(`A TOTP secret can't be decrypted: ${reason}`) });
}
