import { once } from 'node:events';
import { type ServerResponse as RawReply, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onTestFinished } from 'vitest';
import type { AuditOutcome, RouteAudit } from '../src/index.js';

/** What a test tells a handler, and the handler the test. */
export interface Signals {
  /** Resolves when the handler runs. */
  readonly begun: Promise<void>;
  readonly begin: () => void;
  /** Resolves when the handler may go on. */
  readonly told: Promise<void>;
  readonly tell: () => void;
}

export interface Way {
  readonly name: string;
  readonly method?: 'GET' | 'POST';
  readonly audit?: Partial<Exclude<RouteAudit, string | false>>;
  readonly timeoutMillis?: number;
  readonly isRefused?: boolean;
  readonly handle: (request: FastifyRequest, reply: FastifyReply, signals: Signals) => unknown;
  /** How the client behaves once the handler runs. */
  readonly client: 'reads' | 'cuts' | 'resets' | 'ends its side';
  /** Sent by the client after the head. */
  readonly upload?: string;
  readonly isUpgrade?: boolean;
  readonly outcome: AuditOutcome;
  readonly reason: string | null;
  /** Whether the log has a record of its beginning as well. */
  readonly isBegun?: boolean;
}

const CUT = 'REPLY_CUT';
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: test\r\n\r\n';

function takeOver(reply: FastifyReply): RawReply {
  reply.hijack();
  return reply.raw;
}

/** A stream of events that the handler writes itself. */
function sendEvents(_request: FastifyRequest, reply: FastifyReply): void {
  takeOver(reply).writeHead(200, { 'content-type': 'text/event-stream' }).write('data: secret\n\n');
}

function upgrade(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.write(SWITCHED);
}

/** All ways in which a request can end over HTTP/1.1. */
export const ways: readonly Way[] = [
  { name: 'answered', client: 'reads', handle: async () => 'ok', outcome: 'success', reason: null },
  {
    name: 'taken-over-and-ended',
    client: 'reads',
    handle: (_request, reply) => void takeOver(reply).writeHead(202).end('mine'),
    outcome: 'success',
    reason: null,
  },
  {
    name: 'taken-over-and-written-at-once',
    client: 'reads',
    handle(_request, reply) {
      const raw = takeOver(reply).writeHead(404);
      raw.write('not ');
      raw.end('here');
    },
    outcome: 'refused',
    reason: null,
  },
  {
    name: 'taken-over-and-ended-later',
    client: 'reads',
    async handle(request, reply) {
      sendEvents(request, reply);
      await once(reply.raw, 'drain');
      reply.raw.end();
    },
    outcome: 'success',
    reason: null,
    isBegun: true,
  },
  ...(['cuts', 'resets', 'ends its side'] as const).map((client) => ({
    ...{ name: `events-${client.replaceAll(' ', '-')}`, client, handle: sendEvents, isBegun: true },
    ...{ outcome: 'success' as const, reason: CUT },
  })),
  {
    name: 'long-poll-cut',
    client: 'cuts',
    handle: (_request, reply) => void takeOver(reply),
    outcome: 'unknown',
    reason: CUT,
    isBegun: true,
  },
  {
    name: 'taken-over-and-failed',
    client: 'cuts',
    async handle(_request, reply) {
      reply.hijack();
      throw Object.assign(new Error('broken'), { code: 'BROKEN' });
    },
    outcome: 'failure',
    reason: 'BROKEN',
  },
  { name: 'held-and-cut', client: 'cuts', handle: () => {}, outcome: 'unknown', reason: CUT, isBegun: true },
  {
    name: 'ended-without-answer',
    client: 'cuts',
    handle: (_request, _reply, { told }) => told.then(() => undefined),
    outcome: 'success',
    reason: CUT,
    isBegun: true,
  },
  {
    name: 'answered-too-late',
    client: 'cuts',
    handle: (_request, _reply, { told }) => told.then(() => 'late'),
    outcome: 'success',
    reason: null,
    isBegun: true,
  },
  {
    name: 'failed-too-late',
    client: 'cuts',
    async handle(_request, _reply, { told }) {
      await told;
      throw Object.assign(new Error('late'), { code: 'LATE' });
    },
    outcome: 'failure',
    reason: 'LATE',
    isBegun: true,
  },
  {
    name: 'stream-cut',
    client: 'cuts',
    handle(_request, reply) {
      const stream = new Readable({ read() {} });
      stream.push('secret');
      return reply.send(stream);
    },
    outcome: 'success',
    reason: null,
  },
  {
    name: 'written-to-raw',
    client: 'reads',
    handle: (_request, reply) => void reply.raw.writeHead(200).end('raw'),
    outcome: 'success',
    reason: null,
  },
  {
    name: 'written-to-raw-and-cut',
    client: 'cuts',
    handle: (_request, reply) => void reply.raw.writeHead(200).write('raw'),
    outcome: 'success',
    reason: CUT,
  },
  {
    name: 'destroyed',
    client: 'reads',
    handle: (_request, reply) => void reply.raw.destroy(),
    outcome: 'unknown',
    reason: CUT,
    isBegun: true,
  },
  {
    name: 'timed-out',
    client: 'reads',
    timeoutMillis: 1,
    handle: () => new Promise(() => {}),
    outcome: 'failure',
    reason: 'FST_ERR_HANDLER_TIMEOUT',
  },
  {
    name: 'upload-cut',
    method: 'POST',
    audit: { changes: 'nothing' },
    client: 'cuts',
    upload: 'a',
    async handle(request) {
      for await (const _chunk of request.body as Readable);
    },
    outcome: 'failure',
    reason: 'ECONNRESET',
    isBegun: true,
  },
  {
    name: 'change-cut',
    method: 'POST',
    client: 'cuts',
    handle: (_request, reply, { told }) => told.then(() => void reply.hijack()),
    outcome: 'success',
    reason: CUT,
    isBegun: true,
  },
  {
    name: 'change-without-end',
    method: 'POST',
    client: 'cuts',
    handle: () => {},
    outcome: 'unknown',
    reason: null,
    isBegun: true,
  },
  {
    name: 'upgraded',
    isUpgrade: true,
    client: 'cuts',
    handle: upgrade,
    outcome: 'success',
    reason: null,
    isBegun: true,
  },
  {
    name: 'upgrade-refused',
    isUpgrade: true,
    isRefused: true,
    client: 'reads',
    handle: upgrade,
    outcome: 'refused',
    reason: 'NOT_YOU',
  },
];

/** Gives the application a route for each way. */
export function addWays(app: FastifyInstance, signalsOf: (way: Way) => Signals): void {
  app.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body));
  for (const way of ways) {
    app.route({
      method: way.method ?? 'GET',
      url: `/${way.name}`,
      config: { audit: { action: `way.${way.name}`, ...way.audit } as RouteAudit },
      ...(way.timeoutMillis !== undefined && { handlerTimeout: way.timeoutMillis }),
      async preHandler() {
        if (way.isRefused) throw Object.assign(new Error('not you'), { statusCode: 403, code: 'NOT_YOU' });
      },
      handler(request, reply) {
        const signals = signalsOf(way);
        signals.begin();
        return way.handle(request, reply, signals);
      },
    });
  }
}

/** Dispatches upgrades to the routes, as @fastify/websocket does. */
export function routeUpgrades(app: FastifyInstance): void {
  app.server.on('upgrade', (request, socket) => {
    socket.on('error', () => {}).on('end', () => socket.end());
    socket.resume();
    const response = new ServerResponse(request);
    response.assignSocket(socket as Socket);
    response.on('finish', () => socket.end());
    app.routing(request, response);
  });
}

export function headOf({ name, method = 'GET', upload, isUpgrade }: Way): string {
  const body = upload === undefined ? '' : 'content-type: application/octet-stream\r\ncontent-length: 100\r\n';
  const fields = isUpgrade ? 'connection: upgrade\r\nupgrade: test\r\n' : body;
  return `${method} /${name} HTTP/1.1\r\nhost: test\r\n${fields}\r\n${upload ?? ''}`;
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

export const ends: Readonly<Record<Exclude<Way['client'], 'reads'>, (socket: Socket) => unknown>> = {
  cuts: (socket) => socket.destroy(),
  resets: (socket) => socket.resetAndDestroy(),
  'ends its side': (socket) => socket.end(),
};
