import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `openssl pkeyutl -decrypt` of a DER ciphertext with the private key. */
export function opensslDecrypt(privateKey: Uint8Array, der: Uint8Array): Buffer {
  return pkeyutl(['-decrypt', '-inkey'], privateKeyDer(privateKey), der);
}

/** `openssl pkeyutl -encrypt` to the public key: a DER ciphertext. */
export function opensslEncrypt(publicKey: Uint8Array, message: Uint8Array): Buffer {
  return pkeyutl(['-encrypt', '-pubin', '-inkey'], publicKeyDer(publicKey), message);
}

function pkeyutl(args: readonly string[], keyDer: Buffer, input: Uint8Array): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'sm2-'));
  try {
    const keyFile = join(folder, 'key.der');
    writeFileSync(keyFile, keyDer);
    return execFileSync('openssl', ['pkeyutl', ...args, keyFile, '-keyform', 'DER'], { input, stdio: 'pipe' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// OBJECT IDENTIFIER id-ecPublicKey (RFC 5480) and sm2p256v1 (1.2.156.10197.1.301).
const algorithm = tlv(
  0x30,
  tlv(0x06, Buffer.from('2a8648ce3d0201', 'hex')),
  tlv(0x06, Buffer.from('2a811ccf5501822d', 'hex')),
);

/** PKCS #8 around SEC 1's ECPrivateKey. */
function privateKeyDer(privateKey: Uint8Array): Buffer {
  const ecPrivateKey = tlv(0x30, tlv(0x02, Buffer.of(1)), tlv(0x04, privateKey));
  return tlv(0x30, tlv(0x02, Buffer.of(0)), algorithm, tlv(0x04, ecPrivateKey));
}

/** SubjectPublicKeyInfo. */
function publicKeyDer(publicKey: Uint8Array): Buffer {
  return tlv(0x30, algorithm, tlv(0x03, Buffer.of(0), publicKey));
}

/**
 * GM/T 0009-2012: SEQUENCE { INTEGER x, INTEGER y, OCTET STRING C3, OCTET STRING C2 } of `04 || x || y || C3 || C2`.
 */
export function toDer(ciphertext: Uint8Array): Buffer {
  return encodeFields([[1, 33], [33, 65], [65, 97], [97]].map(([start, end]) => ciphertext.subarray(start, end)));
}

/** The inverse, strict: null unless it is the DER encoding of four such fields. */
export function fromDer(der: Uint8Array): Buffer | null {
  let rest = read(der, 0x30)?.value;
  const fields: Buffer[] = [];
  for (const tag of [0x02, 0x02, 0x04, 0x04]) {
    const field = rest && read(rest, tag);
    if (!field) return null;
    fields.push(tag === 0x02 ? toCoordinate(field.value) : field.value);
    rest = field.rest;
  }
  return encodeFields(fields).equals(der) ? Buffer.concat([Buffer.of(4), ...fields]) : null;
}

function encodeFields(fields: readonly Uint8Array[]): Buffer {
  const [x, y, c3, c2] = fields as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  return tlv(0x30, integer(x), integer(y), tlv(0x04, c3), tlv(0x04, c2));
}

function integer(coordinate: Uint8Array): Buffer {
  const first = coordinate.findIndex((byte) => byte !== 0);
  const significant = coordinate.subarray(first === -1 ? coordinate.length - 1 : first);
  return significant[0]! & 0x80 ? tlv(0x02, Buffer.of(0), significant) : tlv(0x02, significant);
}

function toCoordinate(value: Buffer): Buffer {
  const significant = value[0] === 0 ? value.subarray(1) : value;
  return Buffer.concat([Buffer.alloc(Math.max(0, 32 - significant.length)), significant]);
}

function read(der: Uint8Array, tag: number): { value: Buffer; rest: Buffer } | null {
  const bytes = Buffer.from(der);
  if (bytes[0] !== tag || bytes[1] === undefined) return null;
  const lengthBytes = bytes[1] < 0x80 ? 0 : bytes[1] & 0x7f;
  if (bytes.length < 2 + lengthBytes || lengthBytes > 2) return null;
  const length = lengthBytes === 0 ? bytes[1] : bytes.readUIntBE(2, lengthBytes);
  const end = 2 + lengthBytes + length;
  return bytes.length < end ? null : { value: bytes.subarray(2 + lengthBytes, end), rest: bytes.subarray(end) };
}

function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const header = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...header), value]);
}
