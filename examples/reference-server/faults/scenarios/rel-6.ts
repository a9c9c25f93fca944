import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, startFleet } from '../node.js';
import { type Finding, type Harm, observe } from '../observed-run.js';
import type { KillPoint } from '../server/kill-point.js';
import { redisUrlFor, type Scenario } from './scenario.js';
import { randomPass, underLoad } from './under-load.js';

const LEASE_SECONDS = 1;

/** The duration of a pause beyond the lease, in milliseconds. */
const BEYOND_LEASE_MILLIS = 1000;

/** The client's timeout before it tries another node, in milliseconds. */
const PATIENCE_MILLIS = 500;

/** All points with a lease: there is none before the record is claimed. */
const leasedPoints: readonly KillPoint[] = [
  'after-processing',
  'before-submitted',
  'before-commit',
  'after-commit',
  'before-answer',
];

/**
 * REL-6, ID-20: a node is paused in a handler until after its lease, clients retry on the other node, and the node
 * resumes.
 */
export const rel6: Scenario = {
  name: 'rel-6',
  meaning: 'a node paused beyond its lease in mid-handler, and resumed',
  stores: ['postgres', 'redis', 'postgres-ttl', 'memory'],
  async run({ databaseUrl, redis, store, rules, say }, { atEachPoint, points = leasedPoints }) {
    const nodes = store === 'memory' ? 1 : 2;
    const redisUrl = redisUrlFor({ store, redis });
    const fleet = await startFleet({ databaseUrl, redisUrl, store, leaseSeconds: LEASE_SECONDS, nodes });
    try {
      const token = await fleet.signIn();
      const findings: Finding[] = [];
      for (const point of points) {
        const fault = `pause ${point}`;
        say(`${fault}, ${atEachPoint} times`);
        const run = {
          scenario: 'REL-6',
          fault,
          store,
          fleet,
          databaseUrl,
          token,
          rules,
          patienceMillis: PATIENCE_MILLIS,
        };
        await fleet.nodes[0]!.kill();
        const harm = () => pauseAt(fleet, point, atEachPoint);
        findings.push(await observe(run, (client) => underLoad(client, harm)));
      }
      return findings;
    } finally {
      await fleet.close();
    }
  },
};

async function pauseAt(fleet: Fleet, point: KillPoint, times: number): Promise<Harm> {
  const victim = fleet.nodes[0]!;
  await victim.start({ point, pass: randomPass(), signal: 'SIGSTOP' });
  for (let count = 0; count < times; count += 1) {
    if (count > 0) victim.rearm();
    await victim.paused();
    await sleep(fleet.leaseMillis + BEYOND_LEASE_MILLIS);
    victim.resume();
  }
  return { times };
}
