import { type HeldAt, type HeldWay, heldWays, observeHeld } from '../held-requests.js';
import type { Finding } from '../observed-run.js';
import type { Scenario, Site } from './scenario.js';
import { startSharedFleet } from './shared-fleet.js';

export interface HeldCells {
  /** Default: all of them. */
  readonly ways?: readonly HeldWay[];
  /** Those under which the node is killed that answered the end. Default: the same. */
  readonly killedWays?: readonly HeldWay[];
}

/** TOK-13: a thief holds requests at one node, and his session ends at the other. */
export const tok13: Scenario = {
  name: 'tok-13',
  meaning: 'requests held in their body, or at their commit, while their session ends on the other node',
  stores: ['redis', 'postgres'],
  run: (site) => holdRequests(site),
};

export async function holdRequests(
  site: Site,
  { ways = heldWays, killedWays = ways.filter((way) => way !== null) }: HeldCells = {},
): Promise<Finding[]> {
  const { databaseUrl, store, isTimed = true } = site;
  const shared = await startSharedFleet(site);
  const findings: Finding[] = [];
  try {
    for (const isKilled of [false, true]) {
      for (const at of ['body', 'commit'] satisfies HeldAt[]) {
        for (const way of isKilled ? killedWays : ways) {
          site.say(`${at} held, ${way ?? 'nothing ended'}${isKilled ? ', node killed' : ''}`);
          findings.push(await observeHeld({ shared, databaseUrl, store, at, way, isKilled, isTimed }));
        }
      }
    }
    return findings;
  } finally {
    await shared.close();
  }
}
