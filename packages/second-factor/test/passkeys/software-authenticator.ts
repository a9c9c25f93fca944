import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

/** How a response differs from a right one. */
export interface Ways {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly isPresent?: boolean;
  readonly isVerified?: boolean;
  readonly isBackupEligible?: boolean;
  readonly isBackedUp?: boolean;
  readonly counter?: number;
  /** An attestation that nobody asked for: its format, and its statement in CBOR. */
  readonly attestation?: { readonly format: string; readonly statement: Buffer };
}

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array) => Buffer.from(data).toString('base64url');

/** A text of CBOR (RFC 8949), of up to 23 bytes. */
export const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

/** A byte string of CBOR (RFC 8949), of up to 65 535 bytes. */
export const cborBytes = (data: Buffer) =>
  Buffer.concat([Buffer.from([0x59, data.length >> 8, data.length & 255]), data]);

/**
 * An authenticator and its browser: ES256, no attestation unless told, and a signature counter (WebAuthn Level 3,
 * section 6).
 */
export function createSoftwareAuthenticator({ origin, rpId }: { readonly origin: string; readonly rpId: string }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let counter = 0;

  function clientData(type: string, challenge: string, ways: Ways): string {
    const data = {
      type: ways.type ?? type,
      challenge: ways.challenge ?? challenge,
      origin: ways.origin ?? origin,
      crossOrigin: ways.crossOrigin ?? false,
    };
    return base64url(Buffer.from(JSON.stringify(data)));
  }

  function authenticatorData(ways: Ways, attested: Buffer = Buffer.alloc(0)): Buffer {
    counter = ways.counter ?? counter + 1;
    const flags =
      (ways.isPresent === false ? 0 : 0x01) |
      (ways.isVerified === false ? 0 : 0x04) |
      (ways.isBackupEligible ? 0x08 : 0) |
      (ways.isBackedUp ? 0x10 : 0) |
      (attested.length > 0 ? 0x40 : 0);
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags, 0);
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(ways.rpId ?? rpId), rest, attested]);
  }

  function credentialData(): Buffer {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    // RFC 9053, section 7.1.1: kty EC2, alg ES256, crv P-256.
    const key = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
      Buffer.from(x, 'base64url'),
      Buffer.from([0x22, 0x58, 0x20]),
      Buffer.from(y, 'base64url'),
    ]);
    return Buffer.concat([Buffer.alloc(16), Buffer.from([id.length >> 8, id.length & 255]), id, key]);
  }

  const credential = {
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    clientExtensionResults: {},
  } as const;

  return {
    id: credential.id,

    create({ challenge }: PublicKeyCredentialCreationOptionsJSON, ways: Ways = {}): RegistrationResponseJSON {
      const data = authenticatorData(ways, credentialData());
      const { format, statement } = ways.attestation ?? { format: 'none', statement: Buffer.from([0xa0]) };
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        ...[cborText('fmt'), cborText(format)],
        ...[cborText('attStmt'), statement],
        ...[cborText('authData'), cborBytes(data)],
      ]);
      return {
        ...credential,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, ways),
          attestationObject: base64url(attestation),
          transports: ['internal'],
        },
      };
    },

    get(
      { challenge }: Pick<PublicKeyCredentialRequestOptionsJSON, 'challenge'>,
      ways: Ways = {},
    ): AuthenticationResponseJSON {
      const data = authenticatorData(ways);
      const clientDataJSON = clientData('webauthn.get', challenge, ways);
      const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
      return {
        ...credential,
        response: {
          clientDataJSON,
          authenticatorData: base64url(data),
          signature: base64url(createSign('sha256').update(signed).sign(privateKey)),
        },
      };
    },
  };
}
