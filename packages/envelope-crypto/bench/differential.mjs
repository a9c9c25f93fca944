// `node packages/envelope-crypto/bench/differential.mjs --cases 1000000 [--seed 7]`, after `pnpm run build`: the kernel
// against the portable implementation, on random and hostile input. It stops at the first difference and prints the
// case.
import { parseArgs } from 'node:util';
import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { weierstrass } from '@noble/curves/abstract/weierstrass.js';

/** GB/T 32918.5-2017, clause 2. */
const Point = weierstrass({
  p: 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffffn,
  n: 0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123n,
  h: 1n,
  a: 0xfffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffcn,
  b: 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93n,
  Gx: 0x32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7n,
  Gy: 0xbc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0n,
});
const n = Point.Fn.ORDER;

const hex = (bytes) => (bytes === null ? 'null' : Buffer.from(bytes).toString('hex'));
const scalarBytes = (value) => new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
const withBitFlipped = (bytes, bit) => bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (0x80 >> (bit & 7)) : byte));

/** xoshiro128**: the same seed gives the same cases. Nothing here is secret. */
export function createRandom(seed) {
  const state = Uint32Array.of(seed, 0x9e3779b9, 0x243f6a88, 0xb7e15162);
  const rotl = (x, k) => (x << k) | (x >>> (32 - k));
  const word = () => {
    const result = Math.imul(rotl(Math.imul(state[1], 5), 7), 9) >>> 0;
    const t = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotl(state[3], 11);
    return result;
  };
  const below = (limit) => word() % limit;
  const bytes = (length) => Uint8Array.from({ length }, () => word() & 0xff);
  for (let i = 0; i < 20; i++) word();
  return { below, bytes, scalar: () => (BigInt(`0x${hex(bytes(32))}`) % (n - 1n)) + 1n };
}

/** Known multiples of G for one addition each: the scalar advances by one of a few random steps. */
export function createMultiples(random) {
  const steps = Array.from({ length: 32 }, () => {
    const scalar = random.scalar();
    return { scalar, point: Point.BASE.multiply(scalar) };
  });
  let last = steps[0];
  let ready = [];
  return function nextMultiple() {
    if (ready.length === 0) {
      const batch = Array.from({ length: 256 }, () => {
        const step = steps[random.below(steps.length)];
        const scalar = (last.scalar + step.scalar) % n;
        last = scalar === 0n ? steps[0] : { scalar, point: last.point.add(step.point) };
        return last;
      });
      const points = normalizeZ(
        Point,
        batch.map(({ point }) => point),
      );
      ready = batch.map(({ scalar }, i) => ({ scalar: scalarBytes(scalar), point: points[i].toBytes(false) }));
    }
    return ready.pop();
  };
}

/**
 * Runs the cases and returns the number of each kind. Throws an error with the input of the first case in which the
 * implementations differ.
 *
 * @typedef {import('../src/suites/index.js').EnvelopeSuite} Suite
 * @param {{ kernel: Suite, portable: Suite, cases: number, seed: number, onProgress?: (done: number) => void }} options
 */
export function runDifferential({ kernel, portable, cases, seed, onProgress = () => {} }) {
  const random = createRandom(seed);
  const nextMultiple = createMultiples(random);
  const counts = {};

  function same(kind, given, actual, expected) {
    if (hex(actual) === hex(expected)) return;
    const input = Object.entries(given).map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : hex(value)}`,
    );
    throw new Error(
      [`${kind} differs (seed ${seed})`, ...input, `kernel: ${hex(actual)}`, `expected: ${hex(expected)}`].join('\n'),
    );
  }
  const bothOpen = (key, iv, aad, ct, kind) =>
    same(kind, { key, iv, aad, ct }, kernel.openMessage(key, iv, aad, ct), portable.openMessage(key, iv, aad, ct));
  const bothUnwrap = (d, ek, kind) => same(kind, { d, ek }, kernel.unwrapBaseKey(d, ek), portable.unwrapBaseKey(d, ek));

  /** Mostly short, sometimes near the edges of blocks and batches, rarely more than a chunk of the kernel. */
  function length() {
    const kind = random.below(1000);
    if (kind < 2) return 65_536 * (1 + random.below(2)) + random.below(40) - 20;
    if (kind < 300) return Math.max(0, 16 * random.below(40) + random.below(3) - 1);
    return random.below(700);
  }

  const kinds = {
    'a multiple of G by either multiplication': {
      weight: 40,
      run() {
        const { scalar, point } = nextMultiple();
        same('public key', { scalar }, kernel.publicKeyOf(scalar), point);
        if (random.below(2) === 0) return;
        const ek = kernel.wrapBaseKey(publicKey, random.bytes(16), scalar);
        same('C1', { scalar, publicKey }, ek.subarray(0, 65), point);
      },
    },
    'a wrapped key, unwrapped by the kernel': {
      weight: 15,
      run() {
        const baseKey = random.bytes(16);
        const { scalar: ephemeral } = nextMultiple();
        const ek = kernel.wrapBaseKey(publicKey, baseKey, ephemeral);
        same('unwrapping', { privateKey, ephemeral, baseKey }, kernel.unwrapBaseKey(privateKey, ek), baseKey);
        const changed = withBitFlipped(ek, 520 + random.below(384));
        same('unwrapping of a changed key', { privateKey, changed }, kernel.unwrapBaseKey(privateKey, changed), null);
      },
    },
    'a wrapped key, by both': {
      weight: 0.3,
      run() {
        const { scalar: ephemeral } = nextMultiple();
        const baseKey = random.bytes(16);
        const ek = kernel.wrapBaseKey(publicKey, baseKey, ephemeral);
        same('wrapping', { ephemeral, baseKey }, ek, portable.wrapBaseKey(publicKey, baseKey, ephemeral));
        bothUnwrap(privateKey, ek, 'unwrapping');
        bothUnwrap(privateKey, withBitFlipped(ek, random.below(8 * ek.length)), 'unwrapping of a changed key');
      },
    },
    'a wrapped key with a point that is none': {
      weight: 10,
      run() {
        const ek = kernel.wrapBaseKey(publicKey, random.bytes(16), nextMultiple().scalar);
        switch (random.below(5)) {
          case 0:
            ek[0] = random.below(256);
            if (ek[0] === 4) return;
            break;
          case 1:
            ek.fill(0xff, 1 + 32 * random.below(2), 5 + 32 * random.below(2));
            break;
          case 2:
            ek.fill(0, 1, 65);
            break;
          case 3:
            ek.set(random.bytes(64), 1);
            break;
          default:
            ek.set(withBitFlipped(ek.subarray(0, 65), 8 + random.below(512)));
        }
        bothUnwrap(privateKey, ek, 'unwrapping of no point');
      },
    },
    'keys unwrapped together': {
      weight: 3,
      run() {
        const keys = Array.from({ length: random.below(20) }, () => {
          const baseKey = random.bytes(16);
          const ek = kernel.wrapBaseKey(publicKey, baseKey, nextMultiple().scalar);
          const kind = random.below(6);
          if (kind === 0) return { ek: withBitFlipped(ek, 520 + random.below(384)), baseKey: null };
          if (kind === 1) return { ek: withBitFlipped(ek, random.below(8)), baseKey: null };
          if (kind === 2) return { ek: ek.subarray(0, random.below(ek.length)), baseKey: null };
          return { ek, baseKey };
        });
        const eks = keys.map(({ ek }) => ek);
        const actual = kernel.unwrapBaseKeys(privateKey, eks);
        const given = { privateKey, eks: eks.map(hex).join(' ') };
        same('the number of keys', given, Uint8Array.of(actual.length), Uint8Array.of(keys.length));
        for (const [i, { baseKey }] of keys.entries()) same(`key ${i}`, given, actual[i], baseKey);
      },
    },
    'a message': {
      weight: 25,
      run() {
        const [key, iv] = [random.bytes(16), random.bytes(12)];
        const [aad, plaintext] = [random.bytes(random.below(300)), random.bytes(length())];
        const ct = kernel.sealMessage(key, iv, aad, plaintext);
        same('sealing', { key, iv, aad, plaintext }, ct, portable.sealMessage(key, iv, aad, plaintext));
        same('opening', { key, iv, aad, ct }, kernel.openMessage(key, iv, aad, ct), plaintext);
        const bit = random.below(8 * ct.length);
        bothOpen(key, iv, aad, withBitFlipped(ct, bit), 'opening of a changed message');
        bothOpen(key, iv, aad, ct.subarray(0, random.below(ct.length)), 'opening of a cut message');
        if (aad.length > 0)
          bothOpen(key, iv, withBitFlipped(aad, random.below(8 * aad.length)), ct, 'opening under another AAD');
      },
    },
    'derived keys': {
      weight: 7,
      run() {
        const [baseKey, nonce] = [random.bytes(16), random.bytes(16)];
        const keyId = hex(random.bytes(32)).slice(0, 1 + random.below(64));
        const [actual, expected] = [kernel, portable].map((suite) => suite.deriveKeys(baseKey, nonce, keyId));
        same('request key', { baseKey, nonce, keyId }, actual.requestKey, expected.requestKey);
        same('response key', { baseKey, nonce, keyId }, actual.responseKey, expected.responseKey);
      },
    },
    'a hashed token': {
      weight: 3,
      run() {
        const token = hex(random.bytes(random.below(200))).slice(random.below(2));
        same('token', { token }, kernel.hashToken(token), portable.hashToken(token));
      },
    },
  };

  let { scalar: privateKey, point: publicKey } = nextMultiple();
  // Each kind is in the list as often as its weight.
  const names = Object.entries(kinds).flatMap(([name, { weight }]) => Array(10 * weight).fill(name));
  for (let i = 0; i < cases; i++) {
    // One key serves some hundred cases, since the kernel builds a table for each key.
    if (i % 300 === 299) ({ scalar: privateKey, point: publicKey } = nextMultiple());
    const name = names[random.below(names.length)];
    kinds[name].run();
    counts[name] = (counts[name] ?? 0) + 1;
    if (i % 10_000 === 9999) onProgress(i + 1);
  }
  return counts;
}

if (process.argv[1]?.endsWith('differential.mjs')) {
  const { values } = parseArgs({
    options: { cases: { type: 'string', default: '100000' }, seed: { type: 'string' } },
  });
  const { createKernelSuite } = await import('../dist/kernel/kernel-suite.js');
  const { sm2Sm4GcmV1: portable } = await import('../dist/suites/index.js');
  const kernel = createKernelSuite();
  if (kernel.kind === 'unavailable') throw new Error(kernel.reason);
  const seed = Number(values.seed ?? Date.now() % 2 ** 32);
  const cases = Number(values.cases);
  const began = Date.now();
  const onProgress = (done) => process.stderr.write(`\r${done} of ${cases}`);
  const counts = runDifferential({ kernel: kernel.suite, portable, cases, seed, onProgress });
  process.stdout.write(
    `\n${cases} cases, no difference, in ${Math.round((Date.now() - began) / 1000)} s (seed ${seed})\n`,
  );
  for (const [kind, count] of Object.entries(counts)) process.stdout.write(`${String(count).padStart(9)}  ${kind}\n`);
}
