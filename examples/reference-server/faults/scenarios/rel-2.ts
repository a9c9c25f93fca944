import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultProxy, startFaultProxy } from '../fault-proxy.js';
import type { Finding } from '../observed-run.js';
import { observeGuarded, prepareRefused } from './guarded-run.js';
import type { Scenario, Site } from './scenario.js';
import { type SharedFleet, startSharedFleet } from './shared-fleet.js';

/** The maximum number of bytes before a connection is cut: within the greeting or an answer. */
const CUT_WITHIN_BYTES = 20_000;

const CUT_EVERY_MILLIS = 100;

type Break = (proxy: FaultProxy, millis: number) => Promise<unknown>;

/** A fault between the nodes and Redis, and its duration in milliseconds. */
const redisFaults: Readonly<Record<string, Break>> = {
  'Redis away': broken((proxy) => proxy.inject({ kind: 'reset' })),
  'Redis silent': broken((proxy) => proxy.inject({ kind: 'black-hole' })),
  'Redis 1 s late': broken((proxy) => proxy.inject({ kind: 'delay', millis: 1000 }, 'to-client')),
  'Redis 5 s late': broken((proxy) => proxy.inject({ kind: 'delay', millis: 5000 }, 'to-client')),
  async 'cut in mid-answer'(proxy, millis) {
    for (const end = performance.now() + millis; performance.now() < end; await sleep(CUT_EVERY_MILLIS)) {
      proxy.inject({ kind: 'cut', afterBytes: Math.ceil(Math.random() * CUT_WITHIN_BYTES) }, 'to-client');
    }
  },
};

function broken(inject: (proxy: FaultProxy) => void): Break {
  return async (proxy, millis) => {
    inject(proxy);
    await sleep(millis);
  };
}

/** REL-2: Redis fails, becomes slow, or is cut off during an answer, under load on two nodes. No node is restarted. */
export const rel2: Scenario = {
  name: 'rel-2',
  meaning: 'Redis away, silent, slow, cut in mid-answer; --seconds of each',
  stores: ['redis'],
  async run(site, { seconds }) {
    if (site.redis === null) throw new TypeError('rel-2 needs a Redis');
    const proxy = await startFaultProxy(site.redis.port);
    const shared = await startSharedFleet(site, { redisUrl: `redis://127.0.0.1:${proxy.port}` });
    try {
      return await breakRedis(site, shared, proxy, seconds, Object.keys(redisFaults));
    } finally {
      await shared.close();
      await proxy.close();
    }
  },
};

/** Runs some of the faults on nodes that reach Redis through the proxy. */
export async function breakRedis(
  site: Site,
  shared: SharedFleet,
  proxy: FaultProxy,
  seconds: number,
  faults: readonly string[],
): Promise<Finding[]> {
  const refused = await prepareRefused(shared);
  const findings: Finding[] = [];
  for (const fault of faults) {
    site.say(`${fault}, ${seconds} s`);
    const harm = () => redisFaults[fault]!(proxy, seconds * 1000);
    const heal = async () => proxy.heal();
    findings.push(await observeGuarded({ scenario: 'REL-2', fault, site, shared, refused, harm, heal }));
  }
  return findings;
}
