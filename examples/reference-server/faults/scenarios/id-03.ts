import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultProxy, startFaultProxy } from '../fault-proxy.js';
import { startFleet } from '../node.js';
import { observe } from '../observed-run.js';
import { redisUrlFor, type Scenario } from './scenario.js';

const LEASE_SECONDS = 10;
const COPIES = 50;

/** The mean interval between resets, in milliseconds, and the probability that a connection is reset. */
const RESET_EVERY_MILLIS = 25;
const RESET_PROBABILITY = 0.25;

/** ID-03: copies of one request race on two nodes while connections are reset. Exactly one takes effect. */
export const id03: Scenario = {
  name: 'id-03',
  meaning: `${COPIES} copies of one request over two nodes, connections reset at random`,
  stores: ['postgres', 'redis', 'postgres-ttl'],
  async run({ databaseUrl, redis, store, say }, { rounds }) {
    const redisUrl = redisUrlFor({ store, redis });
    const fleet = await startFleet({ databaseUrl, redisUrl, store, leaseSeconds: LEASE_SECONDS, nodes: 2 });
    const proxies = await Promise.all(fleet.nodes.map(({ port }) => startFaultProxy(port)));
    try {
      const token = await fleet.signIn();
      const origins = proxies.map(({ port }) => `http://127.0.0.1:${port}`);
      const fault = `${COPIES} copies, connections reset`;
      say(`${fault}, ${rounds} rounds`);
      const run = { scenario: 'ID-03', fault, store, fleet, databaseUrl, token, origins, sealedShare: 0.2 };
      const finding = await observe(run, async (client) => {
        for (let round = 0; round < rounds; round += 1) {
          const key = randomUUID();
          const copies = Promise.all(Array.from({ length: COPIES }, () => client.submit(key)));
          await whileResetting(proxies, copies);
        }
        return { times: rounds };
      });
      return [finding];
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await fleet.close();
    }
  },
};

async function whileResetting(proxies: readonly FaultProxy[], work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const finished = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await sleep(Math.random() * 2 * RESET_EVERY_MILLIS);
    for (const proxy of proxies) proxy.resetConnections(RESET_PROBABILITY);
  }
  await finished;
}
