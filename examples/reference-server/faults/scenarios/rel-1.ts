import { setTimeout as sleep } from 'node:timers/promises';
import type { Resource } from '../load-client.js';
import { type Fleet, startFleet } from '../node.js';
import { type Finding, observe } from '../observed-run.js';
import { type KillPoint, killPoints } from '../server/kill-point.js';
import { redisUrlFor, type Scenario } from './scenario.js';
import { randomPass, underLoad } from './under-load.js';

const LEASE_SECONDS = 3;

/** The maximum delay between a node's restart and the next kill, in milliseconds. */
const RANDOM_MOMENT_MILLIS = 400;

/**
 * REL-1, ID-18, IDM-6, IDM-7: nodes are killed during requests, uploads included, one at a time. Clients retry with the
 * same key.
 */
export const rel1: Scenario = {
  name: 'rel-1',
  meaning: 'kill -9 of a node under load, at random moments and at each named point',
  stores: ['postgres', 'redis', 'postgres-ttl'],
  async run({ databaseUrl, redis, store, rules, say }, { kills, atEachPoint, points = killPoints }) {
    const redisUrl = redisUrlFor({ store, redis });
    const fleet = await startFleet({ databaseUrl, redisUrl, store, leaseSeconds: LEASE_SECONDS, nodes: 2 });
    try {
      const token = await fleet.signIn();
      const findings: Finding[] = [];
      async function observeKills(
        fault: string,
        times: number,
        kill: () => Promise<void>,
        resource: Resource = 'payments',
      ): Promise<void> {
        say(`${fault}, ${times} times`);
        const sealedShare = resource === 'payments' ? 0.2 : 0;
        const run = { scenario: 'REL-1', fault, store, fleet, databaseUrl, token, rules, sealedShare, resource };
        const harm = () => kill().then(() => ({ times }));
        findings.push(await observe(run, (client) => underLoad(client, harm)));
      }
      if (kills > 0) await observeKills('kill -9 at random', kills, () => killAtRandom(fleet, kills));
      // The server keeps the records of uploads in the database, whatever the store under test.
      if (kills > 0 && store === 'postgres') {
        await observeKills('kill -9 during uploads', kills, () => killAtRandom(fleet, kills), 'files');
      }
      for (const point of atEachPoint > 0 ? points : []) {
        await observeKills(`kill -9 ${point}`, atEachPoint, () => killAt(fleet, point, atEachPoint));
      }
      return findings;
    } finally {
      await fleet.close();
    }
  },
};

/** Kills nodes in turn. Each is restarted before the next kill, so that the service stays available. */
async function killAtRandom(fleet: Fleet, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    const node = fleet.nodes[count % fleet.nodes.length]!;
    await sleep(Math.random() * RANDOM_MOMENT_MILLIS);
    await node.kill();
    await node.start();
  }
}

/** The first node kills itself at the point after each restart. The other node stays up. */
async function killAt(fleet: Fleet, point: KillPoint, times: number): Promise<void> {
  const victim = fleet.nodes[0]!;
  await victim.kill();
  for (let count = 0; count < times; count += 1) {
    await victim.start({ point, pass: randomPass() });
    await victim.ended();
  }
}
