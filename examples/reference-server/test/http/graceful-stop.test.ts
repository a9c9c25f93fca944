import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { gracefulStop } from '../../src/http/graceful-stop.js';
import { openTestBench, type TestBench } from '../support/test-app.js';

const GET_HEALTH = 'GET /actuator/health HTTP/1.1\r\nHost: a\r\n\r\n';
const GET_SLOW = 'GET /test/slow HTTP/1.1\r\nHost: a\r\n\r\n';

describe('the end of a server', () => {
  let bench: TestBench;
  let sockets: Socket[] = [];
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  });
  afterAll(() => bench.close());

  /** A server with a route that answers when the test releases it. */
  async function listening() {
    const config = bench.config();
    const app: App = createApp(config);
    await bench.compose(app, config);
    let answer = () => {};
    const arrived = new Promise<void>((resolve) => {
      app.get('/test/slow', { config: { access: 'public', audit: false } }, async () => {
        resolve();
        await new Promise<void>((release) => {
          answer = release;
        });
        return { data: 'whole' };
      });
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    return { app, arrived, answer: () => answer() };
  }
  async function connected(app: Pick<App, 'server'>): Promise<Socket> {
    const accepted = once(app.server, 'connection');
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    await Promise.all([accepted, once(socket, 'connect')]);
    return socket;
  }

  it('OPS-7 idle connections, before or after a request, do not delay the stop', async () => {
    const { app } = await listening();
    const spare = await connected(app);
    const kept = await connected(app);
    kept.write(GET_HEALTH);
    expect(String((await once(kept, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/);
    const ends = [spare, kept].map((socket) => once(socket, 'close'));
    await app.close();
    await Promise.all(ends);
  });

  it('SV-10 OPS-7 a request in progress is answered completely, a new one not at all, and then the server ends', async () => {
    const { app, arrived, answer } = await listening();
    const { port } = app.server.address() as AddressInfo;
    const client = await connected(app);
    const answered = text(client);
    client.write(GET_SLOW);
    await arrived;
    const spare = await connected(app);
    const spared = once(spare, 'close');
    const closing = app.close();
    // The stop has begun, and the request is not answered yet.
    await spared;
    const late = connect(port, '127.0.0.1');
    sockets.push(late);
    late.on('error', () => {});
    late.write(GET_HEALTH);
    await new Promise((resolve) => late.once('close', resolve));
    expect(late.bytesRead).toBe(0);
    answer();
    await closing;
    const response = await answered;
    expect(response).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n/i);
    expect(response).toContain('{"data":"whole"}');
  });

  it('OPS-7 an answer whose headers were already sent is completed, and its connection is closed', async () => {
    const app = Fastify();
    await app.register(gracefulStop, { drainMillis: 600_000 });
    let end = () => {};
    app.get('/', (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-length': 4 });
      reply.raw.write('ha');
      end = () => reply.raw.end('lf');
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const client = await connected(app);
    const answered = text(client);
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await vi.waitFor(() => expect(client.bytesRead).toBeGreaterThan(0), { timeout: 20_000, interval: 10 });
    const spare = await connected(app);
    const spared = once(spare, 'close');
    const closing = app.close();
    await spared;
    end();
    await closing;
    expect(await answered).toMatch(/\r\n\r\nhalf$/);
  });

  it.each([
    ['whose headers stop half-way', 'GET / HTTP/1.1\r\nHos'],
    [
      'whose body stops half-way',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ],
  ])(
    'OPS-7 a request %s is cut off when its time is over, so that the rest of the server can end',
    async (_what, begun) => {
      const app = Fastify();
      await app.register(gracefulStop, { drainMillis: 100 });
      const ended: string[] = [];
      app.addHook('onClose', async () => {
        ended.push('queues');
      });
      app.post('/', async () => 'never');
      await app.listen({ host: '127.0.0.1', port: 0 });
      const accepted = once(app.server, 'connection');
      const client = await connected(app);
      const [socket] = (await accepted) as [Socket];
      client.write(begun);
      await vi.waitFor(() => expect(socket.bytesRead).toBe(begun.length), { timeout: 20_000, interval: 10 });
      const cut = once(client, 'close');
      await app.close();
      await cut;
      expect(ended).toEqual(['queues']);
    },
  );

  it('OPS-7 a server that never listened ends too', async () => {
    const app = Fastify();
    await app.register(gracefulStop, { drainMillis: 600_000 });
    await app.ready();
    await app.close();
  });
});
