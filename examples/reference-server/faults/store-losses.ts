import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisCluster } from '../../../scripts/redis-cluster.js';
import { createRedisProcess, type RedisProcess } from '../../../scripts/redis-process.js';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';
import type { LosableRedis } from './losable-redis.js';
import type { SharedFleet } from './scenarios/shared-fleet.js';

/** A way in which a store loses what was written to it. */
export interface StoreLoss {
  readonly fault: string;
  /** Before that is written. */
  prepare?(): Promise<unknown>;
  /** How sessions end before it. Default: each request of an end finds its session, and succeeds. */
  readonly ends?: UnseenEnds;
  /** After it was written. */
  lose(shared: SharedFleet): Promise<unknown>;
}

/**
 * Ends that don't find their sessions in the store: it was flushed before (`empty`), or an earlier attempt has ended
 * them there, and failed in the database (`repeated`).
 */
export type UnseenEnds = 'empty' | 'repeated';

/**
 * Losses of what the store should have been told by such ends: an older copy returns.
 *
 * @param masters of a Cluster, or the only Redis
 */
export function unseenEndLosses(masters: readonly Redis[]): readonly StoreLoss[] {
  let older: readonly Snapshot[] = [];
  const prepare = async () => {
    older = await Promise.all(masters.map(readAll));
  };
  const lose = () => Promise.all(masters.map((master, index) => restoreAll(master, older[index]!)));
  return [
    { fault: 'ends while the store is empty, and an older copy returns', ends: 'empty', prepare, lose },
    { fault: 'ends that failed and were repeated, and an older copy returns', ends: 'repeated', prepare, lose },
  ];
}

/** No node knows anything afterwards. */
export async function withNodesStopped({ fleet }: SharedFleet, work: () => Promise<unknown>): Promise<void> {
  await Promise.all(fleet.nodes.map((node) => node.kill()));
  await work();
  await Promise.all(fleet.nodes.map((node) => node.start()));
}

/** The last one leaves another process behind the address of the store. */
export function redisLosses(losable: LosableRedis): readonly StoreLoss[] {
  const { redis, client } = losable;
  let older: Snapshot | null = null;
  return [
    { fault: 'flush', lose: () => client.flushall() },
    { fault: 'flush, and all nodes restarted', lose: (shared) => withNodesStopped(shared, () => client.flushall()) },
    { fault: 'restore of an older snapshot', prepare: () => client.save(), lose: () => restart(redis) },
    {
      fault: 'restore into the running Redis',
      async prepare() {
        older = await readAll(client);
      },
      lose: () => restoreAll(client, older!),
    },
    laggingReplica(losable),
  ];
}

/** Of a Redis with an append-only file. */
export function appendOnlyLosses({ redis, folder }: LosableRedis): readonly StoreLoss[] {
  let bytes = 0;
  return [
    { fault: 'restart with AOF always', lose: () => restart(redis) },
    {
      fault: 'restart with an AOF that was cut',
      async prepare() {
        bytes = (await appendOnlyFile(folder)).size;
      },
      async lose() {
        await redis.kill();
        // In the middle of the command that came first afterwards, as a crash of the machine leaves the file.
        await truncate((await appendOnlyFile(folder)).path, bytes + 5);
        await redis.start();
      },
    },
  ];
}

export async function restart(redis: RedisProcess): Promise<void> {
  await redis.kill();
  await redis.start();
}

function laggingReplica({ redis, proxy, closeLater }: LosableRedis): StoreLoss {
  let replica: RedisProcess | null = null;
  let link: FaultProxy | null = null;
  return {
    fault: 'lagging replica promoted',
    async prepare() {
      link = await startFaultProxy(redis.port);
      replica = await createRedisProcess('--replicaof', '127.0.0.1', `${link.port}`);
      closeLater(replica.kill);
      await replica.start();
      await withClient(replica, (client) => until(async () => /master_link_status:up/.test(await roleOf(client))));
      // From here on the replica hears nothing.
      link.inject({ kind: 'black-hole' });
    },
    async lose() {
      await withClient(replica!, (client) => client.replicaof('NO', 'ONE'));
      proxy.redirect(replica!.port);
      await link!.close();
    },
  };
}

/** The last one leaves the Cluster without a replica of its first master. */
export function clusterLosses({ nodes, agreed }: RedisCluster): readonly StoreLoss[] {
  const [master] = nodes as readonly [RedisProcess, ...RedisProcess[]];
  let replica: RedisProcess | null = null;
  const flush = (node: RedisProcess) => withClient(node, (client) => client.flushall());
  return [
    { fault: 'flush of one master', lose: () => flush(master) },
    {
      fault: 'flush',
      async lose() {
        // A replica refuses to write.
        for (const node of nodes) await flush(node).catch(() => {});
      },
    },
    {
      fault: 'a master killed, whose replica lags',
      async prepare() {
        replica = await replicaOf(master, nodes);
        // However long it has heard nothing, it takes over.
        await withClient(replica, (client) => client.config('SET', 'cluster-replica-validity-factor', '0'));
        await withClient(master, async (client) => {
          await client.call('ACL', 'SETUSER', 'default', '-psync', '-sync');
          await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
        });
      },
      async lose() {
        await master.kill();
        await withClient(replica!, (client) => until(async () => /role:master/.test(await roleOf(client))));
        await agreed();
      },
    },
  ];
}

async function replicaOf({ port }: RedisProcess, nodes: readonly RedisProcess[]): Promise<RedisProcess> {
  for (const node of nodes) {
    if (new RegExp(`master_port:${port}\\b`).test(await withClient(node, roleOf))) return node;
  }
  throw new Error('the master has no replica');
}

const roleOf = (client: Redis) => client.info('replication');

async function withClient<Result>({ url }: RedisProcess, work: (client: Redis) => Promise<Result>): Promise<Result> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(50);
}

/** The file of Redis 7, or the only one of earlier releases, which appends to it as well. */
async function appendOnlyFile(folder: string): Promise<{ readonly path: string; readonly size: number }> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /(?:incr|appendonly)\.aof$/.test(name));
  const path = join(folder, names[0]!);
  return { path, size: (await stat(path)).size };
}

type Snapshot = readonly { readonly key: string; readonly dump: Buffer; readonly expiresAt: number }[];

async function readAll(client: Redis): Promise<Snapshot> {
  const [seconds] = await client.time();
  const entries: { key: string; dump: Buffer; expiresAt: number }[] = [];
  for (const key of await client.keys('*')) {
    const [dump, ttlMillis] = await Promise.all([client.dumpBuffer(key), client.pttl(key)]);
    if (dump !== null) entries.push({ key, dump, expiresAt: ttlMillis < 0 ? 0 : Number(seconds) * 1000 + ttlMillis });
  }
  return entries;
}

/** A transaction of a Cluster takes keys of one slot. A script that declares none takes all keys of its node. */
const RESTORE_ALL = `
  redis.call('FLUSHALL')
  for index = 1, #ARGV, 3 do redis.call('RESTORE', ARGV[index], ARGV[index + 1], ARGV[index + 2], 'ABSTTL') end`;

/** In one step, so that nobody sees the store empty. */
async function restoreAll(client: Redis, snapshot: Snapshot): Promise<void> {
  const entries = snapshot.flatMap(({ key, dump, expiresAt }) => [key, expiresAt, dump]);
  await client.eval(RESTORE_ALL, 0, ...entries);
}
