import { randomBytes } from 'node:crypto';
import { randomSm2Scalar, sm2PublicKey } from '../dist/gm/index.js';
import { sm2Sm4GcmV1 as portable } from '../dist/suites/index.js';
import { inProcess, timeInTurns } from './interleaved.mjs';
import { loadLibcrypto } from './libcrypto/libcrypto.mjs';
import { loadEnvelopeSuites } from './peers/envelope-suites.mjs';
import { loadGmCrypto } from './peers/gm-crypto.mjs';
import { loadNodeCrypto } from './peers/node-crypto.mjs';
import { loadSmCrypto } from './peers/sm-crypto.mjs';
import { loadSmCryptoV2 } from './peers/sm-crypto-v2.mjs';

const SIZES = { '256 B': 256, '1 KiB': 1024, '4 KiB': 4096, '64 KiB': 65_536 };

const privateKey = randomSm2Scalar();
const publicKey = sm2PublicKey(privateKey);
/**
 * gm-crypto loses a leading zero digit of a message, so one base key in 16 would give a wrong result instead of a time.
 */
const baseKey = randomBytes(16).map((byte, i) => (i === 0 ? byte | 0x80 : byte));
const key = randomBytes(16);
const iv = randomBytes(12);
const aad = Buffer.from(`v1\nsm2-sm4-gcm-v1\n2026-11\nbody\n1763700000000\n${'n'.repeat(22)}\nPOST\n/payments\n-\n-`);

/** The contenders, and the missing ones with the reason. */
export async function loadContenders() {
  const all = [
    ...loadEnvelopeSuites(),
    loadSmCryptoV2(),
    loadSmCrypto(),
    loadGmCrypto(),
    loadNodeCrypto(),
    await loadLibcrypto(),
  ];
  const contenders = all.filter(({ missing }) => missing === undefined);
  for (const contender of contenders) await contender.useKey?.(privateKey);
  return { contenders, missing: all.filter(({ missing }) => missing !== undefined) };
}

/** Times every operation of every contender that has it, after a test of its result. */
export async function timeOperations(contenders, rounds, say) {
  const operations = [
    ['SM2 unwrap', unwrapping()],
    ['SM2 wrap', wrapping()],
    ...Object.entries(SIZES).map(([size, bytes]) => [`SM4-GCM seal and open, ${size}`, sealing(bytes)]),
    ['server side, 1 KiB in and out', servingOne()],
  ];
  const rows = [];
  for (const [operation, { needs, prove, task, timedBySelf }] of operations) {
    const able = contenders.filter((contender) => needs.every((verb) => contender[verb] !== undefined));
    const tasks = {};
    for (const contender of able) {
      await prove(contender);
      tasks[contender.name] = contender.isTimedBySelf ? timedBySelf(contender) : inProcess(task(contender));
    }
    const microseconds = await timeInTurns(tasks, rounds);
    rows.push({ operation, microseconds });
    say(operation, microseconds);
  }
  return rows;
}

function unwrapping() {
  const ek = portable.wrapBaseKey(publicKey, baseKey);
  const altered = Uint8Array.from(ek, (byte, i) => (i === ek.length - 1 ? byte ^ 1 : byte));
  return {
    needs: ['unwrap'],
    async prove(contender) {
      const unwrap = async (bytes) =>
        contender.isTimedBySelf ? (await contender.unwrap(1, bytes)).result : contender.unwrap(privateKey, bytes);
      requireSame(contender, 'unwrap', await unwrap(ek), baseKey);
      const opened = await unwrap(altered);
      if (opened !== null && opened.length > 0) throw new Error(`${contender.name} unwraps what was altered`);
    },
    task: (contender) => () => contender.unwrap(privateKey, ek),
    timedBySelf: (contender) => async (iterations) => (await contender.unwrap(iterations, ek)).nanoseconds,
  };
}

function wrapping() {
  return {
    needs: ['wrap'],
    async prove(contender) {
      const ek = contender.isTimedBySelf
        ? (await contender.wrap(1, baseKey)).result
        : contender.wrap(publicKey, baseKey);
      requireSame(contender, 'wrap', portable.unwrapBaseKey(privateKey, ek), baseKey);
    },
    task: (contender) => () => contender.wrap(publicKey, baseKey),
    timedBySelf: (contender) => async (iterations) => (await contender.wrap(iterations, baseKey)).nanoseconds,
  };
}

function sealing(bytes) {
  const plaintext = randomBytes(bytes);
  const sealed = portable.sealMessage(key, iv, aad, plaintext);
  return {
    needs: ['seal', 'open'],
    async prove(contender) {
      const own = contender.isTimedBySelf
        ? (await contender.seal(1, key, iv, aad, plaintext)).result
        : contender.seal(key, iv, aad, plaintext);
      requireSame(contender, 'seal', own, sealed);
      const opened = contender.isTimedBySelf
        ? (await contender.open(1, key, iv, aad, sealed)).result
        : contender.open(key, iv, aad, sealed);
      requireSame(contender, 'open', opened, plaintext);
    },
    task: (contender) => () => contender.open(key, iv, aad, contender.seal(key, iv, aad, plaintext)),
    timedBySelf: (contender) => async (iterations) => {
      const { nanoseconds } = await contender.seal(iterations, key, iv, aad, plaintext);
      return nanoseconds + (await contender.open(iterations, key, iv, aad, sealed)).nanoseconds;
    },
  };
}

/** The service's work for one request: unwrap, derive both keys, open 1 KiB, and seal as much for the response. */
function servingOne() {
  const plaintext = randomBytes(1024);
  const [nonce, keyId] = [randomBytes(16), '2026-11'];
  const { requestKey, responseKey } = portable.deriveKeys(baseKey, nonce, keyId);
  const ct = portable.sealMessage(requestKey, iv, aad, plaintext);
  const request = { ek: portable.wrapBaseKey(publicKey, baseKey), nonce, keyId, iv, aad, ct };
  const answer = portable.sealMessage(responseKey, iv, aad, plaintext);
  return {
    needs: ['serverSide'],
    async prove(contender) {
      const own = contender.isTimedBySelf
        ? (await contender.serverSide(1, request)).result
        : contender.serverSide(privateKey, request);
      requireSame(contender, 'server side', own, answer);
    },
    task: (contender) => () => contender.serverSide(privateKey, request),
    timedBySelf: (contender) => async (iterations) => (await contender.serverSide(iterations, request)).nanoseconds,
  };
}

function requireSame({ name }, verb, bytes, expected) {
  if (bytes !== null && Buffer.compare(Buffer.from(bytes), Buffer.from(expected)) === 0) return;
  throw new Error(`${name} is wrong: ${verb}`);
}
