// `node packages/envelope-crypto/bench/timing-leaks.mjs [--samples 20000] [--portable]`, after `pnpm run build`: tests
// whether the kernel's time depends on its secrets. Two classes of input are timed in random order, and Welch's t tests
// whether their means differ (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", 2017). |t| above 4.5 is
// a leak. Below each comparison is one of a class with itself, which shows the machine's noise.
import { randomBytes, randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { sealRequest } from '../dist/client/index.js';
import { createKernelSuite } from '../dist/kernel/kernel-suite.js';
import { createEnvelopeOpener } from '../dist/server/envelope-engine.js';
import { sm2Sm4GcmV1 as portable } from '../dist/suites/index.js';

const { values } = parseArgs({
  options: { samples: { type: 'string', default: '20000' }, portable: { type: 'boolean', default: false } },
});
const samples = Number(values.samples);
const say = (line) => process.stdout.write(`${line}\n`);

const kernel = createKernelSuite();
if (kernel.kind === 'unavailable') throw new Error(kernel.reason);

/** The slowest tenth is dropped: it is other work of the machine, in both classes. */
const KEPT = 0.9;
const LEAK = 4.5;
const VARIANTS = 64;

/** Mean and variance of the mean. */
function summarize(times) {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (times.length - 1);
  return { mean, variance: variance / times.length };
}

/** Times both classes in random order. A class is a function of the number of a variant. */
async function compare(one, other, { calls, count }) {
  const taken = [[], []];
  for (let i = -count / 4; i < count; i++) {
    const choice = randomInt(2);
    const run = choice === 0 ? one : other;
    const variant = randomInt(VARIANTS);
    const began = process.hrtime.bigint();
    for (let call = 0; call < calls; call++) await run(variant);
    const time = Number(process.hrtime.bigint() - began) / calls;
    if (i >= 0) taken[choice].push(time);
  }
  const limit = taken.flat().sort((a, b) => a - b)[Math.floor(KEPT * count)];
  const [a, b] = taken.map((times) => summarize(times.filter((time) => time < limit)));
  const error = Math.sqrt(a.variance + b.variance);
  return { mean: a.mean, difference: b.mean - a.mean, error, t: (b.mean - a.mean) / error };
}

function report(name, { mean, difference, error, t }) {
  const percent = ((100 * difference) / mean).toFixed(3);
  const verdict = Math.abs(t) > LEAK ? 'DIFFERENT' : 'the same';
  say(
    `  ${name.padEnd(34)} ${(mean / 1000).toFixed(2).padStart(9)} µs  difference ${difference.toFixed(1).padStart(8)} ± ${(2 * error).toFixed(1)} ns (${percent} %)  t = ${t.toFixed(2).padStart(6)}  ${verdict}`,
  );
}

async function measure(name, one, other, { calls = 1, count = samples } = {}) {
  say(name);
  report('one class and the other', await compare(one, other, { calls, count }));
  report('one class and itself (the noise)', await compare(one, one, { calls, count }));
}

const variants = (make) => Array.from({ length: VARIANTS }, (_, i) => make(i));
const withLastByteChanged = (bytes) => bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte));
const changedAt = (bytes, at) => bytes.map((byte, i) => (i === at ? byte ^ 0x80 : byte));

const iv = new Uint8Array(12);
const aad = randomBytes(200);
const random16 = () => new Uint8Array(randomBytes(16));

/** All digits are 31 or −31 in the dense key, and 1 or −1 in the sparse one. */
const dense = new Uint8Array(32).fill(0xff, 4).fill(0x7f, 0, 4);
const sparse = new Uint8Array(32).fill(0x80, 0, 1).fill(1, 31);

async function measureUnwrapping(label, suite, options) {
  const [forDense, forSparse] = [dense, sparse].map((key) => {
    const publicKey = kernel.suite.publicKeyOf(key);
    return variants(() => kernel.suite.wrapBaseKey(publicKey, random16()));
  });
  await measure(
    `${label}: unwrapping by a dense and by a sparse private key`,
    (i) => suite.unwrapBaseKey(dense, forDense[i]),
    (i) => suite.unwrapBaseKey(sparse, forSparse[i]),
    options,
  );
  const forged = forDense.map((ek) => changedAt(ek, 70));
  await measure(
    `${label}: unwrapping with a right C3 and with a wrong one`,
    (i) => suite.unwrapBaseKey(dense, forDense[i]),
    (i) => suite.unwrapBaseKey(dense, forged[i]),
    options,
  );
}

say(`${process.version}, ${samples} samples a row`);
await measureUnwrapping('kernel', kernel.suite);

{
  const { suite } = kernel;
  const publicKey = suite.publicKeyOf(dense);
  // The engine's opening of an envelope. After a wrong C3 it continues with a random key (envelope-v1.md, step 4).
  const now = Date.now();
  const opener = createEnvelopeOpener({
    suite,
    keys: { has: () => true, unwrap: (_keyId, ek) => suite.unwrapBaseKey(dense, ek) },
    timestampWindowSeconds: 300,
    maxPayloadBytes: 65_536,
  });
  const binding = { carrier: 'body', method: 'POST', path: '/admin/payments', authorization: '-', idempotencyKey: '-' };
  const envelopes = variants(() => {
    const request = { ...binding, timestamp: now, query: '', body: JSON.stringify({ note: 'x'.repeat(1000) }) };
    return JSON.parse(sealRequest({ keyId: 'k', publicKey, maxPayloadBytes: 65_536 }, request).text);
  });
  const withChanged = (member) =>
    envelopes.map((envelope) => {
      const changed = withLastByteChanged(Buffer.from(envelope[member], 'base64url'));
      return Buffer.from(JSON.stringify({ ...envelope, [member]: Buffer.from(changed).toString('base64url') }));
    });
  const [wrongTag, wrongKey] = [withChanged('ct'), withChanged('ek')];
  const refuse = async (text) => {
    const { code } = await opener.open(text, binding, now).catch((error) => error);
    if (code !== 'ENVELOPE_REJECTED') throw new Error(`not refused: ${code}`);
  };
  await measure(
    'kernel: an envelope with a wrong tag and one with a wrong wrapped key',
    (i) => refuse(wrongTag[i]),
    (i) => refuse(wrongKey[i]),
  );

  const key = random16();
  const sealed = variants(() => suite.sealMessage(key, iv, aad, randomBytes(256)));
  const [atFirst, atLast] = [256, 271].map((at) => sealed.map((ct) => changedAt(ct, at)));
  await measure(
    'kernel: a tag that is wrong in its first byte and in its last',
    (i) => suite.openMessage(key, iv, aad, atFirst[i]),
    (i) => suite.openMessage(key, iv, aad, atLast[i]),
    { calls: 16 },
  );

  const zeros = { key: new Uint8Array(16), plaintext: new Uint8Array(1024) };
  const texts = variants(() => ({ key: random16(), plaintext: new Uint8Array(randomBytes(1024)) }));
  const allZeros = variants(() => zeros);
  await measure(
    'kernel: sealing of random bytes by random keys, and of zeros by zeros',
    (i) => suite.sealMessage(texts[i].key, iv, aad, texts[i].plaintext),
    (i) => suite.sealMessage(allZeros[i].key, iv, aad, allZeros[i].plaintext),
    { calls: 8 },
  );
}

// For comparison: BigInt arithmetic is not constant time, and its time depends on the key.
if (values.portable) await measureUnwrapping('portable', portable, { count: Math.ceil(samples / 20) });
