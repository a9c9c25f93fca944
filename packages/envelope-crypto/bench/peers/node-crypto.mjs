import { createCipheriv, createDecipheriv, createECDH, createHash, ECDH, getCiphers } from 'node:crypto';

const CIPHER = 'sm4-gcm';
const P = BigInt('0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff');

/**
 * Node's own cryptography. It has no SM2 encryption: the closest is its ECDH on the curve, which yields only x and
 * throws on newer versions, with the rest in JavaScript. SM4-GCM exists from Node.js 26 on.
 */
export function loadNodeCrypto() {
  const contender = { name: 'node:crypto', version: `${process.version}, OpenSSL ${process.versions.openssl}` };
  if (hasEcdh()) contender.unwrap = unwrap;
  if (getCiphers().includes(CIPHER)) Object.assign(contender, { seal, open });
  return contender;
}

function hasEcdh() {
  try {
    const [one, other] = [createECDH('SM2'), createECDH('SM2')];
    one.generateKeys();
    return one.computeSecret(other.generateKeys()).length === 32;
  } catch {
    return false;
  }
}

let cached = { key: null, ecdh: null };

function ecdhOf(privateKey) {
  if (cached.key !== privateKey) {
    const ecdh = createECDH('SM2');
    ecdh.setPrivateKey(privateKey);
    cached = { key: privateKey, ecdh };
  }
  return cached.ecdh;
}

/** GB/T 32918.4-2016, 7.1, with x from ECDH. C3 decides which of the two y is right. */
function unwrap(privateKey, ek) {
  const x = ecdhOf(privateKey).computeSecret(ek.subarray(0, 65));
  const compressed = Buffer.concat([Buffer.of(2), Buffer.alloc(32 - x.length), x]);
  const point = ECDH.convertKey(compressed, 'SM2', undefined, undefined, 'uncompressed').subarray(1);
  const negative = Buffer.from((P - BigInt(`0x${point.toString('hex', 32)}`)).toString(16).padStart(64, '0'), 'hex');
  return unmask(point, ek) ?? unmask(Buffer.concat([point.subarray(0, 32), negative]), ek);
}

function unmask(shared, ek) {
  const mask = sm3(shared, Buffer.of(0, 0, 0, 1));
  const message = ek.subarray(97).map((byte, i) => byte ^ mask[i]);
  return sm3(shared.subarray(0, 32), message, shared.subarray(32)).equals(ek.subarray(65, 97)) ? message : null;
}

function sm3(...parts) {
  const hash = createHash('sm3');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function seal(key, iv, aad, plaintext) {
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(aad);
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function open(key, iv, aad, sealed) {
  const decipher = createDecipheriv(CIPHER, key, iv).setAAD(aad).setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
}
