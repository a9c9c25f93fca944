// `node packages/envelope-crypto/bench/timing-leaks.mjs [--samples 20000] [--portable]`, after `pnpm run build`: tests
// whether the kernel's time depends on its secrets (requirement ENV-13). Two classes of input are timed in random
// order, and Welch's t tests whether their means differ (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant
// time?", 2017). |t| above 4.5 is a leak. Below each comparison is one of a class with itself, which shows the
// machine's noise.
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

/**
 * Times both classes in random order. One function serves both, so that the engine compiles one; a class is its inputs
 * alone, and what `make` makes of them is allocated in turns, so that both lie in memory in the same way.
 */
async function compare(operate, [one, other], { calls, count }) {
  const taken = [[], []];
  const inputs = [[], []];
  for (let i = 0; i < VARIANTS; i++)
    for (const choice of i % 2 ? [0, 1] : [1, 0]) inputs[choice][i] = [one, other][choice](i);
  for (let i = -count / 4; i < count; i++) {
    const choice = randomInt(2);
    const input = inputs[choice][randomInt(VARIANTS)];
    const began = process.hrtime.bigint();
    for (let call = 0; call < calls; call++) await operate(input);
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

/** `one` and `other` make a new input of their class from the number of a variant. */
async function measure(name, operate, one, other, { calls = 1, count = samples } = {}) {
  say(name);
  report('one class and the other', await compare(operate, [one, other], { calls, count }));
  report('one class and itself (the noise)', await compare(operate, [one, one], { calls, count }));
}

const withLastByteChanged = (bytes) => bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte));
const changedAt = (bytes, at) => bytes.map((byte, i) => (i === at ? byte ^ 0x80 : byte));

const iv = new Uint8Array(12);
const aad = randomBytes(200);
const random16 = () => new Uint8Array(randomBytes(16));

/** All digits are 31 or −31 in the dense key, and 1 or −1 in the sparse one. */
const dense = new Uint8Array(32).fill(0xff, 4).fill(0x7f, 0, 4);
const sparse = new Uint8Array(32).fill(0x80, 0, 1).fill(1, 31);

async function measureUnwrapping(label, suite, options) {
  // Returns nothing: `await` takes longer for bytes than for null.
  const unwrap = ({ key, ek }) => void suite.unwrapBaseKey(key, ek);
  const wrappedFor = (key) => {
    const publicKey = kernel.suite.publicKeyOf(key);
    return () => ({ key: key.slice(), ek: kernel.suite.wrapBaseKey(publicKey, random16()).slice() });
  };
  const ofDense = wrappedFor(dense);
  const forged = () => {
    const { key, ek } = ofDense();
    return { key, ek: changedAt(ek, 70) };
  };
  await measure(
    `${label}: unwrapping by a dense and by a sparse private key`,
    unwrap,
    ofDense,
    wrappedFor(sparse),
    options,
  );
  await measure(`${label}: unwrapping with a right C3 and with a wrong one`, unwrap, ofDense, forged, options);
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
  const envelope = () => {
    const request = { ...binding, timestamp: now, query: '', body: JSON.stringify({ note: 'x'.repeat(1000) }) };
    return JSON.parse(sealRequest({ keyId: 'k', publicKey, maxPayloadBytes: 65_536 }, request).text);
  };
  const withWrong = (member) => () => {
    const members = envelope();
    const changed = withLastByteChanged(Buffer.from(members[member], 'base64url'));
    return Buffer.from(JSON.stringify({ ...members, [member]: Buffer.from(changed).toString('base64url') }));
  };
  const refuse = async (text) => {
    const { code } = await opener.open(text, binding, now).catch((error) => error);
    if (code !== 'ENVELOPE_REJECTED') throw new Error(`not refused: ${code}`);
  };
  await measure(
    'kernel: an envelope with a wrong tag and one with a wrong wrapped key',
    refuse,
    withWrong('ct'),
    withWrong('ek'),
  );

  const key = random16();
  const wrongAt = (at) => () => changedAt(suite.sealMessage(key, iv, aad, randomBytes(256)), at);
  await measure(
    'kernel: a tag that is wrong in its first byte and in its last',
    (ct) => suite.openMessage(key, iv, aad, ct),
    wrongAt(256),
    wrongAt(271),
    { calls: 16 },
  );

  await measure(
    'kernel: sealing of random bytes by random keys, and of zeros by zeros',
    (text) => suite.sealMessage(text.key, iv, aad, text.plaintext),
    () => ({ key: random16(), plaintext: new Uint8Array(randomBytes(1024)) }),
    () => ({ key: new Uint8Array(16), plaintext: new Uint8Array(1024) }),
    { calls: 8 },
  );

  const batch = () => Array.from({ length: 8 }, () => suite.wrapBaseKey(publicKey, random16()).slice());
  const withForged = () => batch().map((ek, i) => (i % 2 === 0 ? ek.slice() : changedAt(ek, 70)));
  await measure(
    'kernel: a batch of eight keys that open, and one in which half of them do not',
    (eks) => suite.unwrapBaseKeys(dense, eks),
    () => batch().map((ek) => ek.slice()),
    withForged,
  );
}

// For comparison: BigInt arithmetic is not constant time, and its time depends on the key.
if (values.portable) await measureUnwrapping('portable', portable, { count: Math.ceil(samples / 20) });
