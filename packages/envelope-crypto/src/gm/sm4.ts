import { hexToBytes, rotl } from '@noble/hashes/utils.js';

/** GB/T 32907-2016, 6.2: the S-box, row by row of the standard's table. */
const S_BOX = hexToBytes(
  [
    'd690e9fecce13db716b614c228fb2c05',
    '2b679a762abe04c3aa44132649860699',
    '9c4250f491ef987a33540b43edcfac62',
    'e4b31ca9c908e89580df94fa758f3fa6',
    '4707a7fcf37317ba83593c19e6854fa8',
    '686b81b27164da8bf8eb0f4b70569d35',
    '1e240e5e6358d1a225227c3b01217887',
    'd40046579fd327524c3602e7a0c4c89e',
    'eabf8ad240c738b5a3f7f2cef96115a1',
    'e0ae5da49b341a55ad933230f58cb1e3',
    '1df6e22e8266ca60c02923ab0d534e6f',
    'd5db3745defd8e2f03ff6a726d6c5b51',
    '8d1baf92bbddbc7f11d95c411f105ad8',
    '0ac13188a5cd7bbd2d74d012b8e5b4b0',
    '8969974a0c96777e65b9f109c56ec684',
    '18f07dec3adc4d2079ee5f3ed7cb3948',
  ].join(''),
);

/** 7.3: the system parameters FK. */
const FK = [0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc] as const;

/** 7.3: the fixed parameters CK, byte j of CK_i being (4i + j) · 7 mod 256. */
const CK = Int32Array.from({ length: 32 }, (_, i) =>
  [0, 1, 2, 3].reduce((word, j) => (word << 8) | (((4 * i + j) * 7) & 0xff), 0),
);

/** The nonlinear τ (6.2.1), byte by byte. */
const substitute = (x: number) =>
  (S_BOX[x >>> 24]! << 24) | (S_BOX[(x >>> 16) & 0xff]! << 16) | (S_BOX[(x >>> 8) & 0xff]! << 8) | S_BOX[x & 0xff]!;

/**
 * The round function T = L ∘ τ (6.2) for one byte in each of the four positions, so that a round is four look-ups.
 * Look-ups by secret bytes are not constant time (cache); the kernel has none.
 */
const T0 = Int32Array.from({ length: 256 }, (_, byte) => {
  const b = S_BOX[byte]! << 24;
  return b ^ rotl(b, 2) ^ rotl(b, 10) ^ rotl(b, 18) ^ rotl(b, 24);
});
const T1 = T0.map((x) => rotl(x, 24));
const T2 = T0.map((x) => rotl(x, 16));
const T3 = T0.map((x) => rotl(x, 8));

/** Bytes of an SM4 block and of a key. */
export const SM4_BLOCK_BYTES = 16;

/** The 32 round keys of a 16-byte key (GB/T 32907-2016, 7.3). The caller wipes them. */
export function expandSm4Key(key: Uint8Array): Int32Array {
  if (key.length !== SM4_BLOCK_BYTES) throw new RangeError(`SM4 key: expected 16 bytes, got ${key.length}`);
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const roundKeys = new Int32Array(32);
  let a = view.getInt32(0) ^ FK[0];
  let b = view.getInt32(4) ^ FK[1];
  let c = view.getInt32(8) ^ FK[2];
  let d = view.getInt32(12) ^ FK[3];
  for (let i = 0; i < 32; i++) {
    const t = substitute(b ^ c ^ d ^ CK[i]!);
    const next = a ^ t ^ rotl(t, 13) ^ rotl(t, 23);
    roundKeys[i] = next;
    a = b;
    b = c;
    c = d;
    d = next;
  }
  return roundKeys;
}

/**
 * Runs one block (four big-endian words) through the 32 rounds (GB/T 32907-2016, 6.1) and writes four words to
 * `output`. With the round keys in reverse order it decrypts.
 */
export function sm4Rounds(roundKeys: Int32Array, a: number, b: number, c: number, d: number, output: Int32Array): void {
  for (let i = 0; i < 32; i += 4) {
    let t = b ^ c ^ d ^ roundKeys[i]!;
    a ^= T0[t >>> 24]! ^ T1[(t >>> 16) & 0xff]! ^ T2[(t >>> 8) & 0xff]! ^ T3[t & 0xff]!;
    t = c ^ d ^ a ^ roundKeys[i + 1]!;
    b ^= T0[t >>> 24]! ^ T1[(t >>> 16) & 0xff]! ^ T2[(t >>> 8) & 0xff]! ^ T3[t & 0xff]!;
    t = d ^ a ^ b ^ roundKeys[i + 2]!;
    c ^= T0[t >>> 24]! ^ T1[(t >>> 16) & 0xff]! ^ T2[(t >>> 8) & 0xff]! ^ T3[t & 0xff]!;
    t = a ^ b ^ c ^ roundKeys[i + 3]!;
    d ^= T0[t >>> 24]! ^ T1[(t >>> 16) & 0xff]! ^ T2[(t >>> 8) & 0xff]! ^ T3[t & 0xff]!;
  }
  // The final R: the words leave in reverse order.
  output[0] = d;
  output[1] = c;
  output[2] = b;
  output[3] = a;
}

function sm4Block(roundKeys: Int32Array, block: Uint8Array): Uint8Array {
  if (block.length !== SM4_BLOCK_BYTES) throw new RangeError(`SM4 block: expected 16 bytes, got ${block.length}`);
  const input = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const words = new Int32Array(4);
  sm4Rounds(roundKeys, input.getInt32(0), input.getInt32(4), input.getInt32(8), input.getInt32(12), words);
  const output = new Uint8Array(SM4_BLOCK_BYTES);
  const view = new DataView(output.buffer);
  words.forEach((word, i) => {
    view.setInt32(4 * i, word);
  });
  return output;
}

/**
 * The SM4 block cipher (GB/T 32907-2016) under one 16-byte key: single blocks of 16 bytes. It is a building block.
 * Use {@link sm4gcm} to encrypt messages.
 */
export function sm4(key: Uint8Array): {
  encryptBlock(block: Uint8Array): Uint8Array;
  decryptBlock(block: Uint8Array): Uint8Array;
} {
  const roundKeys = expandSm4Key(key);
  const reversed = roundKeys.slice().reverse();
  return {
    encryptBlock: (block) => sm4Block(roundKeys, block),
    decryptBlock: (block) => sm4Block(reversed, block),
  };
}
