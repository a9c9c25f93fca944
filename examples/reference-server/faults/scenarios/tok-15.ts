import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { setLoadParameters } from '../audited-fleet.js';
import { APPEND_ALWAYS, type LosableRedis, openLosableRedis } from '../losable-redis.js';
import { observeLostEnds } from '../lost-ends.js';
import type { Node } from '../node.js';
import type { Finding } from '../observed-run.js';
import {
  appendOnlyLosses,
  clusterLosses,
  redisLosses,
  restart,
  type StoreLoss,
  unseenEndLosses,
} from '../store-losses.js';
import { loadEnvironment } from '../writing-operations.js';
import type { Counts, Scenario, Site } from './scenario.js';
import { type SharedFleet, startSharedFleet } from './shared-fleet.js';

/** From the start of a node's process, in milliseconds. */
const READY_WITHIN_MILLIS = 5000;

/** A change that waits in the database is given up before. */
const LONGER_THAN_A_REQUEST_MILLIS = 4000;

/** How many at once are written. */
const BATCH = 5000;

export interface LostEndsOptions {
  readonly counts: Pick<Counts, 'sessions' | 'storedSessions'>;
  /** Whether the durable store of ends forgets them, too. Default false. */
  readonly forgetsEnds?: boolean;
}

/** TOK-15: the session store loses what it was told. No session lives again that was ended. */
export const tok15: Scenario = {
  name: 'tok-15',
  meaning: 'the session store is flushed, restored, restarted, or its lagging replica is promoted',
  stores: ['redis', 'redis-cluster'],
  run: (site, counts) => loseEnds(site, { counts }),
};

async function loseEnds(site: Site, options: LostEndsOptions): Promise<Finding[]> {
  if (site.store === 'redis-cluster') return loseInCluster(site, options);
  return [
    ...(await loseEndsOn(site, await openLosableRedis(), options, (losable) => [
      ...unseenEndLosses([losable.client]),
      ...redisLosses(losable),
    ])),
    ...(await loseEndsOn(site, await openLosableRedis(...APPEND_ALWAYS), options, appendOnlyLosses)),
    ...(await restartAmongMany(site, options)),
  ];
}

async function loseInCluster(site: Site, options: LostEndsOptions): Promise<Finding[]> {
  const cluster = site.redisCluster!;
  const shared = await startFleet(site);
  const masters = await mastersAmong(cluster.nodes);
  try {
    const losses = [...unseenEndLosses(masters), ...clusterLosses(cluster)];
    return await observeAll(site, shared, losses, options, () => mastersAmong(cluster.nodes));
  } finally {
    for (const master of masters) master.disconnect();
    await shared.close();
  }
}

async function mastersAmong(nodes: readonly { readonly url: string }[]): Promise<readonly Redis[]> {
  const masters: Redis[] = [];
  for (const { url } of nodes) {
    const client = new Redis(url, { retryStrategy: () => null, lazyConnect: true });
    client.on('error', () => {});
    const role = await client.info('replication').catch(() => '');
    if (/role:master/.test(role)) masters.push(client);
    else client.disconnect();
  }
  return masters;
}

/** Closes the Redis. */
export async function loseEndsOn(
  site: Site,
  losable: LosableRedis,
  options: LostEndsOptions,
  lossesOf: (losable: LosableRedis, shared: SharedFleet) => readonly StoreLoss[],
): Promise<Finding[]> {
  try {
    const shared = await startFleet(site, losable.url);
    try {
      // What the nodes are connected to.
      const connect = async () => [new Redis(losable.url)];
      return await observeAll(site, shared, lossesOf(losable, shared), options, connect);
    } finally {
      await shared.close();
    }
  } finally {
    await losable.close();
  }
}

async function startFleet(site: Site, redisUrl?: string): Promise<SharedFleet> {
  const shared = await startSharedFleet(site, { ...(redisUrl && { redisUrl }), environment: loadEnvironment });
  await setLoadParameters(shared.origins[0], shared.token);
  return shared;
}

async function observeAll(
  site: Site,
  shared: SharedFleet,
  losses: readonly StoreLoss[],
  { counts, forgetsEnds = false }: LostEndsOptions,
  connect: () => Promise<readonly Redis[]>,
): Promise<Finding[]> {
  const sql = postgres(site.databaseUrl, { max: 1, onnotice: () => {} });
  const findings: Finding[] = [];
  try {
    for (const loss of losses) {
      const forgetful = forgetsEnds && { beforeLoss: () => sql`truncate session_ends` };
      const failingFirst = (work: () => Promise<void>) => failFirst(sql, work);
      const size = counts.sessions;
      findings.push(await observeLostEnds({ site, shared, loss, size, connect, failingFirst, ...forgetful }));
    }
    return findings;
  } finally {
    await sql.end();
  }
}

/** No end can be written until the first attempts have failed. */
async function failFirst(sql: postgres.Sql, work: () => Promise<void>): Promise<void> {
  let working: Promise<void> | undefined;
  await sql.begin(async (transaction) => {
    await transaction`lock table session_ends in share mode`;
    working = work();
    working.catch(() => {});
    await sleep(LONGER_THAN_A_REQUEST_MILLIS);
  });
  await working;
}

/** Nodes that are started after the loss know nothing, and load nothing. */
async function restartAmongMany(site: Site, options: LostEndsOptions): Promise<Finding[]> {
  const { storedSessions } = options.counts;
  const readyMillis: number[] = [];
  let usualMillis = 0;
  async function startNode(node: Node): Promise<number> {
    const began = performance.now();
    await node.start();
    while (!(await fetch(`${node.origin}/actuator/health/readiness`)).ok) {}
    return Math.round(performance.now() - began);
  }
  const findings = await loseEndsOn(site, await openLosableRedis(), options, ({ redis, client }, { fleet }) => [
    {
      fault: `older snapshot, ${storedSessions} sessions, all nodes restarted`,
      async prepare() {
        await writeSessions(client, fleet.keyPrefix, storedSessions);
        await client.save();
        await fleet.nodes[0]!.kill();
        usualMillis = await startNode(fleet.nodes[0]!);
      },
      async lose() {
        await Promise.all(fleet.nodes.map((node) => node.kill()));
        await restart(redis);
        for (const node of fleet.nodes) readyMillis.push(await startNode(node));
      },
    },
  ]);
  const late = site.isTimed === false ? [] : readyMillis.filter((millis) => millis > READY_WITHIN_MILLIS);
  return findings.map((finding) => ({
    ...finding,
    measured: `${finding.measured}, nodes ready after ${readyMillis.join(' and ')} ms, before the loss ${usualMillis} ms`,
    violations: [
      ...finding.violations,
      ...late.map((millis) => ({ kind: 'late-recovery' as const, key: finding.fault, detail: `${millis} ms` })),
    ],
  }));
}

/** Copies of a record that the server wrote, under other names. */
async function writeSessions(client: Redis, keyPrefix: string, count: number): Promise<void> {
  const [like] = await client.keys(`${keyPrefix}*session:admin:*`);
  const text = await client.get(like!);
  const nameOf = (index: number) => like!.replace(/[^:]+$/, `crowd-${index}`);
  for (let written = 0; written < count; written += BATCH) {
    const pipeline = client.pipeline();
    for (let index = written; index < Math.min(written + BATCH, count); index += 1) {
      pipeline.set(nameOf(index), text!, 'EX', 24 * 3600);
    }
    await pipeline.exec();
  }
}
