import { randomBytes } from 'node:crypto';
import replayGuard from '@sallyport/replay-guard';
import { createMemoryStore } from '@sallyport/ttl-store';
import fastify from 'fastify';
import { sealRequest } from '../dist/client/index.js';
import { envelopeCrypto } from '../dist/index.js';
import { median } from './interleaved.mjs';

const SIZE = 65_536;

/** The maximum time that the event loop may be blocked, in milliseconds. */
export const MAX_HOLD_MILLIS = 2;

/**
 * Measures how long an envelope of 64 KiB blocks the event loop: the longest turn of the loop from the first byte of a
 * request to the last of its answer. For comparison, the longest turn of an idle loop in as much time: the noise.
 */
export async function timeEventLoop({ backends, requests }, say) {
  const rows = [];
  for (const backend of backends) {
    const app = await startService(backend);
    for (const [name, path, isEchoed] of [
      ['64 KiB in', '/in', false],
      ['64 KiB in and out', '/in-and-out', true],
    ]) {
      const held = [];
      const idle = [];
      for (let i = 0; i < requests; i += 1) {
        const request = sealedRequest(app, path);
        held.push(
          await longestTurn(async () => {
            const response = await app.inject(request);
            if (response.statusCode !== 200) throw new Error(`refused: ${response.body}`);
            if (isEchoed && response.body.length < SIZE) throw new Error('the answer is too short');
          }),
        );
        idle.push(await longestTurn(() => new Promise((resolve) => setTimeout(resolve, 5))));
      }
      const row = { backend, name, heldMillis: spread(held), idleMillis: spread(idle) };
      rows.push(row);
      say(row);
    }
    await app.close();
  }
  return rows;
}

async function startService(backend) {
  const app = fastify({ bodyLimit: 4 * SIZE });
  const privateKey = randomBytes(32).toString('hex');
  await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: 'bench', privateKey, backend, maxPayloadBytes: SIZE });
  await app.register(replayGuard, { store: createMemoryStore() });
  app.post('/in', async ({ body }) => ({ data: JSON.stringify(body).length }));
  app.post('/in-and-out', async ({ body }) => ({ data: body }));
  await app.ready();
  return app;
}

function sealedRequest({ envelopeCrypto }, url) {
  const bootstrap = envelopeCrypto.bootstrap();
  const key = { ...bootstrap, publicKey: Buffer.from(bootstrap.publicKey, 'hex') };
  const binding = { carrier: 'body', method: 'POST', path: url, authorization: '-', idempotencyKey: '-' };
  // With the line feed before it, and its quotation marks, it fills the envelope to the last byte.
  const body = JSON.stringify('x'.repeat(SIZE - 3));
  const { text } = sealRequest(key, { ...binding, timestamp: Date.now(), query: '', body });
  return {
    method: 'POST',
    url,
    payload: text,
    headers: { 'content-type': 'application/json', 'api-encryption': 'v1' },
  };
}

/** The longest time between two turns of the event loop during the work, in milliseconds. */
async function longestTurn(work) {
  let longest = 0;
  let last = performance.now();
  let handle = setImmediate(function measure() {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    handle = setImmediate(measure);
  });
  // Earlier work, such as sealing, must not count.
  await new Promise((resolve) => setImmediate(resolve));
  longest = 0;
  await work();
  longest = Math.max(longest, performance.now() - last);
  clearImmediate(handle);
  return longest;
}

function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: median(values), p95: sorted[Math.floor(sorted.length * 0.95)], max: sorted.at(-1) };
}
