import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { createPostgresStore, createTtlEntriesTable } from '@sallyport/ttl-store/postgres';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import { drizzle } from 'drizzle-orm/postgres-js';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';

/** One store as two nodes open it. */
export interface OpenedStore {
  readonly nodes: readonly [TtlStore, TtlStore];
  close(): Promise<void>;
}

/** Every store that a deployment may choose; null where this machine has no such service. */
export const stores: readonly (readonly [name: string, open: (() => Promise<OpenedStore>) | null])[] = [
  ['memory', openMemory],
  ['Redis', inject('redisUrl') === null ? null : () => openRedis(inject('redisUrl') as string)],
  ['PostgreSQL', openPostgres],
];

async function openMemory(): Promise<OpenedStore> {
  const store = createMemoryStore();
  return { nodes: [store, store], close: async () => {} };
}

async function openRedis(url: string): Promise<OpenedStore> {
  const keyPrefix = `t:${randomUUID()}:`;
  const clients = [new Redis(url), new Redis(url)] as const;
  return {
    nodes: [createRedisStore({ client: clients[0], keyPrefix }), createRedisStore({ client: clients[1], keyPrefix })],
    close: async () => {
      await Promise.all(clients.map((client) => client.quit()));
    },
  };
}

async function openPostgres(): Promise<OpenedStore> {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(inject('databaseUrl'));
  const owner = postgres(url.href, { max: 1 });
  await owner.unsafe(`create database ${name}`);
  url.pathname = name;
  const pools = [postgres(url.href, { max: 5 }), postgres(url.href, { max: 5 })] as const;
  await createTtlEntriesTable(drizzle(pools[0]));
  return {
    nodes: [createPostgresStore({ database: drizzle(pools[0]) }), createPostgresStore({ database: drizzle(pools[1]) })],
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await owner.unsafe(`drop database ${name}`);
      await owner.end();
    },
  };
}

/** A Redis of a test's own, to be stopped and flushed at will. */
export async function startOwnRedis(): Promise<{ port: number; client: Redis; stop(): Promise<void> }> {
  const port = await freePort();
  const flags = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', tmpdir()];
  const server = spawn('redis-server', flags, { stdio: 'ignore' });
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };
  onTestFinished(stop);
  while (!(await accepts(port))) await sleep(20);
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 100 });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return { port, client, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function accepts(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
