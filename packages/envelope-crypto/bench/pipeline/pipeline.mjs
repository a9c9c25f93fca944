import { startChild } from '../../../../examples/reference-server/bench/child-process.mjs';
import { createEnvelopeClient, sealRequest } from '../../dist/client/index.js';
import { kernel } from '../../dist/client/kernel.js';
import { sm2Sm4GcmV1 } from '../../dist/suites/index.js';
import { bindAuthorization } from '../../dist/wire/request-binding.js';
import { median } from '../interleaved.mjs';
import { withStolenTime } from '../stolen-time.mjs';
import { openGenerator } from './generator.mjs';

const CONNECTIONS = 32;

/** A turn in which the host of a virtual machine took more of its processors is measured again, a few times. */
const MAX_STOLEN_SHARE = 0.02;
const ATTEMPTS = 3;

/** Requests of one turn, so that most take a second: what else the machine does changes from one to the next. */
const AMOUNTS = { bare: 24_000, plaintext: 8000, kernel: 8000, portable: 150 };

/**
 * Before anything is measured, in the same places: the first thousands of requests run another program, the uncompiled
 * one.
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
    /** Time on a processor so far, in microseconds. */
    cpu: () => child.ask({ kind: 'cpu' }),
    async stop() {
      await child.ask({ kind: 'stop' });
      await child.end();
    },
  };
}

/** What the generator is told for requests in the clear. */
function plaintextLoad({ authorization }, amount) {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  return { headers, bodies: [BODY], amount };
}

/** What the generator is told for encrypted requests: an envelope is good for one, so each is sealed before. */
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

/** One request of the server, opened by the client, before anything is timed. */
async function proveServer({ origin, authorization }) {
  const client = createEnvelopeClient({ baseUrl: origin });
  const response = await client.fetch(PATH, { method: 'POST', headers: { authorization }, body: BODY });
  const { data } = await response.json();
  if (JSON.stringify(data) !== BODY) throw new Error('the encrypted answer is not what was sent');
}

/**
 * Requests a second, and the server's time on a processor for each, of bare Fastify, and of the pipeline in plaintext
 * and in envelopes with each backend: the packages alone, and the whole reference server. One process each; in every
 * round each has its turn, the first one another each time, and `share` of the usual number of requests. Also says what
 * sent them.
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

  /** Of some turns, until there is one that the host left alone, the one that it took least of. */
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
