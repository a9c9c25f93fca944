import { SM2_SCALAR_BYTES } from '../gm/sm2.js';

/** Copies private keys, one behind the other, into memory that all threads share: wiped once, they are gone for all. */
export function sharePrivateKeys(privateKeys: readonly Uint8Array[]): Uint8Array<SharedArrayBuffer> {
  const shared = new Uint8Array(new SharedArrayBuffer(privateKeys.length * SM2_SCALAR_BYTES));
  for (const [place, privateKey] of privateKeys.entries()) shared.set(privateKey, place * SM2_SCALAR_BYTES);
  return shared;
}
