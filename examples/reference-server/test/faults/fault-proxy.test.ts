import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../faults/fault-proxy.js';

/** The client side of a connection through the proxy, with the bytes that it received. */
interface Client {
  readonly socket: Socket;
  received(): string;
  /** Resolves with how the connection ended. */
  readonly ended: Promise<'end' | 'reset'>;
}

describe('the fault proxy, over real sockets', () => {
  let echo: Server;
  let reachedServer: string;
  let proxy: FaultProxy;
  let clients: Socket[];

  beforeEach(async () => {
    reachedServer = '';
    clients = [];
    echo = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        reachedServer += bytes.toString();
        socket.write(bytes);
      });
      socket.on('end', () => socket.end());
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await startFaultProxy((echo.address() as { port: number }).port);
  });
  afterEach(async () => {
    for (const socket of clients) socket.destroy();
    await proxy.close();
    echo.close();
  });

  async function open(): Promise<Client> {
    const socket = createConnection({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    clients.push(socket);
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    const ended = new Promise<'end' | 'reset'>((resolve) => {
      socket.once('end', () => resolve('end'));
      socket.once('error', () => resolve('reset'));
    });
    await once(socket, 'connect');
    return { socket, received: () => text, ended };
  }

  /** Waits long enough to detect bytes that arrive although the fault must hold them back. */
  const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));
  const arrives = (client: Client, text: string) => vi.waitFor(() => expect(client.received()).toBe(text), 10_000);

  it('passes bytes both ways, and the end of each side', async () => {
    const client = await open();
    client.socket.write('hello');
    await arrives(client, 'hello');
    client.socket.end(' and bye');
    expect(await client.ended).toBe('end');
    expect(client.received()).toBe('hello and bye');
  });

  it('carries megabytes whole and in order when the reader is slow', async () => {
    const client = await open();
    const sent = Buffer.alloc(6 * 1024 * 1024, 'abcdefghijklmnopqrstuvwxyz012345').toString();
    client.socket.pause();
    client.socket.end(sent);
    await pause(100);
    client.socket.resume();
    await client.ended;
    expect(client.received() === sent).toBe(true);
  });

  it('delays each byte and the end of the stream by the given time, in order', async () => {
    proxy.inject({ kind: 'delay', millis: 150 }, 'to-server');
    const client = await open();
    const began = performance.now();
    client.socket.write('one ');
    client.socket.end('two');
    expect(await client.ended).toBe('end');
    expect(performance.now() - began).toBeGreaterThanOrEqual(150);
    expect(client.received()).toBe('one two');
  });

  it('holds one direction back in a black hole, and delivers the held bytes when it is healed', async () => {
    const client = await open();
    proxy.inject({ kind: 'black-hole' }, 'to-client');
    client.socket.write('unanswered');
    await vi.waitFor(() => expect(reachedServer).toBe('unanswered'), 10_000);
    await pause(50);
    expect(client.received()).toBe('');
    proxy.heal();
    await arrives(client, 'unanswered');
  });

  it('delivers nothing to the server in a black hole of that direction', async () => {
    const client = await open();
    proxy.inject({ kind: 'black-hole' }, 'to-server');
    client.socket.write('unheard');
    await pause(50);
    expect(reachedServer).toBe('');
    proxy.heal();
    await arrives(client, 'unheard');
  });

  it('resets open connections and new ones, until it is healed', async () => {
    const client = await open();
    proxy.inject({ kind: 'reset' });
    expect(await client.ended).toBe('reset');
    const next = createConnection({ port: proxy.port, host: '127.0.0.1' });
    clients.push(next);
    await once(next, 'error');
    proxy.heal();
    const healed = await open();
    healed.socket.write('again');
    await arrives(healed, 'again');
  });

  it('cuts an answer after the given number of bytes, and ends the connection', async () => {
    const client = await open();
    client.socket.write('warm');
    await arrives(client, 'warm');
    proxy.inject({ kind: 'cut', afterBytes: 3 }, 'to-client');
    client.socket.write('answer');
    // A reset that comes together with the last bytes looks like an end to the reader.
    await client.ended;
    expect(client.received()).toBe('warmans');
    expect(reachedServer).toBe('warmanswer');
  });

  it('cuts after nothing: the request arrives, its answer never does', async () => {
    const client = await open();
    proxy.inject({ kind: 'cut', afterBytes: 0 }, 'to-client');
    client.socket.write('lost answer');
    expect(await client.ended).toBe('reset');
    expect(reachedServer).toBe('lost answer');
    expect(client.received()).toBe('');
  });

  it('resets each open connection with the given probability, and returns how many', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    await vi.waitFor(() => expect(proxy.connections()).toBe(2), 10_000);
    expect(proxy.resetConnections(0)).toBe(0);
    expect(proxy.resetConnections()).toBe(2);
    expect(await Promise.all([first.ended, second.ended])).toEqual(['reset', 'reset']);
    await vi.waitFor(() => expect(proxy.connections()).toBe(0), 10_000);
  });

  it('resets a client whose server is down', async () => {
    echo.close();
    await once(echo, 'close');
    const client = createConnection({ port: proxy.port, host: '127.0.0.1' });
    clients.push(client);
    const [error] = await once(client, 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });
});
