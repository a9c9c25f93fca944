import { once } from 'node:events';
import { type AddressInfo, createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import clientIp, { type ClientIpOptions, counterKey } from '../src/index.js';

const opened: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((app) => app.close()));
});

async function createApp(options: ClientIpOptions, settings: FastifyServerOptions = {}) {
  const app = Fastify(settings);
  opened.push(app);
  await app.register(clientIp, options);
  app.get('/', async (request) => ({ clientIp: request.clientIp, key: counterKey(request.clientIp) }));
  return app;
}

async function connect(app: FastifyInstance) {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = createConnection((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** An application with the warnings that it logs. `send` sends an X-Forwarded-For and returns the client IP. */
async function logging(trustedProxies: readonly string[]) {
  const lines: unknown[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const app = await createApp({ trustedProxies }, { logger: { level: 'warn', stream } });
  const send = async (remoteAddress: string): Promise<string> =>
    (await app.inject(fromProxy({ 'x-forwarded-for': '198.51.100.7' }, remoteAddress))).json().clientIp;
  return { app, lines, send };
}

const fromProxy = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
  ({ method: 'GET', url: '/', remoteAddress, headers }) as const;

describe('the plugin', () => {
  it('LP-04 a guess with a new X-Forwarded-For meets the same counter when no proxy is trusted', async () => {
    const app = await createApp({});
    const guesses = Array.from({ length: 20 }, (_, n) =>
      app.inject(fromProxy({ 'x-forwarded-for': `6.6.6.${n}`, 'x-real-ip': `7.7.7.${n}` }, '198.51.100.7')),
    );
    const keys = (await Promise.all(guesses)).map((response) => response.json().key);
    expect(new Set(keys)).toEqual(new Set(['198.51.100.7']));
  });

  it('LP-06 takes 198.51.100.7 where Fastify with trustProxy true takes the forged 6.6.6.6', async () => {
    const app = await createApp({ trustedProxies: ['127.0.0.1'] }, { trustProxy: true });
    app.get('/fastify', async (request) => ({ ip: request.ip }));
    const headers = { 'x-forwarded-for': '6.6.6.6, 198.51.100.7' };
    expect((await app.inject(fromProxy(headers))).json().clientIp).toBe('198.51.100.7');
    expect((await app.inject({ ...fromProxy(headers), url: '/fastify' })).json().ip).toBe('6.6.6.6');
  });

  it('LP-08 three spellings of one address are one counter', async () => {
    const app = await createApp({ trustedProxies: ['127.0.0.1'] });
    const spellings = ['1.2.3.4', '::ffff:1.2.3.4', '::ffff:0102:0304'];
    const replies = await Promise.all([
      ...spellings.map((spelling) => app.inject(fromProxy({ 'x-forwarded-for': spelling }))),
      ...spellings.map((spelling) => app.inject(fromProxy({}, spelling))),
    ]);
    expect(new Set(replies.map((reply) => reply.json().key))).toEqual(new Set(['1.2.3.4']));
  });

  it('AU-12 shows the canonical address of the real client, whatever headers are forged', async () => {
    const app = await createApp({ trustedProxies: ['10.0.0.1'] });
    const forged = { 'x-forwarded-for': '6.6.6.6', 'x-real-ip': '6.6.6.6' };
    expect((await app.inject(fromProxy(forged, '2001:0DB8::0:1'))).json().clientIp).toBe('2001:db8::1');
    const chain = { 'x-forwarded-for': '6.6.6.6, [2001:DB8::0:1]:5555', 'x-real-ip': '6.6.6.6' };
    expect((await app.inject(fromProxy(chain, '::ffff:10.0.0.1'))).json().clientIp).toBe('2001:db8::1');
  });

  it('IP-1 gives every later hook, the 404 handler and the error handler one address', async () => {
    const app = await createApp({ trustedProxies: ['127.0.0.1'] });
    const seen: string[] = [];
    app.addHook('onRequest', async (request) => void seen.push(request.clientIp));
    app.setNotFoundHandler(async (request) => void seen.push(request.clientIp));
    app.setErrorHandler(async (_error, request) => void seen.push(request.clientIp));
    app.get('/fails', async () => {
      throw new Error('no');
    });
    await app.inject({ ...fromProxy({ 'x-forwarded-for': '198.51.100.7' }), url: '/unknown' });
    await app.inject({ ...fromProxy({ 'x-forwarded-for': '198.51.100.7' }), url: '/fails' });
    expect(seen).toEqual(Array(4).fill('198.51.100.7'));
  });

  it('IP-1 keeps the address of a client that hangs up while it is served', async () => {
    const app = await createApp({});
    const seen: string[] = [];
    app.post('/slow', async (request) => {
      request.raw.socket.destroy();
      seen.push(request.clientIp);
      return {};
    });
    const socket = await connect(app);
    socket.write('POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
    await once(socket, 'close');
    expect(seen).toEqual(['127.0.0.1']);
  });

  it('IP-2 reads several X-Forwarded-For lines from a socket as one list', async () => {
    const app = await createApp({ trustedProxies: ['127.0.0.1'] });
    const socket = await connect(app);
    const lines = [
      'GET / HTTP/1.1',
      'Host: a',
      'Connection: close',
      'X-Forwarded-For: 6.6.6.6',
      'x-forwarded-for: 198.51.100.7',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    expect(await text(socket)).toContain('"clientIp":"198.51.100.7"');
  });

  it('ADP-1 IP-2 refuses the start over bad options, naming every fault', async () => {
    const start = async (options: object) => {
      const app = Fastify();
      opened.push(app);
      await app.register(clientIp, options);
    };
    await expect(start({ trustedProxies: ['loopback', '10.0.0.0/40'] })).rejects.toThrow(
      /^client-ip:\n- trustedProxies\[0\].*\n- trustedProxies\[1\]/,
    );
    await expect(start({ trustedProxy: ['10.0.0.1'] })).rejects.toMatchObject({
      code: 'CLIENT_IP_SETUP_INVALID',
      message: 'client-ip: trustedProxy is not an option; did you mean trustedProxies?',
    });
    // What Fastify's `register` itself takes is no fault.
    await expect(start({ prefix: '/x', logLevel: 'warn' })).resolves.toBeUndefined();
  });

  it.each(['10.0.0.9', '172.16.0.1', '192.168.1.1', 'fd00::1', '127.0.0.1', '::ffff:10.0.0.9'])(
    'IP-2 warns once of a header from the private address %s that is not trusted',
    async (remoteAddress) => {
      const { lines, send } = await logging(['10.1.0.0/16']);
      expect(await send(remoteAddress)).not.toBe('198.51.100.7');
      await send(remoteAddress);
      await send('10.0.0.10');
      expect(lines).toEqual([
        expect.objectContaining({
          level: 40,
          peer: remoteAddress.replace('::ffff:', ''),
          msg: expect.stringMatching(/private address that is not in trustedProxies/),
        }),
      ]);
    },
  );

  it('IP-2 warns of no header from a trusted proxy, from a public address or from nobody', async () => {
    const { lines, send, app } = await logging(['10.1.0.0/16']);
    expect(await send('10.1.0.1')).toBe('198.51.100.7');
    await send('203.0.113.9');
    await send('2001:db8::9');
    await app.inject({ url: '/', remoteAddress: '10.0.0.9' });
    expect(lines).toEqual([]);
  });

  it('HTTP-3 offers the engine before any hook, as genReqId needs it', async () => {
    const app = await createApp({ trustedProxies: ['10.0.0.0/8'] });
    expect(app.clientIp.isTrustedProxy('10.9.9.9')).toBe(true);
    expect(app.clientIp.isTrustedProxy('11.9.9.9')).toBe(false);
  });
});
