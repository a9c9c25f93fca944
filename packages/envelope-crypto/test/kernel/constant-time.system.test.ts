import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { compileKernel } from '../../kernel/build.mjs';
import { createKernelSuite } from '../../src/kernel/kernel-suite.js';
import type { EnvelopeSuite } from '../../src/suites/index.js';
import { bytes, hex, utf8, withBitFlipped } from '../vector-files.js';
import { N } from './internals.js';

// An instrumented build of the kernel records every loop, function and address. The record must not depend on secrets.
// Time can't be tested so exactly: bench/timing-leaks.mjs measures it.

interface Api {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
}

let steps = 0;
let digest = 0;
function record(where: number, address: number): void {
  steps++;
  digest = Math.imul(digest ^ where, 0x9e3779b1);
  digest = Math.imul((digest >>> 15) ^ digest ^ address, 0x85ebca77);
}

/** The callbacks of Binaryen's passes log-execution and instrument-memory. */
const recorder = {
  log_execution: (place: number) => record(place, -1),
  load_ptr(place: number, _bytes: number, offset: number, address: number) {
    record(place, address + offset);
    return address;
  },
  store_ptr(place: number, _bytes: number, offset: number, address: number) {
    record(place, address + offset);
    return address;
  },
  ...Object.fromEntries(
    ['i32', 'i64', 'f32', 'f64'].flatMap((type) =>
      ['load_val', 'store_val'].map((name) => [`${name}_${type}`, (_place: number, value: unknown) => value]),
    ),
  ),
  memory_grow_pre: (_place: number, delta: number) => delta,
  memory_grow_post: (_place: number, size: number) => size,
};

/** The record of a call, as a text to compare. */
function trace(verb: () => unknown): string {
  steps = 0;
  digest = 0;
  verb();
  return `${steps} steps, ${digest >>> 0}`;
}

const number = (value: bigint) => bytes(value.toString(16).padStart(64, '0'));
const keys = [1n, 2n, N - 1n, N - 6n, 6n, 1n << 255n, (1n << 255n) - 1n, 0x3945208f7b2144b13f36e38ac6d39f95n ** 2n].map(
  (key) => number(key % N),
);
const iv = new Uint8Array(12);

describe('the path of the kernel', () => {
  let suite: EnvelopeSuite;
  beforeAll(async () => {
    const { WebAssembly } = globalThis as unknown as { WebAssembly: Api };
    const traced = await compileKernel('index.ts', ['log-execution', 'instrument-memory']);
    vi.stubGlobal('WebAssembly', {
      Module: WebAssembly.Module,
      Instance: class {
        readonly exports: object;
        constructor(module: object) {
          this.exports = new WebAssembly.Instance(module, { env: recorder }).exports;
        }
      },
    });
    const kernel = createKernelSuite(traced);
    if (kernel.kind === 'unavailable') throw new Error(kernel.reason);
    ({ suite } = kernel);
  }, 180_000);
  afterAll(() => vi.unstubAllGlobals());

  it('ENV-8 ENV-13 is the same for every private key, and for a right C3 and a wrong one', () => {
    const publicKey = suite.publicKeyOf(keys[0]!);
    const ek = suite.wrapBaseKey(publicKey, new Uint8Array(16).fill(7));
    expect(suite.unwrapBaseKey(keys[0]!, ek)).not.toBeNull();
    const traces = new Set(keys.map((key) => trace(() => suite.unwrapBaseKey(key, ek))));
    for (const bit of [520, 775, 776, 903]) {
      traces.add(trace(() => expect(suite.unwrapBaseKey(keys[0]!, withBitFlipped(ek, bit))).toBeNull()));
    }
    expect([...traces]).toHaveLength(1);
    expect(Number.parseInt([...traces][0]!, 10)).toBeGreaterThan(50_000);
    expect([...new Set(keys.map((key) => trace(() => suite.publicKeyOf(key))))]).toHaveLength(1);
  });

  it('ENV-8 ENV-13 is the same for every private key in a batch, whichever keys open', () => {
    const ek = suite.wrapBaseKey(suite.publicKeyOf(keys[0]!), new Uint8Array(16).fill(7));
    const together = (key: Uint8Array, eks: readonly Uint8Array[]) => trace(() => suite.unwrapBaseKeys!(key, eks));
    const traces = keys.map((key) => together(key, [ek, ek, ek]));
    const wrong = withBitFlipped(ek, 700);
    for (const eks of [
      [wrong, ek, ek],
      [ek, wrong, ek],
      [ek, ek, wrong],
      [wrong, wrong, wrong],
    ]) {
      traces.push(together(keys[0]!, eks));
    }
    expect([...new Set(traces)]).toHaveLength(1);
    expect(together(keys[0]!, [ek, withBitFlipped(ek, 5), ek])).not.toBe(traces[0]);
  });

  it('ENV-8 ends before any multiplication if the point is invalid', () => {
    const ek = suite.wrapBaseKey(suite.publicKeyOf(number(99n)), new Uint8Array(16));
    const stepsOf = (wrapped: Uint8Array) =>
      Number.parseInt(
        trace(() => suite.unwrapBaseKey(number(99n), wrapped)),
        10,
      );
    expect(stepsOf(ek)).toBeGreaterThan(50_000);
    const others = {
      'a compressed point': withBitFlipped(ek, 5),
      'a hybrid point': withBitFlipped(ek, 6),
      'off the curve by x': withBitFlipped(ek, 263),
      'off the curve by y': withBitFlipped(ek, 519),
      'x from p up': Uint8Array.of(4, ...new Uint8Array(32).fill(0xff), ...ek.subarray(33)),
      '(0, 0)': Uint8Array.of(4, ...new Uint8Array(64), ...ek.subarray(65)),
    };
    for (const [name, wrapped] of Object.entries(others)) expect(stepsOf(wrapped), name).toBeLessThan(2_000);
  });

  it('ENV-8 is the same for every ephemeral scalar and every base key', () => {
    const publicKey = suite.publicKeyOf(number(99n));
    suite.wrapBaseKey(publicKey, new Uint8Array(16));
    const traces = keys.map((k, i) => trace(() => suite.wrapBaseKey(publicKey, new Uint8Array(16).fill(37 * i), k)));
    expect([...new Set(traces)]).toHaveLength(1);
  });

  it('ENV-8 ENV-13 is the same for every key and plaintext of one length, and for every wrong tag', () => {
    const inputs = [0, 1, 0x5a, 0x80, 0xff].map((byte) => ({
      key: new Uint8Array(16).fill(byte),
      text: new Uint8Array(1000).map((_, i) => byte * i),
    }));
    const sealing = inputs.map(({ key, text }) => trace(() => suite.sealMessage(key, iv, utf8('aad'), text)));
    expect([...new Set(sealing)]).toHaveLength(1);
    const opening = inputs.map(({ key, text }) => {
      const ct = suite.sealMessage(key, iv, utf8('aad'), text);
      return trace(() => expect(hex(suite.openMessage(key, iv, utf8('aad'), ct))).toBe(hex(text)));
    });
    expect([...new Set(opening)]).toHaveLength(1);
    const ct = suite.sealMessage(inputs[1]!.key, iv, utf8('aad'), inputs[1]!.text);
    const refusing = [0, 8000, 8063, 8127].map((bit) =>
      trace(() => suite.openMessage(inputs[1]!.key, iv, utf8('aad'), withBitFlipped(ct, bit))),
    );
    expect([...new Set(refusing)]).toHaveLength(1);
    const deriving = inputs.map(({ key }) => trace(() => suite.deriveKeys(key, key, 'k')));
    expect([...new Set(deriving)]).toHaveLength(1);
  });

  it('ENV-8 differs for different public input, so the comparison above can fail', () => {
    const seal = (length: number) => trace(() => suite.sealMessage(new Uint8Array(16), iv, iv, new Uint8Array(length)));
    expect(seal(100)).not.toBe(seal(101));
    const ek = suite.wrapBaseKey(suite.publicKeyOf(number(99n)), new Uint8Array(16));
    const unwrap = (bit: number) => trace(() => suite.unwrapBaseKey(number(99n), withBitFlipped(ek, bit)));
    expect(unwrap(500)).not.toBe(unwrap(600));
  });
});
