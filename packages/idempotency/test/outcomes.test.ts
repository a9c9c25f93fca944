import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import createError from '@fastify/error';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { IdempotencyOptions } from '../src/index.js';
import { createGate } from './gate.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

interface Variations {
  readonly options?: Partial<IdempotencyOptions>;
  readonly route?: RouteShorthandOptions;
  readonly prepare?: (app: FastifyInstance) => void;
}

/** A server whose `POST /run` has this handler. */
function startWith(handler: Handler, { options = {}, route = {}, prepare }: Variations = {}): Promise<IdempotentApp> {
  return createIdempotentApp({ store: createMemoryStore(), ...options }, (app) => {
    prepare?.(app);
    app.post('/run', { ...route, config: { idempotency: true } }, handler as never);
  });
}

/** The results of the first request and of its retry. */
async function runTwice(node: IdempotentApp): Promise<[status: number, retry: number | string]> {
  const key = newKey();
  const first = await node.submit({ key, url: '/run' });
  const retry = await node.submit({ key, url: '/run' });
  const refusal = /"code":"IDEMPOTENCY_([A-Z_]+)"/.exec(retry.payload)?.[1];
  return [first.statusCode, refusal ?? retry.statusCode];
}

const fail = (properties: object) => () => {
  throw Object.assign(new Error('It went wrong'), properties);
};
const SafeError = createError('QUOTA_UNREADABLE', 'Nothing was done', 503);

describe('IDM-6 the outcome of the handler decides the answer to a retry', () => {
  it.each<[string, Handler, number, number | string]>([
    ['returns', () => 'done', 200, 'SUBMITTED'],
    ['returns later', async () => ({ data: 1 }), 200, 'SUBMITTED'],
    ['answers 204', async (_, reply) => reply.code(204).send(), 204, 'SUBMITTED'],
    ['redirects', async (_, reply) => reply.redirect('/elsewhere'), 302, 'SUBMITTED'],
    ['sends in a callback', (_, reply) => void setImmediate(() => reply.send('done')), 200, 'SUBMITTED'],
    ['returns a reply that it sent', async (_, reply) => reply.send({ data: 1 }), 200, 'SUBMITTED'],
    ['streams', async () => Readable.from(['a', 'b']), 200, 'SUBMITTED'],
    ['returns a Response', async () => new Response('x', { status: 201 }), 201, 'SUBMITTED'],
    ['returns a Response of refusal', async () => new Response('x', { status: 409 }), 409, 409],
    ['sends a Response', (_, reply) => void reply.send(new Response('x', { status: 201 })), 201, 'SUBMITTED'],
    ['sends a Response of refusal', async (_, reply) => reply.send(new Response('x', { status: 409 })), 409, 409],
    ['answers 404', async (_, reply) => reply.code(404).send({}), 404, 404],
    ['sets 409 and returns', async (_, reply) => ({ status: reply.code(409).statusCode }), 409, 409],
    ['throws 400', fail({ statusCode: 400 }), 400, 400],
    ['rejects with 422', async () => fail({ statusCode: 422 })(), 422, 422],
    ['sends an error of 403', (_, reply) => void reply.send(Object.assign(new Error(), { statusCode: 403 })), 403, 403],
    ['returns an error of 404', () => Object.assign(new Error(), { statusCode: 404 }), 404, 404],
    ['resolves to an error of 404', async () => Object.assign(new Error(), { statusCode: 404 }), 404, 404],
    ['resolves to an error', async () => new Error(), 500, 'OUTCOME_UNKNOWN'],
    ['throws', fail({}), 500, 'OUTCOME_UNKNOWN'],
    ['rejects', async () => fail({})(), 500, 'OUTCOME_UNKNOWN'],
    ['rejects with no error', async () => Promise.reject('a text'), 500, 'OUTCOME_UNKNOWN'],
    ['rejects with 503', async () => fail({ statusCode: 503 })(), 503, 'OUTCOME_UNKNOWN'],
    ['answers 502', async (_, reply) => reply.code(502).send({}), 502, 'OUTCOME_UNKNOWN'],
    ['rejects with 503, declared safe', async () => fail({ statusCode: 503, idempotencySafe: true })(), 503, 503],
    [
      'sends an error of 500, declared safe',
      (_, reply) => void reply.send(Object.assign(new Error(), { idempotencySafe: true })),
      500,
      500,
    ],
  ])('a handler that %s', async (_what, handler, first, retry) => {
    expect(await runTwice(await startWith(handler))).toEqual([first, retry]);
  });

  it('an error can be declared safe by the option isSafeFailure', async () => {
    const isSafeFailure = (error: unknown) => error instanceof SafeError;
    const node = await startWith(async () => Promise.reject(new SafeError()), { options: { isSafeFailure } });
    expect(await runTwice(node)).toEqual([503, 503]);
    const other = await startWith(async () => fail({ statusCode: 503 })(), { options: { isSafeFailure } });
    expect(await runTwice(other)).toEqual([503, 'OUTCOME_UNKNOWN']);
  });

  it('the status that the error handler chooses counts', async () => {
    const prepare = (app: FastifyInstance) =>
      void app.setErrorHandler((_error, _request, reply) => reply.code(409).send({ code: 'TAKEN' }));
    const node = await startWith(async () => fail({})(), { prepare });
    const key = newKey();
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await node.submit({ key, url: '/run' })).json()).toEqual({ code: 'TAKEN' });
    }
  });

  it.each([403, 503])(
    'a later hook that refuses with %s runs before the handler, so nothing was done',
    async (statusCode) => {
      const route = { preHandler: async () => fail({ statusCode })() };
      expect(await runTwice(await startWith(() => 'done', { route }))).toEqual([statusCode, statusCode]);
    },
  );

  it('a reply that cannot be serialized, or that a later hook refuses, still counts as submitted', async () => {
    const toJSON = () => fail({})();
    expect(await runTwice(await startWith(async () => ({ toJSON })))).toEqual([500, 'SUBMITTED']);
    for (const idempotencySafe of [true, false]) {
      const refuse = vi.fn(async () => {});
      refuse.mockImplementationOnce(async () => fail({ statusCode: 503, idempotencySafe })());
      const route = { onSend: () => refuse() };
      expect(await runTwice(await startWith(async () => ({ data: 1 }), { route }))).toEqual([503, 'SUBMITTED']);
    }
  });

  it.each<[string, RouteShorthandOptions, number]>([
    ['a hook refuses before it is serialized', { preSerialization: fail({ statusCode: 406 }) as never }, 406],
    ['a hook refuses afterwards', { onSend: fail({ statusCode: 400 }) as never }, 400],
    ['the schema cannot serialize', { serializerCompiler: () => fail({ statusCode: 400 }) }, 400],
    [
      'an error handler maps',
      {
        serializerCompiler: () => fail({}),
        errorHandler: (_error, _request, reply) => void reply.code(400).send('refused'),
      },
      400,
    ],
  ])('what a handler sent as a success counts as submitted, also if %s', async (_what, options, status) => {
    const schema = { response: { '2xx': { type: 'object' } } };
    const handlers: Handler[] = [
      async () => ({ data: 1 }),
      async (_, reply) => reply.code(201).send({ data: 1 }),
      (_, reply) => void reply.code(201).send({ data: 1 }),
      (_, reply) => void setImmediate(() => reply.send({ data: 1 })),
    ];
    for (const handler of handlers) {
      let runs = 0;
      const counted: Handler = (request, reply) => {
        runs += 1;
        return handler(request, reply);
      };
      const [first, retry] = await runTwice(await startWith(counted, { route: { schema, ...options } }));
      expect([runs, first]).toEqual([1, status]);
      expect([retry, status]).toContain(retry);
      expect(retry).not.toBe('OUTCOME_UNKNOWN');
    }
  });

  it('REL-2 a handlerTimeout while the key is claimed runs nothing, and leaves the key unused', async () => {
    const store = createMemoryStore();
    const gate = createGate();
    let isSlow = true;
    const slow: TtlStore = {
      ...store,
      async setIfAbsent(...given) {
        if (isSlow) await gate.pass();
        return store.setIfAbsent(...given);
      },
    };
    let runs = 0;
    const handler: Handler = () => {
      runs += 1;
      return 'done';
    };
    const node = await startWith(handler, { options: { store: slow }, route: { handlerTimeout: 150 } });
    const submission = { key: newKey(), url: '/run' };
    expect((await node.submit(submission)).json().code).toBe('FST_ERR_HANDLER_TIMEOUT');
    isSlow = false;
    gate.open();
    await vi.waitFor(async () => expect((await node.submit(submission)).statusCode).toBe(200));
    expect(runs).toBe(1);
  });

  it.each(['the claim of the key', 'a hook of the route'])(
    'REL-2 a handlerTimeout during %s, whose answer is held up, runs nothing',
    async (what) => {
      const store = createMemoryStore();
      const [work, answer] = [createGate(), createGate()];
      let isSlow = true;
      const wait = async () => {
        if (isSlow) await work.pass();
      };
      const slow: TtlStore = {
        ...store,
        async setIfAbsent(...given) {
          if (what === 'the claim of the key') await wait();
          return store.setIfAbsent(...given);
        },
      };
      const handler = vi.fn(async () => 'done');
      const route = {
        handlerTimeout: 50,
        ...(what === 'a hook of the route' && { preHandler: wait }),
        // As audit-log while its database is slow.
        onSend: async () => {
          if (isSlow) await answer.pass();
        },
      };
      const node = await startWith(handler, { options: { store: slow }, route });
      const submission = { key: newKey(), url: '/run' };
      const first = node.submit(submission);
      await answer.arrival();
      work.open();
      // The steps of Fastify up to the handler take turns of the event loop.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      isSlow = false;
      answer.open();
      expect((await first).json().code).toBe('FST_ERR_HANDLER_TIMEOUT');
      expect(handler).not.toHaveBeenCalled();
      await vi.waitFor(async () => expect((await node.submit(submission)).statusCode).toBe(200));
      expect(handler).toHaveBeenCalledTimes(1);
    },
  );

  it('ID-16 a body that fails validation is not recorded: the corrected one runs under the same key', async () => {
    const schema = { body: { type: 'object', required: ['amount'], properties: { amount: { type: 'string' } } } };
    const node = await startWith(async () => 'done', { route: { schema } });
    const key = newKey();
    expect((await node.submit({ key, url: '/run', body: { amont: '1' } })).statusCode).toBe(400);
    expect((await node.submit({ key, url: '/run', body: '{"amount":' })).statusCode).toBe(400);
    expect((await node.submit({ key, url: '/run', body: { amount: '1' } })).statusCode).toBe(200);
  });

  it.each<[string, Handler, number, number | string, unknown]>([
    ['a Response', (_, reply) => reply.send(new Response('x', { status: 201 })), 201, 'SUBMITTED', null],
    ['a Response of refusal', (_, reply) => reply.send(new Response('x', { status: 409 })), 409, 409, null],
    ['a refusal', (_, reply) => reply.code(409).send('x'), 409, 409, null],
    ['a value', (_, reply) => reply.code(201).send({ data: 1 }), 201, 201, { data: 1 }],
  ])(
    'what the handler sent counts, if it ends while a hook holds it up: %s',
    async (_what, send, first, again, body) => {
      const options = { store: createMemoryStore(), answerKeys: [randomBytes(32)] };
      const node = await createIdempotentApp(
        options,
        (app) => {
          const config = { idempotency: body === null ? true : ({ result: 'body' } as const) };
          app.post('/run', { config }, async (request, reply) => {
            send(request, reply);
          });
        },
        {},
        (app) => void app.addHook('onSend', async () => void (await sleep(20))),
      );
      const key = newKey();
      expect((await node.submit({ key, url: '/run' })).statusCode).toBe(first);
      const retry = await node.submit({ key, url: '/run' });
      expect(/"code":"IDEMPOTENCY_([A-Z_]+)"/.exec(retry.payload)?.[1] ?? retry.statusCode).toBe(again);
      if (body !== null) expect(retry.json()).toEqual(body);
    },
  );

  it('a handler that timed out continues, and its end counts', async () => {
    for (const [finish, retry] of [
      [() => 'done', 'IDEMPOTENCY_SUBMITTED'],
      [(reply) => reply.code(201).send({}), 'IDEMPOTENCY_SUBMITTED'],
      [(reply) => reply.code(409).send({}), '409'],
      [(reply) => reply.send(Response.json({}, { status: 409 })), '409'],
      [(reply) => reply.send(Response.json({}, { status: 201 })), 'IDEMPOTENCY_SUBMITTED'],
      [(reply) => reply.code(502).send({}), 'IDEMPOTENCY_OUTCOME_UNKNOWN'],
      [fail({ statusCode: 409 }), '409'],
      [() => Object.assign(new Error(), { statusCode: 409 }), '409'],
      [fail({}), 'IDEMPOTENCY_OUTCOME_UNKNOWN'],
    ] satisfies [(reply: FastifyReply) => unknown, string][]) {
      const gate = createGate();
      const handler: Handler = async (_request, reply) => {
        await gate.pass();
        return finish(reply);
      };
      const node = await startWith(handler, { route: { handlerTimeout: 150 } });
      const submission = { key: newKey(), url: '/run' };
      expect((await node.submit(submission)).statusCode).toBe(503);
      expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
      gate.open();
      await vi.waitFor(async () => expect(tally([await node.submit(submission)])).toEqual({ [retry]: 1 }));
    }
  });

  it.each<[string, Handler]>([
    ['sends in a callback', (_, reply) => void setTimeout(() => reply.send('late'), 600)],
    [
      'returns a reply that it sends later',
      async (_, reply) => {
        setTimeout(() => reply.send('late'), 600);
        return reply;
      },
    ],
  ])('a handler that timed out and cannot be observed is unknown: one that %s', async (_what, handler) => {
    const node = await startWith(handler, { route: { handlerTimeout: 150 } });
    expect(await runTwice(node)).toEqual([503, 'OUTCOME_UNKNOWN']);
  });

  it('the end of a hijacked reply counts', async () => {
    const finished = await startWith((_, reply) => {
      reply.hijack();
      reply.raw.writeHead(202).end('by hand');
    });
    expect(await runTwice(finished)).toEqual([202, 'SUBMITTED']);
    const refused = await startWith(async (_, reply) => {
      reply.hijack();
      reply.raw.writeHead(403).end('by hand');
    });
    expect(await runTwice(refused)).toEqual([403, 403]);
  });
});

describe('ID-23 a client that disconnects', () => {
  /** Sends the request, waits until the handler runs, and cuts the connection. */
  async function sendAndVanish(node: IdempotentApp, key: string, arrival: Promise<void>): Promise<void> {
    await node.app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((node.app.server.address() as AddressInfo).port, '127.0.0.1');
    const body = '{"amount":"12.50"}';
    const head = ['POST /run HTTP/1.1', 'Host: x', 'X-User: ada', `Idempotency-Key: ${key}`];
    const content = ['Content-Type: application/json', `Content-Length: ${body.length}`, '', body];
    socket.write([...head, ...content].join('\r\n'));
    await arrival;
    const gone = vi.waitFor(async () => {
      const count = await new Promise((resolve) => node.app.server.getConnections((_, open) => resolve(open)));
      expect(count).toBe(0);
    });
    socket.destroy();
    await once(socket, 'close');
    await gone;
  }

  it.each<[string, (reply: FastifyReply) => unknown, string]>([
    ['returns a value', () => ({ data: 1 }), 'IDEMPOTENCY_SUBMITTED'],
    ['returns nothing', () => undefined, 'IDEMPOTENCY_SUBMITTED'],
    ['returns what it sent', (reply) => reply.send({ data: 1 }), 'IDEMPOTENCY_SUBMITTED'],
    ['throws', () => fail({})(), 'IDEMPOTENCY_OUTCOME_UNKNOWN'],
  ])('the handler continues and %s: each of 20 retries is told so, and it ran once', async (_what, finish, told) => {
    const gate = createGate();
    let runs = 0;
    const node = await startWith(async (_request, reply) => {
      runs += 1;
      await gate.pass();
      return finish(reply);
    });
    const submission = { key: newKey(), url: '/run' };
    await sendAndVanish(node, submission.key, gate.arrival());
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    gate.open();
    await vi.waitFor(async () => expect(tally([await node.submit(submission)])).toEqual({ [told]: 1 }));
    const retries = await Promise.all(Array.from({ length: 20 }, () => node.submit(submission)));
    expect(tally(retries)).toEqual({ [told]: 20 });
    expect(runs).toBe(1);
  });

  it.each<[string, (reply: FastifyReply, status: number) => unknown]>([
    ['a value', (reply, status) => reply.code(status).send({})],
    ['a Response', (reply, status) => reply.send(Response.json({}, { status }))],
  ])('a handler that returned a reply to send later continues, and what it sends counts: %s', async (_what, send) => {
    for (const [status, told] of [
      [201, 'IDEMPOTENCY_SUBMITTED'],
      [409, 'done'],
      [500, 'IDEMPOTENCY_OUTCOME_UNKNOWN'],
    ] as const) {
      const gate = createGate();
      let runs = 0;
      const node = await startWith(async (_request, reply) => {
        runs += 1;
        if (runs === 1) gate.pass().then(() => send(reply, status));
        else reply.send({ data: 1 });
        return reply;
      });
      const submission = { key: newKey(), url: '/run' };
      await sendAndVanish(node, submission.key, gate.arrival());
      expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
      gate.open();
      await vi.waitFor(async () => expect(tally([await node.submit(submission)])).toEqual({ [told]: 1 }));
    }
  });

  it('a hijacked reply that is cut off is unknown', async () => {
    const gate = createGate();
    const node = await startWith((_, reply) => {
      reply.hijack();
      reply.raw.writeHead(200).write('the first half');
      void gate.pass();
    });
    const submission = { key: newKey(), url: '/run' };
    await sendAndVanish(node, submission.key, gate.arrival());
    await vi.waitFor(async () =>
      expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 }),
    );
  });

  it('a reply that is hijacked after its client has left is unknown, over HTTP/2 too', async () => {
    const gate = createGate();
    const handle: Handler = async (_, reply) => {
      const left = once((reply.raw as unknown as { stream: NodeJS.EventEmitter }).stream, 'close');
      await gate.pass();
      await left;
      reply.hijack();
    };
    const node = await createIdempotentApp(
      { store: createMemoryStore() },
      (app) => void app.post('/run', { config: { idempotency: true } }, handle as never),
      { http2: true } as never,
    );
    await node.app.listen({ host: '127.0.0.1', port: 0 });
    const client = connectHttp2(`http://127.0.0.1:${(node.app.server.address() as AddressInfo).port}`);
    onTestFinished(() => client.destroy());
    const send = (key: string) => {
      const head = { ':method': 'POST', ':path': '/run', 'x-user': 'ada', 'idempotency-key': key };
      const stream = client.request({ ...head, 'content-type': 'application/json' });
      stream.on('error', () => {}).end('{"amount":"12.50"}');
      return stream;
    };
    const key = newKey();
    const stream = send(key);
    await gate.arrival();
    stream.close(constants.NGHTTP2_CANCEL);
    gate.open();
    await vi.waitFor(async () => {
      expect(JSON.parse(await text(send(key))).code).toBe('IDEMPOTENCY_OUTCOME_UNKNOWN');
    });
  });

  it('a reply that is hijacked after its client has left is unknown', async () => {
    const gate = createGate();
    const node = await startWith(async (_, reply) => {
      const left = once(reply.raw, 'close');
      await gate.pass();
      await left;
      reply.hijack();
      reply.raw.end();
    });
    const submission = { key: newKey(), url: '/run' };
    const arrival = gate.arrival();
    await sendAndVanish(node, submission.key, arrival);
    gate.open();
    await vi.waitFor(async () =>
      expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 }),
    );
  });
});
