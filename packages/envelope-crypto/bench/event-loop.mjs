import { randomBytes } from 'node:crypto';
import replayGuard from '@sallyport/replay-guard';
import { createMemoryStore } from '@sallyport/ttl-store';
import fastify from 'fastify';
import { sealRequest } from '../dist/client/index.js';
import { envelopeCrypto } from '../dist/index.js';
import { median } from './interleaved.mjs';

const SIZE = 65_536;

/** The longest hold that the project allows itself, in milliseconds. */
export const HOLD_LIMIT_MILLIS = 2;

/**
 * How long an envelope of 64 KiB holds the event loop: the longest turn of the loop while a request is served, from its
 * first byte to the last of its answer. Beside it what an idle loop's longest turn is in as much time: the noise.
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
  // With the line feed in front of it, and its own quotation marks, it fills the envelope to the last byte.
  const body = JSON.stringify('x'.repeat(SIZE - 3));
  const { text } = sealRequest(key, { ...binding, timestamp: Date.now(), query: '', body });
  return {
    method: 'POST',
    url,
    payload: text,
    headers: { 'content-type': 'application/json', 'api-encryption': 'v1' },
  };
}

/** The longest time between two turns of the event loop while the work is under way, in milliseconds. */
async function longestTurn(work) {
  let longest = 0;
  let last = performance.now();
  let handle = setImmediate(function measure() {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    handle = setImmediate(measure);
  });
  // What was done before, such as sealing, must not count.
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
