import { setTimeout as sleep } from 'node:timers/promises';
import type { Violation } from '../history-checker.js';
import { type Fleet, startFleet } from '../node.js';
import { type Finding, type Harm, observe } from '../observed-run.js';
import { redisUrlFor, type Scenario, type Site } from './scenario.js';
import { underLoad } from './under-load.js';

const LEASE_SECONDS = 3;

/** The limit for a graceful stop, in milliseconds. */
const EXIT_LIMIT_MILLIS = 10_000;

/** The maximum delay between a node's restart and the next stop, in milliseconds. */
const RANDOM_MOMENT_MILLIS = 1000;

/** REL-10, OPS-7: nodes are stopped gracefully in turn under load, as in a rolling update. */
export const rel10: Scenario = {
  name: 'rel-10',
  meaning: 'SIGTERM under load, node by node',
  stores: ['postgres', 'redis'],
  async run(site, { crashes }) {
    const { databaseUrl, redis, store } = site;
    const redisUrl = redisUrlFor({ store, redis });
    const options = { databaseUrl, redisUrl, store, leaseSeconds: LEASE_SECONDS, nodes: 2, isShipped: true };
    const fleet = await startFleet(options);
    try {
      return [await stopByTurns(site, fleet, await fleet.signIn(), crashes)];
    } finally {
      await fleet.close();
    }
  },
};

/** Runs the scenario on nodes that are already running. */
export async function stopByTurns(site: Site, fleet: Fleet, token: string, times: number): Promise<Finding> {
  const { databaseUrl, store, rules, isTimed } = site;
  const fault = 'SIGTERM, rolling';
  site.say(`${fault}, ${times} times`);
  const run = { scenario: 'REL-10', fault, store, fleet, databaseUrl, token, rules: { mayBeUnknown: false, ...rules } };
  const limitMillis = isTimed === false ? Number.POSITIVE_INFINITY : EXIT_LIMIT_MILLIS;
  return observe(run, (client) => underLoad(client, () => rollOut(fleet, times, limitMillis)));
}

async function rollOut({ nodes }: Fleet, times: number, limitMillis: number): Promise<Harm> {
  const violations: Violation[] = [];
  for (let count = 0; count < times; count += 1) {
    const node = nodes[count % nodes.length]!;
    await sleep(Math.random() * RANDOM_MOMENT_MILLIS);
    const tookMillis = Math.round(await node.stop());
    if (tookMillis > limitMillis) {
      violations.push({ kind: 'late-exit', key: node.origin, detail: `after ${tookMillis} ms` });
    }
    await node.start();
  }
  return { times, violations };
}
