import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** C1 C3 C2, as in the envelope. */
const C1_C3_C2 = 1;

/** Its native inputs are hexadecimal texts for SM2, and bytes for everything else. */
export function loadSmCryptoV2() {
  const { sm2, sm4, hkdf } = require('sm-crypto-v2');
  const tables = new Map();

  /** Its own tables for a repeatedly used key. */
  function precomputed(publicKey) {
    const text = hex(publicKey);
    if (!tables.has(text)) tables.set(text, sm2.precomputePublicKey(text));
    return tables.get(text);
  }

  const unwrap = (privateKey, ek) => {
    const message = sm2.doDecrypt(hex(ek.subarray(1)), hex(privateKey), C1_C3_C2, { output: 'array' });
    return message.length === 0 ? null : Uint8Array.from(message);
  };
  const seal = (key, iv, aad, plaintext) => {
    const { output, tag } = sm4.encrypt(plaintext, key, { ...gcm(iv, aad), outputTag: true });
    return concat(output, tag);
  };
  const open = (key, iv, aad, sealed) => {
    const [text, tag] = [sealed.subarray(0, -16), sealed.subarray(-16)];
    return sm4.decrypt(text, key, { ...gcm(iv, aad), tag });
  };
  const info = (purpose, keyId) => Buffer.from(`sm2-sm4-gcm-v1|${purpose}|${keyId}`);
  return {
    name: 'sm-crypto-v2',
    version: require('sm-crypto-v2/package.json').version,
    wrap: (publicKey, baseKey) => Buffer.from(`04${sm2.doEncrypt(baseKey, precomputed(publicKey), C1_C3_C2)}`, 'hex'),
    unwrap,
    seal,
    open,
    serverSide(privateKey, { ek, nonce, keyId, iv, aad, ct }) {
      const baseKey = unwrap(privateKey, ek);
      const plaintext = open(hkdf(baseKey, nonce, info('request', keyId), 16), iv, aad, ct);
      return seal(hkdf(baseKey, nonce, info('response', keyId), 16), iv, aad, plaintext);
    },
  };
}

const gcm = (iv, aad) => ({ mode: 'gcm', iv, associatedData: aad, output: 'array' });

const hex = (bytes) => Buffer.from(bytes).toString('hex');

const concat = (...parts) => Uint8Array.from(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
