import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** C1 C3 C2, as in the envelope. */
const C1_C3_C2 = 1;

/** It has neither GCM nor HKDF, so it can't serve the protocol. Only its SM2 is compared. */
export function loadSmCrypto() {
  const { sm2 } = require('sm-crypto');
  return {
    name: 'sm-crypto',
    version: require('sm-crypto/package.json').version,
    wrap: (publicKey, baseKey) => Buffer.from(`04${sm2.doEncrypt([...baseKey], hex(publicKey), C1_C3_C2)}`, 'hex'),
    unwrap(privateKey, ek) {
      const message = sm2.doDecrypt(hex(ek.subarray(1)), hex(privateKey), C1_C3_C2, { output: 'array' });
      return message.length === 0 ? null : Uint8Array.from(message);
    },
  };
}

const hex = (bytes) => Buffer.from(bytes).toString('hex');
