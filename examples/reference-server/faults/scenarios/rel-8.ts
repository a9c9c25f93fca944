import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Violation } from '../history-checker.js';
import { startFleet } from '../node.js';
import type { Finding } from '../observed-run.js';
import { readResources } from '../process-resources.js';
import { quantile } from '../quantile.js';
import { openSlowClients, type SlowClients } from '../slow-sockets.js';
import type { Scenario, Site } from './scenario.js';
import { uploadText } from './shared-fleet.js';

const OF_EACH = 200;

/** The limit for the 99th percentile of the health check under load, in milliseconds. */
const HEALTH_P99_MILLIS = 200;

const HEALTH_EVERY_MILLIS = 20;

/** The server's timeout for headers and bodies, in seconds. It is the minimum, so that a short run reaches it. */
const REQUEST_TIMEOUT_SECONDS = 5;

/**
 * The limit for every slow sender to be closed once, in milliseconds: the request timeout and the server's check
 * interval, with a margin for a busy machine.
 */
const CLOSED_LIMIT_MILLIS = 60_000;

/** More than the client's socket buffers hold, and less than the server's default upload limit. */
const LARGE_FILE_BYTES = 9_000_000;

/** The limit for the server to release connections that clients closed, in milliseconds. */
const RELEASE_LIMIT_MILLIS = 60_000;

/** The allowed number of additional descriptors, for transient connections to the stores. */
const SPARE_DESCRIPTORS = 15;

/** REL-8, SV-03: hundreds of clients send or read slowly. The health check stays fast. */
export const rel8: Scenario = {
  name: 'rel-8',
  meaning: `${3 * OF_EACH} slow sockets (headers, bodies, readers), and health meanwhile; --seconds 60`,
  stores: ['postgres'],
  async run(site, { seconds }) {
    const { databaseUrl } = site;
    const fleet = await startFleet({
      databaseUrl,
      redisUrl: null,
      store: 'postgres',
      leaseSeconds: 10,
      nodes: 1,
      isShipped: true,
      environment: {
        SERVICE_REQUEST_TIMEOUT_SECONDS: String(REQUEST_TIMEOUT_SECONDS),
        // All clients share one address. At the default limits they would be refused before they hold a connection.
        SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000000',
        SERVICE_FLOOD_GATE_MAX_REQUESTS: '1000000',
      },
    });
    const [node] = fleet.nodes;
    try {
      const token = await fleet.signIn();
      const id = await uploadText(node!.origin, token, LARGE_FILE_BYTES);
      const largeRequest = `GET /admin/storage/files/${id}/content HTTP/1.1\r\nAuthorization: Bearer ${token}`;
      await timeHealth(node!.port);
      const before = await readResources(node!.pid());
      site.say(`${3 * OF_EACH} slow sockets, ${seconds} s`);
      const clients = await openSlowClients({ port: node!.port, largeRequest }, OF_EACH);
      const times = await timeHealthWhile(node!.port, () => stand(clients, seconds));
      const most = await readResources(node!.pid());
      await clients.close();
      const isReleased = await released(node!.pid(), before.descriptors);
      return [report(site, clients, times, isReleased, [before.descriptors, most.descriptors])];
    } finally {
      await fleet.close();
    }
  },
};

/** Waits for the given time, and until every slow sender has been closed once. */
async function stand(clients: SlowClients, seconds: number): Promise<void> {
  const began = performance.now();
  await sleep(seconds * 1000);
  const areClosed = () => clients.closed('headers') >= OF_EACH && clients.closed('body') >= OF_EACH;
  while (!areClosed() && performance.now() - began < CLOSED_LIMIT_MILLIS) await sleep(100);
}

function report(
  { store, isTimed }: Site,
  clients: SlowClients,
  times: readonly number[],
  isReleased: boolean,
  descriptors: readonly number[],
): Finding {
  const p99 = Math.round(quantile(times, 0.99));
  const closed = { headers: clients.closed('headers'), bodies: clients.closed('body') };
  const violations: Violation[] = [];
  if (isTimed !== false && p99 > HEALTH_P99_MILLIS) {
    violations.push({ kind: 'late-answer', key: 'health', detail: `p99 ${p99} ms` });
  }
  for (const [what, count] of Object.entries(closed)) {
    if (count < OF_EACH)
      violations.push({ kind: 'left-open', key: what, detail: `${count} of ${OF_EACH} were closed` });
  }
  if (!isReleased) violations.push({ kind: 'left-open', key: 'descriptors', detail: 'after every client had gone' });
  for (const line of clients.told()) {
    if (!line.startsWith('HTTP/1.1 408')) violations.push({ kind: 'wrong-refusal', key: 'slow client', detail: line });
  }
  return {
    scenario: 'REL-8',
    store,
    fault: `${3 * OF_EACH} slow sockets`,
    times: 3 * OF_EACH,
    keys: 0,
    attempts: times.length,
    acknowledged: 0,
    submitted: 0,
    unknown: 0,
    slowestMillis: Math.round(Math.max(...times)),
    rows: 0,
    measured: `health p99 ${p99} ms; closed ${closed.headers} headers, ${closed.bodies} bodies; descriptors ${descriptors.join(' → ')}`,
    violations,
  };
}

async function timeHealthWhile(port: number, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  let isDone = false;
  const finished = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    times.push(await timeHealth(port));
    await sleep(HEALTH_EVERY_MILLIS);
  }
  await finished;
  return times;
}

/** Times one health check on a new connection, as a load balancer sends it. A failure counts as infinite time. */
async function timeHealth(port: number): Promise<number> {
  const began = performance.now();
  try {
    const asked = get({ port, host: '127.0.0.1', path: '/actuator/health', agent: false });
    const [response] = await once(asked, 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode === 200 ? performance.now() - began : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

async function released(pid: number, before: number): Promise<boolean> {
  for (const deadline = Date.now() + RELEASE_LIMIT_MILLIS; Date.now() < deadline; await sleep(100)) {
    if ((await readResources(pid)).descriptors <= before + SPARE_DESCRIPTORS) return true;
  }
  return false;
}
