import { setTimeout as sleep } from 'node:timers/promises';
import type { Violation } from '../history-checker.js';
import type { LoadClient } from '../load-client.js';
import { type Fleet, startFleet } from '../node.js';
import { type Finding, type Harm, observe } from '../observed-run.js';
import { redisUrlFor, type Scenario, type Site } from './scenario.js';
import { underLoad } from './under-load.js';

const LEASE_SECONDS = 3;

/** The maximum time between a successful write and the next stop, and the maximum length of a stop, in milliseconds. */
const RANDOM_MOMENT_MILLIS = 1500;

/** REL-3: PostgreSQL is killed during writes, uploads included, and restarted. No node is restarted. */
export const rel3: Scenario = {
  name: 'rel-3',
  meaning: 'PostgreSQL stopped hard under load, and started again',
  stores: ['postgres'],
  async run({ databaseUrl, postgres, redis, store, say }, { crashes }) {
    if (postgres === null) throw new TypeError('rel-3 needs a PostgreSQL of its own');
    const redisUrl = redisUrlFor({ store, redis });
    const fleet = await startFleet({ databaseUrl, redisUrl, store, leaseSeconds: LEASE_SECONDS, nodes: 2 });
    try {
      const token = await fleet.signIn();
      const harm = (client: LoadClient) => () => crash(postgres, client, fleet, crashes);
      const findings: Finding[] = [];
      for (const resource of ['payments', 'files'] as const) {
        const fault = `PostgreSQL stopped hard, ${resource}`;
        say(`${fault}, ${crashes} times`);
        const run = { scenario: 'REL-3', fault, store, fleet, databaseUrl, token, resource };
        findings.push(await observe(run, (client) => underLoad(client, harm(client))));
      }
      return findings;
    } finally {
      await fleet.close();
    }
  },
};

async function crash(
  postgres: NonNullable<Site['postgres']>,
  client: LoadClient,
  fleet: Fleet,
  times: number,
): Promise<Harm> {
  for (let count = 0; count < times; count += 1) {
    await sleep(Math.random() * RANDOM_MOMENT_MILLIS);
    await postgres.kill();
    await sleep(Math.random() * RANDOM_MOMENT_MILLIS);
    await postgres.start();
    // Wait until a write succeeds again.
    await client.submit();
  }
  return { times, violations: endedNodes(fleet) };
}

function endedNodes({ nodes }: Fleet): Violation[] {
  const ended = nodes.filter((node) => !node.isRunning());
  return ended.map(({ origin }) => ({ kind: 'node-ended', key: origin, detail: 'though nobody stopped it' }));
}
