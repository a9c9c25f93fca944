import { startChild } from './child-process.mjs';

export const isQuick = process.argv.includes('--quick');

const CONNECTIONS = 32;

/** Unmeasured requests sent first, so that both servers run compiled code. */
const WARM_UP_REQUESTS = isQuick ? 5000 : 30_000;
const WARM_UP_SECONDS = 60;

export const ROUNDS = isQuick ? 3 : 7;
const SECONDS = isQuick ? 2 : 5;

export const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** Starts a server in its own process: bare Fastify, or the reference server with the given variables. */
export async function startServer(server, environment = {}) {
  const child = await startChild('./servers/process.mjs');
  const { url, headers } = await child.ask({ kind: 'start', server, environment });
  return {
    url,
    headers,
    /** The CPU time so far, in microseconds. */
    cpu: () => child.ask({ kind: 'cpu' }),
    async stop() {
      await child.ask({ kind: 'stop' });
      await child.end();
    },
  };
}

/**
 * Loads each contestant in turn for several rounds. Prints the medians of requests per second, CPU time per request and
 * CPU utilisation, and the median of the per-round ratios of rate and time to the first contestant. A contestant is `{
 * name, server, path, status }`, with `method`, `headers`, `body` and `isKeyed` where it is not a plain GET. `isKeyed`:
 * each request has its own idempotency key. Any other status ends the benchmark. `sleeps`: see busy-load.mjs.
 */
export async function compareRates(contestants, { sleeps = false } = {}) {
  const generator = await startChild('./busy-load.mjs');
  const load = async ({ name, server, path, status, headers, ...request }, limits) => {
    const before = await server.cpu();
    const run = await generator.ask({
      kind: 'run',
      url: server.url + path,
      headers: { ...server.headers, ...headers },
      connections: CONNECTIONS,
      sleeps,
      ...request,
      ...limits,
    });
    const wrong = Object.keys(run.statuses).filter((given) => given !== String(status));
    if (wrong.length > 0) throw new Error(`${name}: ${JSON.stringify(run)} instead of ${status}`);
    const micros = ((await server.cpu()) - before) / run.total;
    return { perSecond: run.perSecond, micros, busy: (micros * run.perSecond) / 1e6 };
  };
  for (const contestant of contestants) {
    // Use up the limit first, so that every measured request is refused.
    if (contestant.status === 429) await exhaust(generator, contestant);
    await load(contestant, { amount: WARM_UP_REQUESTS, duration: WARM_UP_SECONDS });
  }
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const results = [];
    for (const contestant of contestants) results.push(await load(contestant, { duration: SECONDS }));
    rounds.push(results);
  }
  await generator.end();
  for (const [index, { name }] of contestants.entries()) printRow(name, rounds, index);
}

async function exhaust(generator, { server, path }) {
  await generator.ask({ kind: 'run', url: server.url + path, headers: server.headers, connections: 1, amount: 5 });
}

function printRow(name, rounds, index) {
  const own = rounds.map((results) => results[index]);
  const ratioOf = (value) => median(rounds.map((results) => value(results)));
  const rate = median(own.map(({ perSecond }) => perSecond)).toFixed(0);
  const micros = median(own.map(({ micros }) => micros)).toFixed(1);
  // Near 100 %, the server limited the rate. Above 100 %, helper threads, such as garbage collection, also ran.
  const busy = (100 * median(own.map(({ busy }) => busy))).toFixed(0);
  const byRate = ratioOf((results) => results[index].perSecond / results[0].perSecond).toFixed(2);
  const byTime = ratioOf((results) => results[0].micros / results[index].micros).toFixed(2);
  process.stdout.write(
    `${name.padEnd(64)}${rate.padStart(7)} /s${micros.padStart(8)} µs${busy.padStart(5)} % busy   ratio ${byRate} by rate, ${byTime} by processor time\n`,
  );
}
