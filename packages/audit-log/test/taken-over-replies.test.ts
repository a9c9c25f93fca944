import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type AuditLogOptions, auditLog, createMemorySink } from '../src/index.js';
import { openSocket, routeUpgrades } from './ways-to-end.js';

const SOON = { timeout: 5000, interval: 2 };

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

async function serve(
  handler: Handler,
  options: Partial<AuditLogOptions> = {},
  http2 = false,
  prepare = (_request: FastifyRequest) => {},
) {
  const sink = createMemorySink();
  const app = Fastify({ forceCloseConnections: true, ...(http2 && ({ http2: true } as object)) });
  onTestFinished(() => app.close());
  await app.register(auditLog, { sink, ...options });
  app.addHook('preHandler', async (request) => prepare(request));
  app.get('/events', { config: { audit: 'event' } }, handler);
  app.get('/plain', { config: { audit: 'plain' } }, async () => 'ok');
  routeUpgrades(app);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, sink, address, port: (app.server.address() as { port: number }).port };
}

/** A sink whose records wait until `release`, or are refused. */
function slowSink() {
  const memory = createMemorySink();
  const waiting = { release: () => {}, refuse: (_error: Error) => {} };
  const gate = new Promise<void>((resolve, reject) => {
    Object.assign(waiting, { release: resolve, refuse: reject });
  });
  gate.catch(() => {});
  const append = vi.fn<typeof memory.append>((records) => gate.then(() => memory.append(records)));
  return { sink: { append }, waiting, append, records: memory.records };
}

function sendEvents(_request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: secret\n\n');
}

const told = ({ action, outcome, reason }: { action: string; outcome: string; reason: string | null }) => [
  ...[action, outcome, reason],
];

it('AUD-14 AUD-4 no byte of a reply that was taken over leaves before its record is committed', async () => {
  const { sink, waiting, append, records } = slowSink();
  const { port } = await serve(sendEvents, { sink, commitTimeoutMillis: 60_000 });
  const socket = await openSocket(port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write('GET /events HTTP/1.1\r\nhost: test\r\n\r\n');
  await vi.waitFor(() => expect(append).toHaveBeenCalledOnce(), SOON);
  await new Promise((resolve) => setImmediate(resolve));
  expect(received).toBe('');
  waiting.release();
  await vi.waitFor(() => expect(received).toMatch(/^HTTP\/1.1 200 OK\r\n.*data: secret/s), SOON);
  expect(records().map(told)).toEqual([['event.read', 'unknown', null]]);
  socket.destroy();
  await vi.waitFor(() => expect(records().map(told)).toEqual([['event.read', 'success', 'REPLY_CUT']]), SOON);
});

it.each([false, true])(
  'AUD-14 AUD-4 a record that is refused replaces what was written (HTTP/2: %s)',
  async (http2) => {
    const { sink, waiting } = slowSink();
    waiting.refuse(new Error('away'));
    const handler: Handler = (request, reply) => {
      reply.raw.setHeader('x-secret', 'of the handler');
      sendEvents(request, reply);
      reply.raw.write('data: more\n\n');
      setImmediate(() => reply.raw.write('data: later\n\n'));
    };
    const { app, address } = await serve(handler, { sink }, http2);
    const { status, headers, body } = await (http2 ? getHttp2(address) : getHttp1(address));
    expect(status).toBe(503);
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
    expect(headers).not.toHaveProperty('x-secret');
    expect(JSON.parse(body)).toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    await vi.waitFor(() => expect(app.auditLog.health()).toMatchObject({ open: 0, refused: 1 }), SOON);
  },
);

async function getHttp1(address: string) {
  const response = await fetch(`${address}/events`);
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: await response.text() };
}

async function getHttp2(address: string) {
  const client = connectHttp2(address);
  onTestFinished(() => client.destroy());
  const stream = client.request({ ':path': '/events' });
  const [headers] = await once(stream, 'response');
  let body = '';
  for await (const chunk of stream) body += chunk;
  return { status: headers[':status'], headers: { ...headers }, body };
}

it('AUD-14 a stream that waits for `drain` is sent as a whole', async () => {
  const text = 'x'.repeat(300_000);
  const { address, sink } = await serve(async (_request, reply) => {
    reply.hijack();
    await pipeline(Readable.from(text.match(/.{1,1000}/g) ?? []), reply.raw);
  });
  expect((await getHttp1(address)).body).toBe(text);
  await vi.waitFor(() => expect(sink.records().map(told)).toEqual([['event.read', 'success', null]]), SOON);
});

it.each([
  ['ended', (reply: FastifyReply) => reply.raw.end('x'), 'success', null],
  ['written', (reply: FastifyReply) => reply.raw.write('x'), 'success', 'REPLY_CUT'],
  ['silent', () => {}, 'unknown', 'REPLY_CUT'],
])('AUD-14 a stream of HTTP/2 has its record as well: %s', async (_name, write, outcome, reason) => {
  let reached = () => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const handler: Handler = (_request, reply) => {
    reply.hijack();
    write(reply);
    reached();
  };
  const { address, sink } = await serve(handler, {}, true);
  const client = connectHttp2(address);
  onTestFinished(() => client.destroy());
  const stream = client.request({ ':path': '/events' }).on('error', () => {});
  await (reason !== null && outcome === 'unknown' ? isReached : once(stream, 'response'));
  if (outcome === 'success' && reason === null) await once(stream.resume(), 'close');
  else stream.close(8);
  await vi.waitFor(() => expect(sink.records().map(told)).toEqual([['event.read', outcome, reason]]), SOON);
});

it('AUD-14 an upgrade is recorded before its handler, counted while it is open, and completed with its duration', async () => {
  let time = 1_000_000;
  const sink = createMemorySink();
  let before: unknown;
  const handler: Handler = (request, reply) => {
    before = sink.records().map(told);
    reply.hijack();
    request.raw.socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  };
  const { app, port } = await serve(handler, { sink, now: () => time });
  const head = 'GET /events HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: test\r\n\r\n';
  const [first, second] = [await openSocket(port), await openSocket(port)];
  for (const socket of [first, second]) {
    socket.write(head);
    await once(socket, 'data');
  }
  expect(before).toContainEqual(['event.read', 'unknown', null]);
  expect(app.auditLog.health().open).toBe(2);
  time += 3_600_000;
  first.destroy();
  const ended = () => sink.records().filter(({ outcome }) => outcome === 'success');
  await vi.waitFor(() => expect(ended()).toMatchObject([{ durationMillis: 3_600_000, reason: null }]), SOON);
  expect(app.auditLog.health().open).toBe(1);
  // The server waits for upgraded connections.
  const closing = app.close();
  second.destroy();
  await closing;
  expect(ended()).toHaveLength(2);
  expect(sink.records()).toHaveLength(2);
});

it('AUD-14 an upgrade whose record is refused does not reach its handler', async () => {
  const { sink, waiting } = slowSink();
  waiting.refuse(new Error('away'));
  const handler = vi.fn();
  const { port } = await serve(handler, { sink });
  const socket = await openSocket(port);
  socket.write('GET /events HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: test\r\n\r\n');
  const [chunk] = await once(socket, 'data');
  expect(String(chunk)).toMatch(/^HTTP\/1.1 503 /);
  expect(handler).not.toHaveBeenCalled();
});

it('AUD-14 a server that closes cuts its streams, and records their end', async () => {
  const { app, address, sink } = await serve(sendEvents);
  const { body } = await fetch(`${address}/events`);
  await app.close();
  await expect(body?.pipeTo(new WritableStream())).rejects.toThrow();
  expect(sink.records().map(told)).toEqual([['event.read', 'success', 'REPLY_CUT']]);
});

it('AUD-14 an end whose record fails is written when the sink is back', async () => {
  const memory = createMemorySink();
  let isAway = false;
  const append: typeof memory.append = async (records) => {
    if (isAway) throw new Error('away');
    await memory.append(records);
  };
  const { app, address } = await serve(sendEvents, { sink: { append }, retryMillis: 1 });
  const { body } = await fetch(`${address}/events`);
  isAway = true;
  await body?.cancel();
  await vi.waitFor(() => expect(app.auditLog.health()).toMatchObject({ open: 0, queued: 1, status: 'down' }), SOON);
  isAway = false;
  await vi.waitFor(() => expect(memory.records().map(told)).toEqual([['event.read', 'success', 'REPLY_CUT']]), SOON);
});

it('AUD-14 nothing is kept of requests that have ended: no listener, no open reply', async () => {
  const { app, port, sink } = await serve((_request, reply) => void reply.hijack().raw.end('x'));
  const socket = await openSocket(port);
  const server = new Promise<{ listenerCount(name: string): number }>((resolve) => {
    app.server.once('request', ({ socket }) => resolve(socket));
  });
  let replies = 0;
  socket.on('data', (chunk) => {
    replies += String(chunk).match(/HTTP\/1.1 200/g)?.length ?? 0;
  });
  const counts: number[] = [];
  for (let round = 1; round <= 50; round += 1) {
    socket.write(`GET ${round % 2 === 0 ? '/events' : '/plain'} HTTP/1.1\r\nhost: test\r\n\r\n`);
    await vi.waitFor(() => expect(replies).toBe(round), { timeout: 5000, interval: 1 });
    counts.push((await server).listenerCount('close'));
  }
  expect(new Set(counts.slice(1)).size).toBe(1);
  expect(sink.records()).toHaveLength(50);
  expect(app.auditLog.health().open).toBe(0);
});

/** As @sallyport/idempotency judges a success. */
const judgements: Readonly<Record<string, () => Promise<boolean>>> = {
  confirmed: async () => true,
  'in doubt': async () => false,
  refuted: async () => {
    throw Object.assign(new Error('rolled back'), { statusCode: 500, code: 'NOT_COMPLETED' });
  },
};

const takings: Readonly<Record<string, Handler>> = {
  'at once': (_request, reply) => void reply.hijack().raw.writeHead(201).end('mine'),
  'in parts': async (request, reply) => {
    sendEvents(request, reply);
    await once(reply.raw, 'drain');
    reply.raw.end();
  },
  'without an end': sendEvents,
};

it.each(
  Object.keys(takings).flatMap((taking) => Object.keys(judgements).map((judgement) => [taking, judgement] as const)),
)(
  'AUD-14 IDM-12 a reply that was taken over and written %s is a success only if that is %s',
  async (taking, judged) => {
    const { app, address, sink } = await serve(takings[taking] as Handler, {}, false, (request) => {
      (request as unknown as Record<symbol, unknown>)[Symbol.for('@sallyport/confirm-reply')] = judgements[judged];
    });
    const { body } = await fetch(`${address}/events`);
    await (taking === 'without an end' ? body?.cancel() : body?.pipeTo(new WritableStream()));
    await vi.waitFor(() => expect(app.auditLog.health().open).toBe(0), SOON);
    // What is asked while the server closes is recorded all the same.
    await app.close();
    const cut = taking === 'without an end' ? 'REPLY_CUT' : null;
    const outcomes = {
      confirmed: ['success', cut],
      'in doubt': ['unknown', cut],
      refuted: ['unknown', 'NOT_COMPLETED'],
    };
    expect(sink.records().map(told)).toEqual([['event.read', ...outcomes[judged as keyof typeof outcomes]]]);
  },
);
