import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { createEnvelopeClient, sealRequest } from '../../dist/client/index.js';
import { kernel } from '../../dist/client/kernel.js';
import { bindAuthorization } from '../../dist/request-binding.js';
import { sm2Sm4GcmV1 } from '../../dist/suites/sm2-sm4-gcm-v1.js';
import { median } from '../interleaved.mjs';

const CONNECTIONS = 20;

/** Requests of one turn, so that each takes a second or two. */
const AMOUNTS = { bare: 20_000, plaintext: 10_000, kernel: 8000, portable: 600 };

/** About 0.9 KiB of JSON. */
const BODY = JSON.stringify({ payee: 'Ada Lovelace', amount: '12.50', note: 'n'.repeat(850) });

const made = kernel();
const suite = made.kind === 'ready' ? made.suite : sm2Sm4GcmV1;

/** Starts a server of `server.mjs`. */
async function startServer(kind, environment = {}) {
  const file = fileURLToPath(new URL('server.mjs', import.meta.url));
  const child = spawn(process.execPath, [file, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const stop = async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    };
    return { ...JSON.parse(line), stop };
  }
  throw new Error(`the server "${kind}" did not start`);
}

/** What autocannon is told for plaintext requests. */
function plaintextLoad({ authorization }) {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  return { requests: [{ method: 'POST', path: '/bench', headers, body: BODY }] };
}

/** What autocannon is told for encrypted requests: an envelope is good for one, so each was sealed before. */
function sealedLoad({ authorization, bootstrap }, count) {
  const key = { ...bootstrap, publicKey: Buffer.from(bootstrap.publicKey, 'hex') };
  const binding = {
    carrier: 'body',
    method: 'POST',
    path: '/bench',
    authorization: bindAuthorization(authorization, suite),
    idempotencyKey: '-',
  };
  const envelopes = Array.from(
    // Each connection makes one ready that it doesn't send.
    { length: count + CONNECTIONS },
    () => sealRequest(key, { ...binding, timestamp: Date.now(), query: '', body: BODY }, undefined, suite).text,
  );
  const headers = { 'content-type': 'application/json', 'api-encryption': 'v1', authorization };
  const setupRequest = (request) => {
    const body = envelopes.pop();
    if (body === undefined) throw new Error('more requests were sent than envelopes were sealed');
    return { ...request, body };
  };
  return { requests: [{ method: 'POST', path: '/bench', headers, setupRequest }] };
}

async function load(server, { requests }, amount) {
  const result = await autocannon({ url: server.origin, connections: CONNECTIONS, amount, requests });
  const { '2xx': answered, non2xx, errors, timeouts, statusCodeStats } = result;
  if (answered !== amount || non2xx + errors + timeouts > 0) {
    throw new Error(`${non2xx} refusals, ${errors} errors, ${timeouts} time-outs: ${JSON.stringify(statusCodeStats)}`);
  }
  return { perSecond: (1000 * amount) / (result.finish - result.start), p99Millis: result.latency.p99 };
}

/** One request of the whole server, opened by the client, before anything is timed. */
async function proveServer({ origin, authorization }) {
  const client = createEnvelopeClient({ baseUrl: origin });
  const response = await client.fetch('/bench', { method: 'POST', headers: { authorization }, body: BODY });
  const { data } = await response.json();
  if (JSON.stringify(data) !== BODY) throw new Error('the encrypted answer is not what was sent');
}

/**
 * Requests a second of bare Fastify, of the whole pipeline in plaintext, and of the whole pipeline in envelopes with each
 * backend, one process each; in every round each has its turn, and `share` of the usual number of requests.
 */
export async function timePipeline({ rounds, share, backends }, say) {
  const bare = await startServer('bare');
  const whole = {};
  for (const backend of backends) {
    whole[backend] = await startServer('whole', {
      SERVICE_API_ENCRYPTION_BACKEND: backend,
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: privateKey(),
    });
    if (whole[backend].backend?.name !== backend) throw new Error(`the server took another backend than ${backend}`);
    await proveServer(whole[backend]);
  }
  const [first] = backends;
  const amountOf = (kind) => Math.ceil(AMOUNTS[kind] * share);
  const contenders = {
    'bare Fastify': () => load(bare, plaintextLoad(bare), amountOf('bare')),
    'whole pipeline, plaintext': () => load(whole[first], plaintextLoad(whole[first]), amountOf('plaintext')),
  };
  for (const backend of backends) {
    const amount = amountOf(backend);
    contenders[`whole pipeline, encrypted, ${backend}`] = () =>
      load(whole[backend], sealedLoad(whole[backend], amount), amount);
  }
  const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  try {
    // The first round warms up what is timed in the others.
    for (const contender of Object.values(contenders)) await contender();
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, contender] of Object.entries(contenders)) results[name].push(await contender());
    }
  } finally {
    for (const server of [bare, ...Object.values(whole)]) await server.stop();
  }
  const [reference] = Object.keys(contenders);
  return Object.entries(results).map(([name, measured]) => {
    const row = {
      name,
      requestsPerSecond: Math.round(median(measured.map(({ perSecond }) => perSecond))),
      p99Millis: median(measured.map(({ p99Millis }) => p99Millis)),
      ofBare: median(measured.map(({ perSecond }, i) => perSecond / results[reference][i].perSecond)),
    };
    say(row);
    return row;
  });
}

function privateKey() {
  return Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(32))).toString('hex');
}
