import { afterEach, describe, expect, it, vi } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { createKernelSuite } from '../../src/kernel/kernel-suite.js';
import { embeddedKernel } from '../../src/kernel/load-kernel.js';
import { createScalarPool } from '../../src/kernel/scalar-pool.js';
import { sm2Sm4GcmV1 as portable } from '../../src/suites/index.js';
import { fromDer, opensslDecrypt, opensslEncrypt, toDer } from '../gm/openssl.js';
import { bytes, hex, ownVectors, sharedVectors, utf8, withBitFlipped } from '../vector-files.js';
import { N, P } from './internals.js';
import { kernelSuite as kernel } from './kernel-suite.js';

// The arithmetic takes seconds, more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const privateKey = bytes('3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8');
const publicKey = kernel.publicKeyOf(privateKey);
const baseKey = bytes('a1fa5490ae8552ca67874db08047fe24');
const number = (value: bigint) => bytes(value.toString(16).padStart(64, '0'));
const sequence = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 31) >>> 3);

describe('the kernel suite', () => {
  it('ENV-8 refuses every kind of invalid point in a wrapped key, like the portable suite', () => {
    const ek = kernel.wrapBaseKey(publicKey, baseKey);
    const x = BigInt(`0x${hex(ek.subarray(1, 33))}`);
    const y = BigInt(`0x${hex(ek.subarray(33, 65))}`);
    const withPoint = (first: number, px: bigint, py: bigint) =>
      Uint8Array.of(first, ...number(px), ...number(py), ...ek.subarray(65));
    const refused: Record<string, Uint8Array> = {
      'no bytes': new Uint8Array(),
      'a byte missing': ek.subarray(0, 112),
      'a byte too many': Uint8Array.of(...ek, 0),
      'compressed (02)': withPoint(2, x, y),
      'compressed (03)': withPoint(3, x, y),
      'hybrid (06)': withPoint(6, x, y),
      'hybrid (07)': withPoint(7, x, y),
      'infinity (00)': withPoint(0, x, y),
      'first byte 84': withPoint(0x84, x, y),
      'the point (0, 0)': withPoint(4, 0n, 0n),
      'x = p': withPoint(4, P, y),
      'y = p': withPoint(4, x, P),
      'coordinates of ones': withPoint(4, (1n << 256n) - 1n, (1n << 256n) - 1n),
      'off the curve by y': withPoint(4, x, y ^ 1n),
      'off the curve by x': withPoint(4, x ^ 1n, y),
      'x and y in the other order': withPoint(4, y, x),
      'the negative point': withPoint(4, x, P - y),
    };
    for (const [name, wrapped] of Object.entries(refused)) {
      expect(kernel.unwrapBaseKey(privateKey, wrapped), name).toBeNull();
      expect(portable.unwrapBaseKey(privateKey, wrapped), name).toBeNull();
    }
    expect(hex(kernel.unwrapBaseKey(privateKey, ek))).toBe(hex(baseKey));
  });

  it('ENV-8 unwraps any number of keys together as one by one, whatever the others are', () => {
    const ownKey = (i: number) => new Uint8Array(16).fill(i + 1);
    const wrapped = Array.from({ length: 20 }, (_, i) => kernel.wrapBaseKey(publicKey, ownKey(i)));
    const spoilt: readonly ((ek: Uint8Array) => Uint8Array)[] = [
      (ek) => withBitFlipped(ek, 5),
      (ek) => withBitFlipped(ek, 300),
      (ek) => withBitFlipped(ek, 600),
      (ek) => withBitFlipped(ek, 900),
      (ek) => ek.subarray(1),
      () => new Uint8Array(113),
      () => new Uint8Array(),
    ];
    const together = (eks: readonly Uint8Array[]) => kernel.unwrapBaseKeys!(privateKey, eks);
    for (let count = 0; count <= wrapped.length; count++) {
      expect(together(wrapped.slice(0, count))).toEqual(wrapped.slice(0, count).map((_, i) => ownKey(i)));
    }
    for (const spoil of spoilt) {
      for (const places of [[0], [7], [8], [0, 1, 2, 3, 4, 5, 6], [1, 3, 5, 7], Array.from(wrapped.keys())]) {
        const eks = wrapped.map((ek, i) => (places.includes(i) ? spoil(ek) : ek));
        expect(together(eks), `${spoil} at ${places}`).toEqual(
          wrapped.map((_, i) => (places.includes(i) ? null : ownKey(i))),
        );
      }
    }
    expect(() => kernel.unwrapBaseKeys!(number(N), wrapped)).toThrow(RangeError);
  });

  it('ENV-8 refuses a C3 with any one of its 256 bits changed, and a C2 with any of its 128', () => {
    const ek = kernel.wrapBaseKey(publicKey, baseKey);
    for (let bit = 8 * 65; bit < 8 * 113; bit++) {
      expect(kernel.unwrapBaseKey(privateKey, withBitFlipped(ek, bit)), `bit ${bit}`).toBeNull();
    }
  });

  it('ENV-8 accepts coordinates below p only, and refuses x + p, which is congruent', () => {
    // For an x below 2^256 - p, x + p fits into 32 bytes. There are 2^224 + 2^96 - 2^64 such x.
    for (let x = 1n, found = 0; found < 3; x++) {
      const right = (x ** 3n - 3n * x + 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93n) % P;
      const y = squareRoot((right + P) % P);
      if (y === null) continue;
      found++;
      const wrapFor = (px: bigint) => kernel.wrapBaseKey(Uint8Array.of(4, ...number(px), ...number(y)), baseKey);
      expect(wrapFor(x)).toHaveLength(113);
      expect(() => wrapFor(x + P)).toThrow(RangeError);
    }
  });

  it('ENV-8 answers a caller’s mistakes as the portable one does: with a RangeError that shows no value', () => {
    const mistakes = [
      (suite: typeof kernel) => suite.publicKeyOf(number(0n)),
      (suite: typeof kernel) => suite.publicKeyOf(number(N)),
      (suite: typeof kernel) => suite.publicKeyOf(number((1n << 256n) - 1n)),
      (suite: typeof kernel) => suite.publicKeyOf(privateKey.subarray(1)),
      (suite: typeof kernel) => suite.unwrapBaseKey(number(N), kernel.wrapBaseKey(publicKey, baseKey)),
      (suite: typeof kernel) => suite.unwrapBaseKey(new Uint8Array(31), kernel.wrapBaseKey(publicKey, baseKey)),
      (suite: typeof kernel) => suite.wrapBaseKey(publicKey, baseKey, number(0n)),
      (suite: typeof kernel) => suite.wrapBaseKey(publicKey, baseKey, number(N)),
      (suite: typeof kernel) => suite.wrapBaseKey(publicKey, baseKey, new Uint8Array(33).fill(1)),
      (suite: typeof kernel) => suite.wrapBaseKey(publicKey, baseKey.subarray(1)),
      (suite: typeof kernel) => suite.wrapBaseKey(publicKey.subarray(1), baseKey),
      (suite: typeof kernel) => suite.wrapBaseKey(withBitFlipped(publicKey, 519), baseKey),
      (suite: typeof kernel) => suite.sealMessage(baseKey, new Uint8Array(13), utf8(''), utf8('')),
      (suite: typeof kernel) => suite.sealMessage(new Uint8Array(15), new Uint8Array(12), utf8(''), utf8('')),
      (suite: typeof kernel) => suite.openMessage(new Uint8Array(17), new Uint8Array(12), utf8(''), new Uint8Array(16)),
    ];
    for (const [i, mistake] of mistakes.entries()) {
      const messages = [kernel, portable].map((suite) => {
        try {
          mistake(suite);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return (error as Error).message;
        }
        return 'no error';
      });
      expect(messages[0], `mistake ${i}`).toBe(messages[1]);
    }
    expect(() => kernel.deriveKeys(baseKey, baseKey.subarray(1), 'k')).toThrow(RangeError);
    expect(() => kernel.deriveKeys(baseKey, baseKey, 'k'.repeat(200))).toThrow(RangeError);
    // The kernel still works after that.
    expect(hex(kernel.unwrapBaseKey(privateKey, kernel.wrapBaseKey(publicKey, baseKey)))).toBe(hex(baseKey));
  });

  it('ENV-8 seals and opens as the portable one does, at the edges of blocks, batches and chunks', () => {
    const iv = bytes('00001234567800000000abcd');
    const around = (length: number) => [length - 1, length, length + 1];
    const lengths = [0, 1, ...[16, 96, 112, 128, 224, 352, 65_536, 131_072, 200_000].flatMap(around)];
    for (const length of lengths) {
      for (const aad of [sequence(0), sequence(20), ...(length === 97 ? [sequence(65_536), sequence(70_001)] : [])]) {
        const plaintext = sequence(length);
        const ct = kernel.sealMessage(baseKey, iv, aad, plaintext);
        expect(Buffer.compare(ct, portable.sealMessage(baseKey, iv, aad, plaintext)), `${length} bytes`).toBe(0);
        expect(Buffer.compare(kernel.openMessage(baseKey, iv, aad, ct)!, plaintext), `${length} bytes`).toBe(0);
        expect(kernel.openMessage(baseKey, iv, aad, withBitFlipped(ct, 8 * ct.length - 1))).toBeNull();
        expect(kernel.openMessage(baseKey, iv, aad, withBitFlipped(ct, 0))).toBeNull();
      }
    }
  });

  it('ENV-8 refuses a tag with any one of its 128 bits changed', () => {
    const ct = kernel.sealMessage(baseKey, new Uint8Array(12), utf8('aad'), utf8('message'));
    for (let bit = 0; bit < 128; bit++) {
      const changed = withBitFlipped(ct, 8 * 7 + bit);
      expect(kernel.openMessage(baseKey, new Uint8Array(12), utf8('aad'), changed), `bit ${bit}`).toBeNull();
    }
  });

  it('ENV-8 EC-54 holds for the published vectors of SM4-GCM and of SM2', () => {
    type Gcm = Record<'name' | 'key' | 'iv' | 'aad' | 'pt' | 'ct' | 'tag', string> & { valid: boolean };
    const gcm = [
      ...ownVectors<Gcm>('sm4_gcm_botan_interop.json'),
      ...(sharedVectors<Gcm>('sm4_gcm_wycheproof.json') ?? []),
      ...(sharedVectors<Gcm>('sm4_gcm_botan.json') ?? []),
    ];
    for (const { name, key, iv, aad, pt, ct, tag, valid } of gcm.filter(({ iv }) => iv.length === 24)) {
      const opened = kernel.openMessage(bytes(key), bytes(iv), bytes(aad), bytes(ct + tag));
      expect(hex(opened), name).toBe(valid ? pt : null);
      if (valid) expect(hex(kernel.sealMessage(bytes(key), bytes(iv), bytes(aad), bytes(pt))), name).toBe(ct + tag);
    }
    type Sm2 = Record<'name' | 'priv' | 'pub' | 'pt' | 'ct_c1c3c2' | 'ct_c1c2c3', string>;
    const sm2 = ownVectors<Sm2>('sm2_enc_botan_interop.json');
    for (const { name, priv, pub, pt, ct_c1c3c2, ct_c1c2c3 } of sm2) {
      expect(hex(kernel.publicKeyOf(bytes(priv))), name).toBe(pub);
      // Base keys have 16 bytes. Another length is refused.
      expect(hex(kernel.unwrapBaseKey(bytes(priv), bytes(ct_c1c3c2))), name).toBe(pt.length === 32 ? pt : null);
      expect(kernel.unwrapBaseKey(bytes(priv), bytes(ct_c1c2c3)), name).toBeNull();
    }
    expect(gcm.length).toBeGreaterThanOrEqual(10);
    expect(sm2.filter(({ pt }) => pt.length === 32).length).toBeGreaterThanOrEqual(1);
  });

  it.skipIf(lacks('openssl'))('ENV-8 openssl pkeyutl decrypts keys that the kernel wrapped', () => {
    for (let i = 0; i < 4; i++) {
      const ek = kernel.wrapBaseKey(publicKey, baseKey);
      expect(hex(opensslDecrypt(privateKey, toDer(ek)))).toBe(hex(baseKey));
    }
  });

  it.skipIf(lacks('openssl'))('ENV-8 the kernel unwraps ciphertexts of openssl pkeyutl', () => {
    for (let i = 0; i < 4; i++) {
      const ek = fromDer(opensslEncrypt(publicKey, baseKey))!;
      expect(hex(kernel.unwrapBaseKey(privateKey, ek))).toBe(hex(baseKey));
    }
  });

  it('ENV-8 uses a new ephemeral scalar for every wrap', () => {
    const seen = new Set(Array.from({ length: 200 }, () => hex(kernel.wrapBaseKey(publicKey, baseKey))));
    expect(seen.size).toBe(200);
  });
});

describe('the pool of ephemeral scalars', () => {
  it('ENV-8 writes every byte of the generator once, and keeps none', () => {
    let drawn = 0;
    let pool: Uint8Array = new Uint8Array();
    const draw = createScalarPool((bytes) => {
      pool = bytes;
      pool.forEach((_, i) => {
        pool[i] = (drawn + (i >> 5)) & 0xff;
      });
      drawn += pool.length / 32;
    });
    const room = new Uint8Array(40);
    const scalars = Array.from({ length: 200 }, () => {
      draw(room, 8);
      return hex(room.subarray(8));
    });
    expect(new Set(scalars).size).toBe(200);
    expect(scalars[0]).toBe('00'.repeat(32));
    expect(drawn).toBe(256);
    expect(pool.subarray(0, 8 * 32).every((byte) => byte === 0)).toBe(true);
    expect(pool.subarray(8 * 32).every((byte) => byte !== 0)).toBe(true);
  });
});

describe('where the kernel is not available', () => {
  afterEach(() => vi.unstubAllGlobals());

  const reasonOf = (moduleBytes?: Uint8Array) => {
    const kernel = createKernelSuite(moduleBytes);
    return kernel.kind === 'unavailable' ? kernel.reason : 'ready';
  };

  it('ENV-8 ENV-6 says so where there is no WebAssembly', () => {
    vi.stubGlobal('WebAssembly', undefined);
    expect(reasonOf()).toBe('there is no WebAssembly here');
  });

  it('ENV-8 ENV-6 says so where the engine refuses the module: no vectors, or a policy', () => {
    expect(reasonOf(new Uint8Array(8))).toMatch(/WebAssembly/);
    vi.stubGlobal('WebAssembly', {
      Module: class {
        constructor() {
          throw new EvalError('code generation disallowed by this context');
        }
      },
    });
    expect(reasonOf()).toBe('code generation disallowed by this context');
  });

  it('ENV-8 ENV-6 is refused when the random generator gives zeros only, and doesn’t draw for ever', () => {
    vi.stubGlobal('crypto', { getRandomValues: (room: Uint8Array) => room.fill(0) });
    expect(reasonOf()).toMatch(/^cryptographic self-test failed: .*wrapping/);
  });

  it('ENV-8 ENV-6 is refused by the known answers when one bit of a constant is another one', {
    timeout: 60_000,
  }, () => {
    const module = embeddedKernel();
    const constants: Record<string, string> = {
      'p in sparse limbs': 'e0ff0000e0ff0000000100000001',
      'a table of the S-box': '0a43236ae6afcf86420b6b22aee787ce',
      'a table of the S-box (2)': '8004020d010a0f0b09080507',
      'FK of SM4': 'c6bab1a3',
      'the initial value of SM3': '6f168073',
      'R squared': '0c0000000c000000400000004000000000ffff0000ffff',
      'the order n': '7203df6b21c6052b53bbf40939d54123',
      'the base point': 'd2530003acbba105',
    };
    for (const [name, text] of Object.entries(constants)) {
      const at = Buffer.from(module).indexOf(Buffer.from(text, 'hex'));
      expect(at, name).toBeGreaterThan(0);
      const reason = reasonOf(withBitFlipped(module, 8 * at + 5));
      expect(reason, name).toMatch(/^cryptographic self-test failed: /);
    }
  });
});

function squareRoot(square: bigint): bigint | null {
  // p is 3 modulo 4.
  let [root, base] = [1n, square];
  for (let e = (P + 1n) / 4n; e > 0n; e >>= 1n, base = (base * base) % P) if (e & 1n) root = (root * base) % P;
  return (root * root) % P === square ? root : null;
}
