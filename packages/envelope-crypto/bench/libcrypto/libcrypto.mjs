import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { compile } from '../compile.mjs';
import { fromDer, toDer } from './der.mjs';

/**
 * OpenSSL's libcrypto, called from C. The loop is compiled, and runs as a process that takes commands and times itself.
 * Without a compiler or libcrypto the contender is missing, and gives the reason.
 */
export async function loadLibcrypto() {
  const compiled = compile(new URL('loop.c', import.meta.url), '-lcrypto');
  if (compiled.missing !== undefined) {
    return { name: 'libcrypto', missing: `needs a C compiler and OpenSSL's headers (libssl-dev): ${compiled.missing}` };
  }
  const child = spawn(compiled.program, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  async function ask(...words) {
    child.stdin.write(`${words.map((word) => (typeof word === 'object' ? hex(word) : word)).join(' ')}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`libcrypto's loop ended at: ${words[0]}`);
    const cut = value.indexOf(' ');
    return { nanoseconds: Number(value.slice(0, cut)), result: value.slice(cut + 1) };
  }

  async function timed(iterations, ...words) {
    const [verb, ...inputs] = words;
    const { nanoseconds, result } = await ask(verb, iterations, ...inputs);
    return { nanoseconds, result: result === '-' ? null : Buffer.from(result, 'hex') };
  }

  const info = (purpose, keyId) => Buffer.from(`sm2-sm4-gcm-v1|${purpose}|${keyId}`);
  const { result: version } = await ask('version');
  return {
    name: 'libcrypto',
    version: `${version}, from C`,
    isTimedBySelf: true,
    useKey: (privateKey) => ask('key', privateKey),
    async wrap(iterations, baseKey) {
      const { nanoseconds, result } = await timed(iterations, 'wrap', baseKey);
      return { nanoseconds, result: result && fromDer(result) };
    },
    unwrap: (iterations, ek) => timed(iterations, 'unwrap', toDer(ek)),
    seal: (iterations, ...inputs) => timed(iterations, 'seal', ...inputs),
    open: (iterations, ...inputs) => timed(iterations, 'open', ...inputs),
    serverSide: (iterations, { ek, nonce, keyId, iv, aad, ct }) =>
      timed(iterations, 'server', toDer(ek), nonce, info('request', keyId), info('response', keyId), iv, aad, ct),
    async close() {
      child.stdin.end();
      compiled.remove();
    },
  };
}

const hex = (bytes) => (bytes.length === 0 ? '-' : Buffer.from(bytes).toString('hex'));
