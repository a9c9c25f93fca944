import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** It has neither GCM nor HKDF, so it can't serve the protocol. Only its SM2 is compared. */
export function loadGmCrypto() {
  const { SM2 } = require('gm-crypto');
  const mode = SM2.constants.C1C3C2;
  return {
    name: 'gm-crypto',
    version: require('gm-crypto/package.json').version,
    wrap: (publicKey, baseKey) =>
      Buffer.from(`04${SM2.encrypt(Buffer.from(baseKey), hex(publicKey), { mode, outputEncoding: 'hex' })}`, 'hex'),
    unwrap: (privateKey, ek) =>
      new Uint8Array(SM2.decrypt(hex(ek.subarray(1)), hex(privateKey), { mode, inputEncoding: 'hex' })),
  };
}

const hex = (bytes) => Buffer.from(bytes).toString('hex');
