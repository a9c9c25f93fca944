import { setTimeout as sleep } from 'node:timers/promises';
import type { Violation } from '../history-checker.js';
import { type Fleet, startFleet } from '../node.js';
import { type Harm, observe } from '../observed-run.js';
import { redisUrlFor, type Scenario } from './scenario.js';
import { underLoad } from './under-load.js';

const LEASE_SECONDS = 3;

/** A node that is asked to end has ended after this long, in milliseconds. */
const EXIT_LIMIT_MILLIS = 10_000;

/** A node is stopped within this time after the last one came back, in milliseconds. */
const RANDOM_MOMENT_MILLIS = 1000;

/** REL-10, OPS-7: nodes are stopped gracefully one after the other, as a new release is rolled out, under load. */
export const rel10: Scenario = {
  name: 'rel-10',
  meaning: 'SIGTERM under load, node by node',
  stores: ['postgres'],
  async run({ databaseUrl, redis, store, say }, { crashes }) {
    const redisUrl = redisUrlFor({ store, redis });
    const options = { databaseUrl, redisUrl, store, leaseSeconds: LEASE_SECONDS, nodes: 2, isShipped: true };
    const fleet = await startFleet(options);
    try {
      const fault = 'SIGTERM, rolling';
      say(`${fault}, ${crashes} times`);
      const run = { scenario: 'REL-10', fault, store, fleet, databaseUrl, token: await fleet.signIn() };
      return [await observe(run, (client) => underLoad(client, () => rollOut(fleet, crashes)))];
    } finally {
      await fleet.close();
    }
  },
};

async function rollOut({ nodes }: Fleet, times: number): Promise<Harm> {
  const violations: Violation[] = [];
  for (let count = 0; count < times; count += 1) {
    const node = nodes[count % nodes.length]!;
    await sleep(Math.random() * RANDOM_MOMENT_MILLIS);
    const tookMillis = Math.round(await node.stop());
    if (tookMillis > EXIT_LIMIT_MILLIS) {
      violations.push({ kind: 'late-exit', key: node.origin, detail: `after ${tookMillis} ms` });
    }
    await node.start();
  }
  return { times, violations };
}
