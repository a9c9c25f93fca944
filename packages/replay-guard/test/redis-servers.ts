import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { createRedisProcess, type RedisProcess } from '../../../scripts/redis-process.js';

/** A client that is closed after its test and ignores lost connections. */
export function connectRedis(url: string): Redis {
  const client = new Redis(url, { retryStrategy: () => 100 });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** A Redis of this test, which the test stops and starts. */
export async function startRedis(): Promise<RedisProcess> {
  const redis = await createRedisProcess();
  onTestFinished(redis.kill);
  await redis.start();
  return redis;
}

/** A proxy that forwards requests at once, and delays answers by a given time. */
export async function startDelayingProxy(target: number): Promise<{ url: string; delayAnswers(millis: number): void }> {
  let delay = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.pipe(upstream);
    // Answers keep their order when the delay changes.
    let last = Promise.resolve();
    upstream.on('data', (answer: Buffer) => {
      const due = sleep(delay);
      last = last.then(() => due).then(() => void client.write(answer));
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delayAnswers(millis) {
      delay = millis;
    },
  };
}
