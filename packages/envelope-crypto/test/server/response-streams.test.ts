import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { seal } from '../sealed-request.js';
import { createService, type Service } from '../service.js';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

/** A stream without an end, that counts. */
interface Source {
  readonly payload: unknown;
  readonly pulls: () => number;
  /** When it is stopped. */
  readonly stopped: Promise<void>;
}

/** @param next the next chunk. The source waits for it. */
type MakeSource = (next: () => Promise<Uint8Array>) => Source;

const webSource: MakeSource = (next) => {
  let pulls = 0;
  const { promise: stopped, resolve } = withResolver();
  const payload = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pulls += 1;
        const chunk = await next();
        controller.enqueue(chunk);
      },
      cancel: resolve,
    },
    { highWaterMark: 0 },
  );
  return { payload, pulls: () => pulls, stopped };
};

const nodeSource: MakeSource = (next) => {
  let pulls = 0;
  const { promise: stopped, resolve } = withResolver();
  const payload = new Readable({
    highWaterMark: 1,
    read() {
      pulls += 1;
      void next().then((chunk) => this.push(chunk));
    },
    destroy(error, done) {
      resolve();
      done(error);
    },
  });
  return { payload, pulls: () => pulls, stopped };
};

/** A `Response`, of any implementation, has its stream. */
const responseSource: MakeSource = (next) => {
  const source = webSource(next);
  const body = source.payload as ReadableStream<Uint8Array>;
  return { ...source, payload: new Response(body, { headers: { 'content-type': 'application/json' } }) };
};

const SOURCES: readonly [string, MakeSource][] = [
  ['a stream of Node.js', nodeSource],
  ['a web stream', webSource],
  ['a fetch Response', responseSource],
];

function withResolver() {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

type Send = (reply: FastifyReply) => Promise<unknown>;

/** A service that listens, and a client of it that can hang up. */
async function serve(send: Send) {
  const service = await createService({ routes: (app) => app.get('/stream', async (_request, reply) => send(reply)) });
  opened.push(service);
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  await once(client, 'connect');
  const { url, headers } = seal(service, { method: 'GET', path: '/stream' }).request();
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`GET ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return { service, client };
}

describe('a JSON stream without an end', () => {
  it.each(SOURCES)('ENV-1 is stopped when the client hangs up: %s', async (_, make) => {
    const begun = withResolver();
    const second = withResolver();
    let chunks = 0;
    const source = make(async () => {
      chunks += 1;
      if (chunks === 2) {
        begun.resolve();
        await second.promise;
      }
      return Buffer.from('[1,');
    });
    const { client } = await serve(async (reply) => reply.type('application/json').send(source.payload));
    await begun.promise;
    client.destroy();
    await source.stopped;
    second.resolve();
    expect(source.pulls()).toBe(2);
  });

  it.each(SOURCES)('ENV-1 is not read for a client that has hung up before: %s', async (_, make) => {
    const asked = withResolver();
    const source = make(async () => Buffer.from('[1,'));
    const { client } = await serve(async (reply) => {
      const closed = once(reply.raw, 'close');
      asked.resolve();
      await closed;
      return reply.type('application/json').send(source.payload);
    });
    await asked.promise;
    client.destroy();
    await source.stopped;
    expect(source.pulls()).toBeLessThanOrEqual(1);
  });

  it.each(SOURCES)('ENV-1 is stopped after 16 MiB, and a plaintext 500 without data is sent: %s', async (_, make) => {
    const source = make(async () => Buffer.alloc(1024 * 1024, ' '));
    const service = await createService({
      routes: (app) =>
        app.get('/stream', async (_request, reply) => reply.type('application/json').send(source.payload)),
    });
    opened.push(service);
    const response = await seal(service, { method: 'GET', path: '/stream' }).send();
    expect(response.statusCode).toBe(500);
    expect(response.json()).toMatchObject({ code: 'ENVELOPE_SEALING_FAILED' });
    expect(response.headers).not.toHaveProperty('api-encryption');
    await source.stopped;
    expect(source.pulls()).toBeLessThanOrEqual(18);
  });
});
