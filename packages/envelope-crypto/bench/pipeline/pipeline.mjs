import { startChild } from '../../../../examples/reference-server/bench/child-process.mjs';
import { createEnvelopeClient, sealRequest } from '../../dist/client/index.js';
import { kernel } from '../../dist/client/kernel.js';
import { sm2Sm4GcmV1 } from '../../dist/suites/index.js';
import { bindAuthorization } from '../../dist/wire/request-binding.js';
import { median } from '../interleaved.mjs';
import { withStolenTime } from '../stolen-time.mjs';
import { openGenerator } from './generator.mjs';

const CONNECTIONS = 32;

/** A turn in which a virtual machine's host took more of its processors is repeated, a few times. */
const MAX_STOLEN_SHARE = 0.02;
const ATTEMPTS = 3;

/** Requests per turn, so that most turns take a second: other work of the machine changes between turns. */
const AMOUNTS = { bare: 24_000, plaintext: 8000, kernel: 8000, portable: 150 };

/**
 * Warm-up requests before the measurement: the first thousands run uncompiled code.
 */
const WARM_UPS = { bare: 30_000, plaintext: 15_000, kernel: 15_000, portable: 600 };

/** About 0.9 KiB of JSON. */
const BODY = JSON.stringify({ payee: 'Ada Lovelace', amount: '12.50', note: 'n'.repeat(850) });

const PATH = '/bench';

const made = kernel();
const suite = made.kind === 'ready' ? made.suite : sm2Sm4GcmV1;

/** Starts a server of `server.mjs`. */
async function startServer(server, backend) {
  const child = await startChild(new URL('server.mjs', import.meta.url).href);
  const started = await child.ask({ kind: 'start', server, backend, privateKey: privateKey() });
  if (backend !== undefined && started.backend !== backend) {
    throw new Error(`the server took another backend than ${backend}`);
  }
  return {
    ...started,
    /** Processor time so far, in microseconds. */
    cpu: () => child.ask({ kind: 'cpu' }),
    async stop() {
      await child.ask({ kind: 'stop' });
      await child.end();
    },
  };
}

/** The generator's options for plaintext requests. */
function plaintextLoad({ authorization }, amount) {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  return { headers, bodies: [BODY], amount };
}

/** The generator's options for encrypted requests. An envelope serves once, so each is sealed beforehand. */
function sealedLoad({ authorization, bootstrap }, amount) {
  const key = { ...bootstrap, publicKey: Buffer.from(bootstrap.publicKey, 'hex') };
  const binding = {
    carrier: 'body',
    method: 'POST',
    path: PATH,
    authorization: bindAuthorization(authorization, suite),
    idempotencyKey: '-',
  };
  const bodies = Array.from(
    { length: amount },
    () => sealRequest(key, { ...binding, timestamp: Date.now(), query: '', body: BODY }, undefined, suite).text,
  );
  return { headers: { 'content-type': 'application/json', 'api-encryption': 'v1', authorization }, bodies, amount };
}

/** One request, opened by the client, before the measurement. */
async function proveServer({ origin, authorization }) {
  const client = createEnvelopeClient({ baseUrl: origin });
  const response = await client.fetch(PATH, { method: 'POST', headers: { authorization }, body: BODY });
  const { data } = await response.json();
  if (JSON.stringify(data) !== BODY) throw new Error('the encrypted answer is not what was sent');
}

/**
 * Measures requests per second, and the server's processor time for each, of bare Fastify and of the pipeline with
 * plaintext and with envelopes on each backend: the packages alone, and the whole reference server. Each is one process
 * with one turn per round, and the first one changes. `share` scales the number of requests. Also returns the
 * generator.
 */
export async function timePipeline({ rounds, share, backends }, say) {
  const generator = await openGenerator();
  const bare = await startServer('bare');
  const servers = [bare];
  const contenders = [{ name: 'bare Fastify', kind: 'bare', server: bare, load: plaintextLoad }];
  for (const composition of ['packages', 'whole']) {
    const title = composition === 'packages' ? 'packages alone' : 'whole server';
    for (const backend of backends) {
      const server = await startServer(composition, backend);
      servers.push(server);
      await proveServer(server);
      if (backend === backends[0]) {
        contenders.push({ name: `${title}, plaintext`, kind: 'plaintext', server, load: plaintextLoad });
      }
      contenders.push({ name: `${title}, encrypted, ${backend}`, kind: backend, server, load: sealedLoad });
    }
  }

  async function measure({ name, server, load }, amount) {
    const told = load(server, amount);
    const before = await server.cpu();
    const { result: run, stolen } = await withStolenTime(() =>
      generator.run({ url: server.origin + PATH, connections: CONNECTIONS, ...told }),
    );
    if (run.statuses[200] !== amount) throw new Error(`${name}: ${JSON.stringify(run.statuses)} of ${amount}`);
    const micros = ((await server.cpu()) - before) / amount;
    return { perSecond: run.perSecond, p99Millis: run.p99Millis, micros, stolen };
  }

  /** Repeats a turn until the host took little of it, and returns the turn with the least. */
  async function measureUndisturbed(contender, amount) {
    const turns = [];
    do turns.push(await measure(contender, amount));
    while (turns.at(-1).stolen > MAX_STOLEN_SHARE && turns.length < ATTEMPTS);
    return turns.reduce((best, turn) => (turn.stolen < best.stolen ? turn : best));
  }

  const results = contenders.map(() => []);
  try {
    for (const contender of contenders) await measure(contender, WARM_UPS[contender.kind]);
    for (let round = 0; round < rounds; round += 1) {
      for (const turn of contenders.keys()) {
        const place = (turn + round) % contenders.length;
        const contender = contenders[place];
        results[place].push(await measureUndisturbed(contender, Math.ceil(AMOUNTS[contender.kind] * share)));
      }
    }
  } finally {
    for (const server of servers) await server.stop();
    await generator.end();
  }
  const rows = contenders.map(({ name }, place) => {
    const medianOf = (value) => median(results[place].map((own, round) => value(own, results[0][round])));
    const row = {
      name,
      requestsPerSecond: Math.round(medianOf(({ perSecond }) => perSecond)),
      micros: Math.round(medianOf(({ micros }) => micros)),
      p99Millis: Math.round(medianOf(({ p99Millis }) => p99Millis)),
      ofBare: medianOf(({ perSecond }, bareRun) => perSecond / bareRun.perSecond),
      ofBareByTime: medianOf(({ micros }, bareRun) => bareRun.micros / micros),
    };
    say(row);
    return row;
  });
  const stolen = median(results.flat().map((turn) => turn.stolen ?? 0));
  return { generator: generator.name, stolen, rows };
}

function privateKey() {
  return Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(32))).toString('hex');
}
