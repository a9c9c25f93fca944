import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisCluster } from '../../../../scripts/redis-cluster.js';
import type { Finding } from '../observed-run.js';
import { observeGuarded, prepareRefused } from './guarded-run.js';
import type { Scenario, Site } from './scenario.js';
import { startSharedFleet } from './shared-fleet.js';

const MOVED_SLOTS = 1500;

/** A fault of the Cluster, and its repair. */
interface Change {
  harm(cluster: RedisCluster, millis: number): Promise<unknown>;
  heal(cluster: RedisCluster): Promise<unknown>;
}

const changes: Readonly<Record<string, Change>> = {
  'slots moved': {
    async harm(cluster) {
      const [from, to] = await Promise.all(cluster.nodes.slice(0, 2).map(({ port }) => idOf(cluster, port)));
      const plan = ['--cluster-from', from!, '--cluster-to', to!, '--cluster-slots', String(MOVED_SLOTS)];
      await cluster.cli('--cluster', 'reshard', `127.0.0.1:${cluster.nodes[0]!.port}`, ...plan, '--cluster-yes');
    },
    heal: (cluster) => cluster.agreed(),
  },
  /** The replica takes over. After its restart, the former master follows the new one. */
  'master killed': {
    async harm(cluster, millis) {
      await cluster.nodes[2]!.kill();
      await sleep(millis);
    },
    heal: (cluster) => cluster.agreed(),
  },
  'old master back': {
    harm: (cluster) => cluster.nodes[2]!.start(),
    heal: (cluster) => cluster.agreed(),
  },
};

/** OPS-9: two nodes run on a Redis Cluster that moves slots and loses a master under load. No node is restarted. */
export const ops9: Scenario = {
  name: 'ops-9',
  meaning: 'a Redis Cluster whose slots move, and which loses a master; --seconds without it',
  stores: ['redis-cluster'],
  run: (site, { seconds }) => changeCluster(site, seconds),
};

async function changeCluster(site: Site, seconds: number): Promise<Finding[]> {
  const cluster = site.redisCluster!;
  const shared = await startSharedFleet(site);
  try {
    const refused = await prepareRefused(shared);
    const findings: Finding[] = [];
    for (const [fault, change] of Object.entries(changes)) {
      site.say(fault);
      const harm = () => change.harm(cluster, seconds * 1000);
      const heal = () => change.heal(cluster);
      findings.push(await observeGuarded({ scenario: 'OPS-9', fault, site, shared, refused, harm, heal }));
    }
    return findings;
  } finally {
    await shared.close();
  }
}

async function idOf(cluster: RedisCluster, port: number): Promise<string> {
  return (await cluster.cli('-p', String(port), 'CLUSTER', 'MYID')).trim();
}
