// A storm of sign-ins at the production BCrypt cost, at one node and at two: sign-ins a second, the processor time of
// one, and how long everything else takes meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../child-process.mjs';
import { createResults } from './times.mjs';
import { cpuOf, startStores } from './whole-servers.mjs';

/** More than the workers can hash, and so few that reading the requests takes next to no time. */
const STORM = { connections: 16, overallRate: 20 };
/** Keeps the workers busy, and none waits long. */
const FULL = { connections: 2 };
const OTHERS = { connections: 2, overallRate: 50 };

const OTHER_PATHS = {
  'health check': '/actuator/health',
  'GET /admin/profile': '/admin/profile',
  'GET /admin/payments': '/admin/payments',
};

/** After a storm, sign-ins wait in the queue of the workers. */
const DRAIN_MILLIS = 6000;

/** @param sizes numbers of nodes */
export async function measureSignIns({ sizes, say, isQuick }) {
  const seconds = isQuick ? 4 : 10;
  const { measured, note } = createResults('rates', 'latencies');
  const stores = await startStores();
  const stormers = [];
  const others = await startChild('./load-process.mjs');
  try {
    for (const size of sizes) {
      while (stores.nodes.length < size) {
        await stores.addNode({ SERVICE_AUTH_PASSWORD_BCRYPT_COST: '12' });
        stormers.push(await startChild('./load-process.mjs'));
      }
      const [{ url, headers }] = stores.nodes;
      const timesOf = async (path) => {
        const run = await others.ask({ kind: 'run', url: url + path, headers, duration: seconds, ...OTHERS });
        if (run.failed > 0 || run.statuses[200] !== run.total) throw new Error(`${path}: ${JSON.stringify(run)}`);
        return run;
      };
      for (const path of Object.values(OTHER_PATHS)) await timesOf(path);
      for (const [name, path] of Object.entries(OTHER_PATHS)) {
        const { p50, p99 } = await timesOf(path);
        note('latencies', `${name}, at rest, p50`, size, p50);
        note('latencies', `${name}, at rest, p99`, size, p99);
      }
      // The rate by itself: of a storm, the sign-ins that wait at its end would not be counted.
      const began = performance.now();
      const before = await cpuOf(stores.nodes);
      const runs = await Promise.all(
        stores.nodes.map((node, index) => stormers[index].ask(signInsAt(node, seconds, FULL))),
      );
      const cpu = (await cpuOf(stores.nodes)) - before;
      const verified = runs.reduce((sum, { statuses }) => sum + (statuses[401] ?? 0), 0);
      note('rates', 'sign-ins a second, all nodes', size, (verified * 1000) / (performance.now() - began));
      note('rates', 'sign-ins for a second of a core', size, (verified * 1e6) / cpu);
      say(`${size} nodes: ${verified} sign-ins in ${seconds} s`);
      for (const [name, path] of Object.entries(OTHER_PATHS)) {
        const [{ p50, p99 }] = await Promise.all([
          timesOf(path),
          ...stores.nodes.map((node, index) => stormers[index].ask(signInsAt(node, seconds, STORM))),
        ]);
        note('latencies', `${name}, in the storm, p50`, size, p50);
        note('latencies', `${name}, in the storm, p99`, size, p99);
      }
      await sleep(DRAIN_MILLIS);
    }
    return measured;
  } finally {
    for (const child of [others, ...stormers]) await child.end();
    await stores.stop();
  }
}

function signInsAt({ url }, duration, load) {
  const headers = { 'content-type': 'application/json' };
  return {
    kind: 'run',
    url: `${url}/admin/auth/login`,
    method: 'POST',
    headers,
    variant: 'sign-in',
    duration,
    ...load,
  };
}
