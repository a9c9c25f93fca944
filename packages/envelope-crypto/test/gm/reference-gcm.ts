import { createCipheriv } from 'node:crypto';

/** x^128 reduced, the first coefficient as the most significant bit (NIST SP 800-38D, 6.3). */
const R = 0xe1n << 120n;

/** NIST SP 800-38D, algorithm 1, bit by bit: slow, but the standard's text. */
function multiply(x: bigint, y: bigint): bigint {
  let z = 0n;
  let v = y;
  for (let i = 127n; i >= 0n; i--) {
    if ((x >> i) & 1n) z ^= v;
    v = v & 1n ? (v >> 1n) ^ R : v >> 1n;
  }
  return z;
}

/** SM4-GCM over OpenSSL's SM4 block cipher and big integers. It shares no line with the code under test. */
export function referenceSm4Gcm(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Buffer {
  const ecb = createCipheriv('sm4-ecb', key, null).setAutoPadding(false);
  const encryptCounter = (counter: number) => {
    const block = Buffer.alloc(16);
    block.set(iv);
    block.writeUInt32BE(counter, 12);
    return ecb.update(block);
  };
  const h = BigInt(`0x${ecb.update(Buffer.alloc(16)).toString('hex')}`);

  const ciphertext = Buffer.from(plaintext);
  for (let i = 0; i < ciphertext.length; i++) ciphertext[i]! ^= encryptCounter(2 + (i >> 4))[i & 15]!;

  const padded = (data: Uint8Array) => Buffer.concat([data, Buffer.alloc((16 - (data.length % 16)) % 16)]);
  const lengths = Buffer.alloc(16);
  lengths.writeBigUInt64BE(8n * BigInt(aad.length), 0);
  lengths.writeBigUInt64BE(8n * BigInt(ciphertext.length), 8);
  const blocks = Buffer.concat([padded(aad), padded(ciphertext), lengths]);
  let y = 0n;
  for (let i = 0; i < blocks.length; i += 16) {
    y = multiply(y ^ BigInt(`0x${blocks.subarray(i, i + 16).toString('hex')}`), h);
  }
  const tag = y ^ BigInt(`0x${encryptCounter(1).toString('hex')}`);
  return Buffer.concat([ciphertext, Buffer.from(tag.toString(16).padStart(32, '0'), 'hex')]);
}
