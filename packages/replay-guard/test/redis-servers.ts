import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';

/** Whether tests can have a Redis of their own here. */
export const hasRedisServer = spawnSync('redis-server', ['--version']).error === undefined;

export const loopback = (port: number) => `redis://127.0.0.1:${port}`;

/** A client that is closed with its test, and whose lost connections are no news. */
export function connectRedis(url: string): Redis {
  const client = new Redis(url, { retryStrategy: () => 100 });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** A Redis of this test's own, to be stopped and started at will. */
export async function startRedis(port?: number): Promise<{ port: number; stop(): Promise<void> }> {
  const chosen = port ?? (await freePort());
  const flags = [
    '--port',
    String(chosen),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    tmpdir(),
  ];
  const server: ChildProcess = spawn('redis-server', flags, { stdio: 'ignore' });
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };
  onTestFinished(stop);
  while (!(await accepts(chosen))) await sleep(20);
  return { port: chosen, stop };
}

/** A proxy in front of a port that passes everything on at once, and answers as late as it is told. */
export async function startDelayingProxy(
  target: number,
): Promise<{ port: number; delayAnswers(millis: number): void }> {
  let delay = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.pipe(upstream);
    // In order, however the delay changes meanwhile.
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
    port: (server.address() as AddressInfo).port,
    delayAnswers(millis) {
      delay = millis;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
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
