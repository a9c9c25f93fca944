import { createMemoryStore } from '@sallyport/ttl-store';
import { drizzle } from 'drizzle-orm/pglite';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import type { IdempotencyOptions, IdempotencyRouteOptions } from '../src/index.js';
import { createIdempotencyRecordsTable, createPostgresIdempotencyStore } from '../src/postgres/index.js';
import { createIdempotentApp, newKey } from './idempotent-app.js';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Like audit-log while its sink is away: it replaces the reply of a write that it can't record. */
function refuseReplies(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode >= 400) return payload;
    reply.code(503).header('content-type', 'application/json').removeHeader('location');
    return '{"code":"AUDIT_UNAVAILABLE"}';
  });
}

async function runTwice(
  store: IdempotencyOptions['store'],
  idempotency: boolean | IdempotencyRouteOptions,
  handler: Handler,
): Promise<string[]> {
  const addRoutes = (app: FastifyInstance) => void app.post('/run', { config: { idempotency } }, handler);
  const node = await createIdempotentApp({ store }, addRoutes, {}, refuseReplies);
  const submission = { key: newKey(), url: '/run' };
  return [(await node.submit(submission)).json().code, (await node.submit(submission)).json().code];
}

describe('a plugin that is registered first, and whose onSend hook replaces the reply by 503', () => {
  it.each<[string, Handler]>([
    ['returned its value', async () => ({ data: 1 })],
    [
      'set its status and returned its value',
      async (_, reply) => {
        reply.code(201);
        return { data: 1 };
      },
    ],
    ['sent its reply', async (_, reply) => reply.code(201).send({ data: 1 })],
  ])('IDM-6 after a handler that %s a retry is told so, and never runs', async (_, handler) => {
    let runs = 0;
    const counted: Handler = (request, reply) => {
      runs += 1;
      return handler(request, reply);
    };
    expect(await runTwice(createMemoryStore(), true, counted)).toEqual(['AUDIT_UNAVAILABLE', 'IDEMPOTENCY_SUBMITTED']);
    expect(runs).toBe(1);
  });

  it('IDM-7 after a transaction that committed with its record a retry is told so, however the reply was sent', async () => {
    const embedded = await openTestEmbedded();
    onTestFinished(() => embedded.close());
    const database = drizzle(embedded);
    await createIdempotencyRecordsTable(database);
    const codes = await runTwice(
      createPostgresIdempotencyStore({ database }),
      { transactional: true },
      async (request, reply) => {
        await database.transaction(async (tx) => request.idempotency?.completeWithin(tx));
        return reply.code(201).send({ data: 1 });
      },
    );
    expect(codes).toEqual(['AUDIT_UNAVAILABLE', 'IDEMPOTENCY_SUBMITTED']);
  });
});

describe('a plugin that is registered first, and wraps `send` of each reply', () => {
  it('IDM-6 a success that the handler of the first request sent counts as submitted, also if a hook refuses it', async () => {
    let runs = 0;
    const wrapSends = (app: FastifyInstance) =>
      void app.addHook('preHandler', async (_request, reply) => {
        const { send } = reply;
        reply.send = (payload) => send.call(reply, payload);
      });
    const refuse = async () => {
      throw Object.assign(new Error('refused'), { statusCode: 406 });
    };
    const addRoutes = (app: FastifyInstance) =>
      void app.post('/run', { config: { idempotency: true }, preSerialization: refuse }, async (_request, reply) => {
        runs += 1;
        return reply.code(201).send({ data: 1 });
      });
    const node = await createIdempotentApp({ store: createMemoryStore() }, addRoutes, {}, wrapSends);
    const submission = { key: newKey(), url: '/run' };
    const [first, retry] = [await node.submit(submission), await node.submit(submission)];
    expect([first.statusCode, retry.json().code, runs]).toEqual([406, 'IDEMPOTENCY_SUBMITTED', 1]);
  });
});
