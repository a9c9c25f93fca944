import { compileKernel } from '../../kernel/build.mjs';

/** GB/T 32918.5-2017, clause 2. */
export const P = 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffffn;
export const N = 0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123n;

/** R of Montgomery's form. */
export const R = 1n << 261n;

/** The arithmetic below the kernel's functions (kernel/assembly/internals.ts). Arguments are addresses. */
interface Functions {
  multiply(r: number, a: number, b: number): void;
  square(r: number, a: number): void;
  reduce(r: number, a: number): void;
  invert(r: number, a: number): void;
  fromMontgomery(r: number, a: number): void;
  firstIsZero(a: number): number;
  isBelowP(a: number): number;
  readPair(r: number, bytes: number): void;
  writePair(bytes: number, a: number): void;
  isOnCurve(xy: number): number;
  double(p: number): void;
  add(r: number, p: number, entry: number): void;
  toEntry(entry: number, p: number): void;
  isInRange(k: number): number;
  makeOdd(to: number, k: number): number;
  windowOf(k: number, i: number): number;
  signOf(w: number): number;
  indexOf(w: number): number;
  beginGhash(subkey: number): void;
  updateGhash(data: number, bytes: number): void;
  finishGhash(hash: number, aadBytes: bigint, ciphertextBytes: bigint): void;
  scanTable(to: number, table: number, index: number): void;
}

/** A pair of field elements as limbs of any size within 32 bits. */
export type Limbs = readonly [first: readonly number[], second: readonly number[]];

/** Compiles the kernel's inner functions, and reads and writes their arguments. */
export async function loadInternals() {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: { instantiate(bytes: Uint8Array): Promise<{ instance: { exports: object } }> };
  };
  const { instance } = await WebAssembly.instantiate(await compileKernel('internals.ts'));
  const { memory, ROOM } = instance.exports as { memory: { buffer: ArrayBuffer }; ROOM: { value: number } };
  const view = new DataView(memory.buffer);
  return {
    functions: instance.exports as Functions,
    memory: new Uint8Array(memory.buffer),
    /** The first address of 8 KiB for tests. */
    room: ROOM.value,

    writePair(at: number, pair: Limbs): void {
      pair.forEach((limbs, lane) => {
        limbs.forEach((limb, i) => {
          view.setInt32(at + 8 * i + 4 * lane, limb, true);
        });
      });
      view.setBigInt64(at + 72, 0n, true);
    },

    readPair(at: number): [number[], number[]] {
      const element = (lane: number) => Array.from({ length: 9 }, (_, i) => view.getInt32(at + 8 * i + 4 * lane, true));
      return [element(0), element(1)];
    },
  };
}

export const numberOf = (limbs: readonly number[]): bigint =>
  limbs.reduce((sum, limb, i) => sum + (BigInt(limb) << BigInt(29 * i)), 0n);

/** Limbs within [-2^28, 2^28), except the last. */
export function limbsOf(value: bigint): number[] {
  const limbs: number[] = [];
  let rest = value;
  for (let i = 0; i < 8; i++) {
    const limb = BigInt.asIntN(29, rest);
    limbs.push(Number(limb));
    rest = (rest - limb) >> 29n;
  }
  return [...limbs, Number(rest)];
}

export const mod = (value: bigint, modulus: bigint): bigint => ((value % modulus) + modulus) % modulus;
