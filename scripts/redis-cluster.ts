import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.mjs';
import { createRedisProcess, type RedisProcess, redisServerMajor } from './redis-process.js';

const run = promisify(execFile);

/**
 * A node that is silent for this long counts as down, in milliseconds; a replica takes over. Redis's default is 15 s.
 */
const NODE_TIMEOUT_MILLIS = 2000;

/** How long the nodes of a busy machine may need to agree, in milliseconds. */
const AGREEMENT_LIMIT_MILLIS = 60_000;

/**
 * Whether a Cluster can run here. It takes `redis-cli`, and Redis 7, the first that takes a port for the cluster bus.
 */
export const canStartRedisCluster: boolean =
  redisServerMajor !== null &&
  redisServerMajor >= 7 &&
  spawnSync('redis-cli', ['--version'], { stdio: 'ignore' }).status === 0;

/** A Redis Cluster of processes on loopback, created as an operator would. */
export interface RedisCluster {
  /** The masters as they were at the start, then their replicas. They keep their names when they are started again. */
  readonly nodes: readonly RedisProcess[];
  /** The URL of the first node. */
  readonly url: string;
  /** Runs `redis-cli`, such as `cli('--cluster', 'reshard', …)`. Resolves to its output. */
  cli(...words: readonly string[]): Promise<string>;
  /** Resolves when every running node reports that all slots are served. */
  agreed(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the given number of masters, each with the given number of replicas (default 0). */
export async function startRedisCluster(masters: number, replicas = 0): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-cluster-'));
  const places = await Promise.all(Array.from({ length: masters * (1 + replicas) }, () => createNode(folder)));
  const nodes = places.map(({ node }) => node);
  const cli = async (...words: readonly string[]) => (await run('redis-cli', [...words])).stdout;

  async function isAgreed(): Promise<boolean> {
    const states = await Promise.allSettled(nodes.map(({ port }) => cli('-p', String(port), 'CLUSTER', 'INFO')));
    const answers = states.flatMap((state) => (state.status === 'fulfilled' ? [state.value] : []));
    return (
      answers.length >= masters &&
      answers.every((info) => /cluster_state:ok/.test(info) && !/slots_fail:[1-9]/.test(info))
    );
  }

  async function close(): Promise<void> {
    await Promise.all(nodes.map((node) => node.kill()));
    await rm(folder, { recursive: true, force: true });
  }

  const cluster: RedisCluster = {
    nodes,
    url: nodes[0]!.url,
    cli,
    agreed: () => until(isAgreed, 'the nodes of the Redis Cluster do not agree'),
    close,
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    const addresses = places.map(({ node, busPort }) => `127.0.0.1:${node.port}@${busPort}`);
    const copies = ['--cluster-replicas', String(replicas)];
    await cli('--cluster', 'create', ...addresses, ...copies, '--cluster-yes');
    await cluster.agreed();
    for (const { port } of nodes.slice(masters)) {
      const isReplica = async () => /master_link_status:up/.test(await cli('-p', String(port), 'INFO', 'replication'));
      await until(isReplica, 'the replicas of the Redis Cluster have no masters');
    }
    return cluster;
  } catch (error) {
    await close();
    throw error;
  }
}

async function until(isTrue: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const deadline = Date.now() + AGREEMENT_LIMIT_MILLIS; !(await isTrue()); await sleep(100)) {
    if (Date.now() > deadline) throw new Error(otherwise);
  }
}

async function createNode(folder: string): Promise<{ node: RedisProcess; busPort: number }> {
  const busPort = await freePort();
  const node = await createRedisProcess(
    ...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
    ...['--cluster-node-timeout', String(NODE_TIMEOUT_MILLIS)],
    // The name survives the process, so that a restarted process is the same node.
    ...['--cluster-config-file', join(folder, `nodes-${busPort}.conf`)],
  );
  return { node, busPort };
}
