import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createKernelSuite } from '../../src/kernel/kernel-suite.js';
import { embeddedKernel, type Kernel, loadKernel } from '../../src/kernel/load-kernel.js';
import type { EnvelopeSuite } from '../../src/suites/index.js';
import { bytes, hex, utf8, withBitFlipped } from '../vector-files.js';

interface Api {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Record<string, unknown> };
}

/** A suite that exposes its kernel's memory and calls. */
function createObservedSuite(): { suite: EnvelopeSuite; memory: () => Buffer; calls: string[] } {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: Api };
  const calls: string[] = [];
  let memory: Uint8Array | null = null;
  vi.stubGlobal('WebAssembly', {
    Module: WebAssembly.Module,
    Instance: class {
      readonly exports: Record<string, unknown>;
      constructor(module: object) {
        const { exports } = new WebAssembly.Instance(module);
        memory = new Uint8Array((exports.memory as { buffer: ArrayBuffer }).buffer);
        const observed = Object.entries(exports).map(([name, value]) => {
          if (typeof value !== 'function') return [name, value];
          const call = (...args: unknown[]) => {
            calls.push(name);
            return value(...args);
          };
          return [name, call];
        });
        this.exports = Object.fromEntries(observed);
      }
    },
  });
  const kernel = createKernelSuite();
  if (kernel.kind === 'unavailable') throw new Error(kernel.reason);
  return { suite: kernel.suite, memory: () => Buffer.from(memory!), calls };
}

const privateKey = bytes('3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8');
const baseKey = bytes('a1fa5490ae8552ca67874db08047fe24');
const iv = bytes('00001234567800000000abcd');
const secret = utf8('the plaintext that nobody else may read, '.repeat(3000));

describe('the kernel’s memory', () => {
  let observed: ReturnType<typeof createObservedSuite>;
  let suite: EnvelopeSuite;
  let publicKey: Uint8Array;
  let addresses: Kernel['at'];
  beforeAll(() => {
    addresses = loadKernel(embeddedKernel()).at;
    observed = createObservedSuite();
    ({ suite } = observed);
    publicKey = suite.publicKeyOf(privateKey);
    suite.wrapBaseKey(publicKey, baseKey);
  });
  afterAll(() => vi.unstubAllGlobals());

  it('ENV-8 contains no key, scalar or plaintext after any call, successful or not', () => {
    const before = observed.memory();
    const untouched = (name: string, verb: () => unknown) => {
      verb();
      const after = observed.memory();
      expect(after.equals(before), name).toBe(true);
      // The areas of arguments, work and chunks contain only zeros.
      const { SCALAR, CHUNK, CHUNK_BYTES } = addresses;
      expect(
        after.subarray(SCALAR - 16, CHUNK + CHUNK_BYTES).every((byte) => byte === 0),
        name,
      ).toBe(true);
    };
    const ek = suite.wrapBaseKey(publicKey, baseKey);
    const ct = suite.sealMessage(baseKey, iv, secret, secret);
    const keyOutOfRange = new Uint8Array(32).fill(0xff);
    untouched('publicKeyOf', () => suite.publicKeyOf(privateKey));
    untouched('publicKeyOf, out of range', () => expect(() => suite.publicKeyOf(keyOutOfRange)).toThrow(RangeError));
    untouched('wrapBaseKey', () => suite.wrapBaseKey(publicKey, baseKey));
    untouched('wrapBaseKey, given scalar', () => suite.wrapBaseKey(publicKey, baseKey, privateKey));
    untouched('wrapBaseKey, out of range', () =>
      expect(() => suite.wrapBaseKey(publicKey, baseKey, keyOutOfRange)).toThrow(RangeError),
    );
    untouched('unwrapBaseKey', () => expect(hex(suite.unwrapBaseKey(privateKey, ek))).toBe(hex(baseKey)));
    for (const bit of [0, 8, 519, 520, 903]) {
      untouched(`unwrapBaseKey, bit ${bit}`, () =>
        expect(suite.unwrapBaseKey(privateKey, withBitFlipped(ek, bit))).toBeNull(),
      );
    }
    untouched('unwrapBaseKeys', () => {
      const eks = [ek, withBitFlipped(ek, 8), ek, withBitFlipped(ek, 903), ek, ek, ek, ek, ek];
      expect(suite.unwrapBaseKeys!(privateKey, eks).filter((opened) => opened !== null)).toHaveLength(7);
    });
    untouched('unwrapBaseKeys, out of range', () =>
      expect(() => suite.unwrapBaseKeys!(keyOutOfRange, [ek, ek])).toThrow(RangeError),
    );
    untouched('deriveKeys', () => suite.deriveKeys(baseKey, baseKey, '2026-11'));
    untouched('deriveKeys, id too long', () =>
      expect(() => suite.deriveKeys(baseKey, baseKey, 'k'.repeat(300))).toThrow(RangeError),
    );
    untouched('sealMessage', () => suite.sealMessage(baseKey, iv, secret, secret));
    untouched('openMessage', () => expect(suite.openMessage(baseKey, iv, secret, ct)).toHaveLength(secret.length));
    untouched('openMessage, wrong tag', () => expect(suite.openMessage(baseKey, iv, iv, ct)).toBeNull());
    untouched('openMessage, short', () => {
      const short = suite.sealMessage(baseKey, iv, iv, secret.subarray(0, 70));
      expect(suite.openMessage(baseKey, iv, iv, short)).toHaveLength(70);
    });
    untouched('hashToken', () => suite.hashToken('a token, '.repeat(20_000)));
  });

  it('ENV-8 keeps tables of public keys only, and another public key replaces them', () => {
    const other = suite.publicKeyOf(bytes('0000000000000000000000000000000000000000000000000000000000abcdef'));
    const before = observed.memory();
    suite.wrapBaseKey(other, baseKey);
    expect(observed.memory().equals(before)).toBe(false);
    suite.wrapBaseKey(publicKey, baseKey);
    expect(observed.memory().equals(before)).toBe(true);
  });

  it('ENV-8 EC-18 decrypts nothing of a message before its tag was found right', () => {
    const ct = suite.sealMessage(baseKey, iv, iv, secret);
    observed.calls.length = 0;
    for (const changed of [withBitFlipped(ct, 3), withBitFlipped(ct, 8 * ct.length - 1), ct.subarray(1)]) {
      expect(suite.openMessage(baseKey, iv, iv, changed)).toBeNull();
    }
    expect(observed.calls).toContain('isTag');
    expect(observed.calls).not.toContain('openPart');
    expect(suite.openMessage(baseKey, iv, iv, ct)).not.toBeNull();
    expect(observed.calls.filter((name) => name === 'isTag' || name === 'openPart').slice(-3)).toEqual([
      'isTag',
      'openPart',
      'openPart',
    ]);
  });

  it('ENV-8 has a fixed size, and too long inputs stop the kernel before any access', () => {
    const { functions, at, memory } = loadKernel(embeddedKernel());
    const before = Buffer.from(memory);
    functions.beginMessage();
    functions.beginDigest();
    for (const length of [at.CHUNK_BYTES + 1, 0x7fffffff, -1, 2 ** 31, 0xffffffff]) {
      for (const verb of [
        'absorbAad',
        'sealPart',
        'absorbCiphertext',
        'openPart',
        'updateDigest',
        'wipeAll',
      ] as const) {
        expect(() => functions[verb](length), `${verb}(${length})`).toThrow(/unreachable/);
      }
      expect(() => functions.expandKey(length)).toThrow(/unreachable/);
    }
    expect(() => functions.expandKey(128)).toThrow(/unreachable/);
    for (const keys of [at.MAX_KEYS + 1, 0x7fffffff, -1]) expect(() => functions.unwrap(keys)).toThrow(/unreachable/);
    functions.wipeAll(at.CHUNK_BYTES);
    expect(before.equals(memory)).toBe(true);
    expect((memory.buffer as ArrayBuffer).byteLength).toBe(8 * 65_536);
  });
});
