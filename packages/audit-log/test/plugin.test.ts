import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type AuditLogOptions,
  type AuditRecord,
  AuditRecordRefusedError,
  AuditSetupError,
  type AuditSink,
  auditLog,
  createMemorySink,
  type MemorySink,
} from '../src/index.js';

let app: FastifyInstance;
afterEach(() => app?.close());

interface TestServer {
  readonly sink: MemorySink;
  readonly only: () => AuditRecord;
}

/** A server with an audit log, and the routes that `add` puts on it. */
async function serve(
  add: (app: FastifyInstance) => void,
  options: Partial<AuditLogOptions> = {},
  before: (app: FastifyInstance) => void = () => {},
): Promise<TestServer> {
  const sink = createMemorySink();
  app = Fastify();
  await app.register(auditLog, { sink, ...options });
  before(app);
  add(app);
  await app.ready();
  return {
    sink,
    only() {
      expect(sink.records()).toHaveLength(1);
      return sink.records()[0] as AuditRecord;
    },
  };
}

/** A sink that fails while `isBroken` is set. */
function brokenSink() {
  const sink = createMemorySink();
  const state = { isBroken: true, calls: 0 };
  const append: AuditSink['append'] = async (records) => {
    state.calls += 1;
    if (state.isBroken) throw new Error('connect ECONNREFUSED');
    await sink.append(records);
  };
  return { sink: { append }, state, records: () => sink.records() };
}

const unavailable = {
  statusCode: 503,
  code: 'AUDIT_UNAVAILABLE',
  error: 'Service Unavailable',
  message: 'The operation could not be recorded and is not confirmed',
};

describe('decisions', () => {
  it('AUD-1 refuses the start and names every route without a decision at once', async () => {
    app = Fastify();
    await app.register(auditLog, { sink: createMemorySink() });
    app.get('/a', async () => 'a');
    app.post('/b', async () => 'b');
    app.get('/fine', { config: { audit: false } }, async () => 'fine');
    await expect(app.ready()).rejects.toThrow(
      "audit-log: GET /a, POST /b: config.audit is missing; give a resource such as 'payment', or false.",
    );
  });

  it.each([
    ['', '.resource must be a noun'],
    ['Payment', '.resource must be a noun'],
    ['payment.create', '.resource must be a noun'],
    [{}, ' needs either action or resource'],
    [{ action: 'a.b', resource: 'a' }, ' needs either action or resource'],
    [{ action: 'delete' }, '.action must be like'],
    [{ action: 'a.b', required: 'never' }, '.required must be'],
    [{ action: 'a.b', parameters: 1 }, '.parameters must be true or false'],
    [{ action: 'a.b', afterReply: true }, '.afterReply is not an option'],
    [{ action: 'a.b', parameter: false }, '.parameter is not an option; did you mean config.audit.parameters?'],
    [true, " must be false, a resource such as 'payment', or an object"],
    [null, " must be false, a resource such as 'payment', or an object"],
  ])('AUD-1 refuses the decision %j', async (audit, fault) => {
    app = Fastify();
    await app.register(auditLog, { sink: createMemorySink() });
    app.get('/a', { config: { audit: audit as never } }, async () => 'a');
    await expect(app.ready()).rejects.toThrow(AuditSetupError);
    await expect(app.ready()).rejects.toThrow(`GET /a: config.audit${fault}`);
  });

  it('AUD-1 refuses to be registered after routes', async () => {
    app = Fastify();
    app.get('/early', async () => 'a');
    await expect(app.register(auditLog, { sink: createMemorySink() })).rejects.toThrow(
      'register it before every route',
    );
    app = Fastify();
  });

  it('names every wrong option at once, without their values', async () => {
    app = Fastify();
    const wrong = {
      sink: {},
      maxPending: 0,
      retryMillis: Number.NaN,
      required: 'maybe',
      actorOf: 'hunter2',
      parameterLimits: { maxDeep: 3, maxBytes: 0 },
      retryMilis: 1,
    };
    const failure = await app.register(auditLog, wrong as never).then(undefined, (error: Error) => error);
    expect(failure).toBeInstanceOf(AuditSetupError);
    expect(failure?.message.split('\n')).toEqual([
      'audit-log:',
      '- retryMilis is not an option; did you mean retryMillis?',
      '- sink must be a sink with append, such as createMemorySink()',
      "- required must be 'before-reply' or 'after-reply'",
      '- maxPending must be a whole number of records from 1 to 1000000',
      '- retryMillis must be a whole number of milliseconds from 1 to 600000',
      '- parameterLimits.maxDeep is not an option; did you mean parameterLimits.maxDepth?',
      '- parameterLimits.maxBytes must be a whole number of bytes from 1 to 1000000',
      '- actorOf must be a function that takes a request and returns an actor or null',
    ]);
    app = Fastify();
  });

  it('AUD-1 derives create, read, update and delete from the method', async () => {
    const { sink } = await serve((app) => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        app.route({ method, url: '/payments', config: { audit: 'payment' }, handler: async () => 'ok' });
      app.delete('/sessions', { config: { audit: { action: 'session.end' } } }, async () => 'ok');
    });
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)
      await app.inject({ method, url: '/payments' });
    await app.inject({ method: 'DELETE', url: '/sessions' });
    expect(sink.records().map(({ action }) => action)).toEqual([
      'payment.read',
      'payment.read',
      'payment.create',
      'payment.update',
      'payment.update',
      'payment.delete',
      'session.end',
    ]);
  });

  it('AUD-1 records nothing for a route with false, and nothing for unknown paths', async () => {
    const { sink } = await serve((app) => {
      app.get('/health', { config: { audit: false } }, async (request) => ({ audit: request.audit }));
    });
    expect((await app.inject('/health')).json()).toEqual({ audit: null });
    expect((await app.inject('/unknown')).statusCode).toBe(404);
    expect(sink.records()).toEqual([]);
  });
});

describe('the record', () => {
  it('AU-01 AUD-2 contains actor, action, target, origin, parameters and duration', async () => {
    let time = 1_700_000_000_000;
    const { only } = await serve(
      (app) =>
        app.put('/payments/:id', { config: { audit: 'payment' } }, async () => {
          time += 25;
          return {};
        }),
      { now: () => time },
      (app) =>
        app.addHook('onRequest', async (request) => {
          Object.assign(request, {
            principal: { audience: 'admin', subject: '42', terminal: 'web' },
            clientIp: '203.0.113.7',
          });
        }),
    );
    await app.inject({
      method: 'PUT',
      url: '/payments/77?access_token=hunter2&dry=1',
      headers: { 'user-agent': 'test' },
      payload: { amount: '12.50', password: 'hunter2' },
    });
    const { id, ...record } = only();
    expect(id).toMatch(/^018bcfe5-6800-8/);
    expect(record).toEqual({
      occurredAt: 1_700_000_000_000,
      actor: 'admin:42',
      action: 'payment.update',
      target: '77',
      outcome: 'success',
      reason: null,
      durationMillis: 25,
      parameters: {
        params: { id: '77' },
        query: { access_token: '[masked]', dry: '1' },
        body: { amount: '12.50', password: '[masked]' },
      },
      clientIp: '203.0.113.7',
      extra: {
        requestId: 'req-1',
        terminal: 'web',
        method: 'PUT',
        path: '/payments/77',
        userAgent: 'test',
        exception: null,
      },
    });
  });

  it('AUD-2 contains the details of the handler, and no parameters if the route says so', async () => {
    const { only } = await serve((app) =>
      app.post('/login', { config: { audit: { action: 'session.create', parameters: false } } }, async (request) => {
        request.audit?.set({ target: 'a', detail: { token: 'hunter2', note: 'x' } });
        request.audit?.set({
          actor: 'admin:1',
          target: 'b',
          outcome: 'refused',
          reason: 'BECAUSE',
          action: 'session.renew',
        });
        return {};
      }),
    );
    await app.inject({ method: 'POST', url: '/login', payload: { username: 'anna' } });
    expect(only()).toMatchObject({
      actor: 'admin:1',
      target: 'b',
      outcome: 'refused',
      reason: 'BECAUSE',
      action: 'session.renew',
      parameters: { detail: { token: '[masked]', note: 'x' } },
    });
    expect(only().parameters).not.toHaveProperty('body');
  });

  it.each([
    [200, 'success'],
    [204, 'success'],
    [302, 'success'],
    [400, 'refused'],
    [404, 'refused'],
    [409, 'refused'],
    [500, 'failure'],
    [503, 'failure'],
  ])('AUD-2 derives from the status %i the outcome %s', async (status, outcome) => {
    const { only } = await serve((app) =>
      app.get('/a', { config: { audit: 'thing' } }, async (_request, reply) => reply.code(status).send()),
    );
    await app.inject('/a');
    expect(only().outcome).toBe(outcome);
  });

  it('AU-02 AU-16 contains the code of a refusal, and an exception by class and code only', async () => {
    const { only } = await serve((app) =>
      app.get('/a', { config: { audit: 'thing' } }, async () => {
        throw Object.assign(new Error('password=hunter2 for anna'), { code: 'THING_BROKEN', statusCode: 409 });
      }),
    );
    await app.inject('/a');
    expect(only()).toMatchObject({
      outcome: 'refused',
      reason: 'THING_BROKEN',
      extra: { exception: 'Error THING_BROKEN' },
    });
    expect(JSON.stringify(only())).not.toContain('hunter2');
  });

  it('AUD-3 contains the route instead of the path if a path parameter is secret', async () => {
    const { only } = await serve((app) => app.get('/reset/:token', { config: { audit: 'thing' } }, async () => 'ok'));
    await app.inject('/reset/hunter2');
    expect(only()).toMatchObject({
      target: null,
      parameters: { params: { token: '[masked]' } },
      extra: { path: '/reset/:token' },
    });
  });

  it('AUD-1 additional records of a request have its origin', async () => {
    const { sink } = await serve((app) =>
      app.post('/a', { config: { audit: 'thing' } }, async (request) => {
        await request.audit?.record({
          action: 'account.lock',
          target: 'anna',
          outcome: 'refused',
          detail: { until: 5 },
        });
        return {};
      }),
    );
    await app.inject({ method: 'POST', url: '/a', headers: { 'user-agent': 'test' } });
    const [lock, own] = sink.records();
    expect(lock).toMatchObject({ action: 'account.lock', target: 'anna', parameters: { detail: { until: 5 } } });
    expect(lock?.extra).toEqual({ ...own?.extra });
    expect(own?.action).toBe('thing.create');
  });

  it('AUD-1 a described record is stored once, and a failure after describe has a record of its own', async () => {
    const { sink } = await serve((app) => {
      const audit = { resource: 'thing', changes: 'in-handler' } as const;
      app.put('/kept', { config: { audit } }, async (request) => {
        await sink.append([request.audit!.describe({ detail: { oldValue: 1, newValue: 2 } })]);
        return {};
      });
      app.put('/later', { config: { audit } }, async (request) => {
        request.audit!.describe({ detail: 3 });
        request.audit!.set({ target: 'said later' });
        return {};
      });
      app.put('/doubtful', { config: { audit } }, async (request) => {
        await sink.append([request.audit!.describe({ detail: 2 })]);
        throw new Error('the answer to the commit never came');
      });
      app.put('/rolled-back', { config: { audit } }, async (request) => {
        request.audit!.describe({ detail: 1 });
        throw new Error('rolled back');
      });
    });
    await app.inject({ method: 'PUT', url: '/kept' });
    await app.inject({ method: 'PUT', url: '/rolled-back' });
    await app.inject({ method: 'PUT', url: '/doubtful' });
    expect(sink.records().map(({ outcome, parameters }) => [outcome, parameters])).toEqual([
      ['success', { detail: { oldValue: 1, newValue: 2 } }],
      ['failure', {}],
      ['success', { detail: 2 }],
      ['failure', {}],
    ]);
    await app.inject({ method: 'PUT', url: '/later' });
    expect(sink.records()[4]).toMatchObject({ target: 'said later', parameters: { detail: 3 }, outcome: 'success' });
    const [, , described, told] = sink.records();
    expect(described?.extra.requestId).toBe(told?.extra.requestId);
  });

  it('records events outside of requests', async () => {
    const { only } = await serve(() => {});
    await app.auditLog.record({ action: 'retention.apply', parameters: { before: 5 } });
    expect(only()).toMatchObject({ action: 'retention.apply', actor: null, extra: { requestId: null, method: null } });
    expect(app.auditLog.createRecord({ action: 'a.b' }).id > only().id).toBe(true);
  });
});

describe('refusals', () => {
  const refusing =
    (status: number, code = 'NO') =>
    (app: FastifyInstance) =>
      app.addHook('onRequest', async (request) => {
        if (request.headers['x-refuse'] !== undefined)
          throw Object.assign(new Error('no'), { statusCode: status, code });
        if (request.headers['x-known'] !== undefined) Object.assign(request, { principal: { subject: '1' } });
      });
  const thing = (app: FastifyInstance) => app.get('/a', { config: { audit: 'thing' } }, async () => 'ok');

  it.each([401, 403, 400, 422])('AU-02 records a %i from before the handler', async (status) => {
    const { only } = await serve(thing, {}, refusing(status));
    await app.inject({ url: '/a', headers: { 'x-refuse': '1' } });
    expect(only()).toMatchObject({ action: 'thing.read', outcome: 'refused', reason: 'NO' });
  });

  it('AU-02 does not record rate limits, but a 429 of the handler', async () => {
    const { only } = await serve(
      (app) => {
        thing(app);
        app.get('/locked', { config: { audit: 'thing' } }, async () => {
          throw Object.assign(new Error('locked'), { statusCode: 429, code: 'LOGIN_LOCKED' });
        });
      },
      {},
      refusing(429, 'RATE_LIMITED'),
    );
    await app.inject({ url: '/a', headers: { 'x-refuse': '1' } });
    await app.inject('/locked');
    expect(only().reason).toBe('LOGIN_LOCKED');
  });

  it('AU-02 a flood of one unknown client is counted, and the count is recorded', async () => {
    let time = 1_700_000_000_000;
    const { sink } = await serve(thing, { anonymousRefusalsPerMinute: 3, now: () => time }, refusing(401));
    const refuse = (remoteAddress: string) => app.inject({ url: '/a', remoteAddress, headers: { 'x-refuse': '1' } });
    for (let round = 0; round < 10; round += 1) await refuse('203.0.113.7');
    await refuse('203.0.113.8');
    expect(sink.records().map(({ clientIp }) => clientIp)).toEqual([
      '203.0.113.7',
      '203.0.113.7',
      '203.0.113.7',
      '203.0.113.8',
    ]);
    expect(app.auditLog.health().omitted).toBe(7);
    time += 60_000;
    await refuse('203.0.113.7');
    await vi.waitFor(() => expect(sink.records()).toHaveLength(6));
    expect(sink.records().find(({ action }) => action === 'audit-record.omit')?.parameters).toEqual({ count: 7 });
    for (let round = 0; round < 4; round += 1) await refuse('203.0.113.7');
    await app.close();
    expect(sink.records().at(-1)).toMatchObject({ action: 'audit-record.omit', parameters: { count: 2 } });
  });

  it('AU-02 a flood of one unknown client is counted, too, if the handler of a read refuses it', async () => {
    const refusing = async () => {
      throw Object.assign(new Error('bad ticket'), { statusCode: 401, code: 'TICKET_INVALID' });
    };
    const { sink } = await serve(
      (app) => {
        app.get('/download', { config: { audit: 'thing' } }, refusing);
        app.post('/sign-in', { config: { audit: 'thing' } }, refusing);
      },
      { anonymousRefusalsPerMinute: 3 },
    );
    for (let round = 0; round < 10; round += 1) await app.inject('/download');
    expect(sink.records()).toHaveLength(3);
    expect(app.auditLog.health().omitted).toBe(7);
    // A guess is never left out.
    for (let round = 0; round < 10; round += 1) await app.inject({ method: 'POST', url: '/sign-in' });
    expect(sink.records()).toHaveLength(13);
  });

  it('AU-02 every refusal of a known actor is recorded', async () => {
    const { sink } = await serve(
      (app) => thing(app),
      {
        anonymousRefusalsPerMinute: 0,
        actorOf: (request: FastifyRequest) => (request.headers['x-known'] === undefined ? null : 'admin:1'),
      },
      refusing(403),
    );
    for (let round = 0; round < 5; round += 1)
      await app.inject({ url: '/a', headers: { 'x-known': '1', 'x-refuse': '1' } });
    expect(sink.records()).toHaveLength(5);
  });
});

describe('nothing is confirmed without its record', () => {
  it('AUD-4 AU-09 the record is committed before the first byte of the reply, and of a stream', async () => {
    const order: string[] = [];
    const sink: AuditSink = {
      async append() {
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push('committed');
      },
    };
    app = Fastify();
    await app.register(auditLog, { sink });
    app.get('/stream', { config: { audit: 'file' } }, async () =>
      Readable.from(
        (async function* () {
          order.push('first byte');
          yield 'data';
        })(),
      ),
    );
    app.get('/json', { config: { audit: 'file' } }, async () => ({ ok: true }));
    app.addHook('onSend', async () => void order.push('sent'));
    expect((await app.inject('/stream')).body).toBe('data');
    await app.inject('/json');
    expect(order).toEqual(['committed', 'sent', 'first byte', 'committed', 'sent']);
  });

  const replies: Record<string, (app: FastifyInstance) => void> = {
    json: (app) => app.get('/a', { config: { audit: 'thing' } }, async () => ({ secret: 'hunter2' })),
    'a 201 with headers of its own': (app) =>
      app.get('/a', { config: { audit: 'thing' } }, async (_request, reply) =>
        reply
          .code(201)
          .headers({ location: '/hunter2', etag: '"hunter2"', 'content-length': '7', 'set-cookie': 'hunter2' })
          .send('hunter2'),
      ),
    'no content': (app) =>
      app.get('/a', { config: { audit: 'thing' } }, async (_request, reply) => reply.code(204).send()),
    'a stream': (app) => app.get('/a', { config: { audit: 'thing' } }, async () => Readable.from(['hunter2'])),
    'a web stream': (app) => app.get('/a', { config: { audit: 'thing' } }, async () => new Response('hunter2').body),
    'a fetch Response': (app) =>
      app.get('/a', { config: { audit: 'thing' } }, async () => new Response('hunter2', { status: 201 })),
    'an error': (app) =>
      app.get('/a', { config: { audit: 'thing' } }, async () => {
        throw Object.assign(new Error('hunter2'), { statusCode: 409 });
      }),
    'an error with its own handler': (app) => {
      app.setErrorHandler((error, _request, reply) =>
        reply
          .code(418)
          .type('application/problem+json')
          .send({ teapot: String(error) }),
      );
      app.get('/a', { config: { audit: 'thing' } }, async () => {
        throw new Error('hunter2');
      });
    },
    'a reply with a schema': (app) =>
      app.get(
        '/a',
        {
          config: { audit: 'thing' },
          schema: { response: { 200: { type: 'object', properties: { a: { type: 'string' } } } } },
        },
        async () => ({ a: 'hunter2' }),
      ),
  };
  it.each(Object.keys(replies))(
    'AUD-4 AU-09 without its record, %s becomes 503 and shows nothing of its content',
    async (kind) => {
      const broken = brokenSink();
      const sealed: unknown[] = [];
      await serve(replies[kind] as (app: FastifyInstance) => void, { sink: broken.sink }, (app) =>
        app.addHook('onSend', async (_request, _reply, payload) => {
          sealed.push(payload);
          return payload;
        }),
      );
      const answer = await app.inject('/a');
      expect(answer.statusCode).toBe(503);
      expect(answer.json()).toEqual(unavailable);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(JSON.stringify(answer.headers)).not.toContain('hunter2');
      // Later hooks, such as the encryption of the reply, see the refusal, once.
      expect(sealed).toEqual([JSON.stringify(unavailable)]);
      expect(app.auditLog.health()).toMatchObject({ status: 'down', refused: 1, pending: 0 });
    },
  );

  it('AUD-4 REL-2 a reply that is 503 already keeps its reason, and its record is queued', async () => {
    const broken = brokenSink();
    await serve(
      (app) =>
        app.get('/a', { config: { audit: 'thing' } }, async () => {
          throw Object.assign(new Error('away'), { statusCode: 503, code: 'STORE_UNAVAILABLE' });
        }),
      { sink: broken.sink, retryMillis: 5 },
    );
    expect((await app.inject('/a')).json()).toMatchObject({ statusCode: 503, code: 'STORE_UNAVAILABLE' });
    broken.state.isBroken = false;
    await vi.waitFor(() =>
      expect(broken.records()).toMatchObject([{ outcome: 'failure', reason: 'STORE_UNAVAILABLE' }]),
    );
  });

  it('AUD-4 destroys a stream that nobody will read', async () => {
    const stream = Readable.from(['hunter2']);
    await serve((app) => app.get('/a', { config: { audit: 'thing' } }, async () => stream), {
      sink: brokenSink().sink,
    });
    await app.inject('/a');
    expect(stream.destroyed).toBe(true);
  });

  it('AU-09 begins no operation for retryMillis after the sink failed, and continues when it is back', async () => {
    let time = 1_700_000_000_000;
    let runs = 0;
    const { sink, state, records } = brokenSink();
    await serve(
      (app) =>
        app.post('/a', { config: { audit: 'thing' } }, async () => {
          runs += 1;
          return {};
        }),
      { sink, now: () => time },
    );
    const answers = [];
    for (let round = 0; round < 5; round += 1)
      answers.push((await app.inject({ method: 'POST', url: '/a' })).statusCode);
    expect(answers).toEqual([503, 503, 503, 503, 503]);
    // Not even the first: its record could not be begun.
    expect(runs).toBe(0);
    state.isBroken = false;
    time += 1000;
    expect((await app.inject({ method: 'POST', url: '/a' })).statusCode).toBe(200);
    expect(records()).toHaveLength(1);
    expect(app.auditLog.health()).toMatchObject({ status: 'up', refused: 5 });
  });

  it('AUD-4 REL-2 replies wait for a silent sink for commitTimeoutMillis only, and maxPending of them', async () => {
    const waiting: (() => void)[] = [];
    const sink: AuditSink = { append: () => new Promise((resolve) => waiting.push(resolve)) };
    await serve((app) => app.get('/a', { config: { audit: 'thing' } }, async () => 'ok'), {
      sink,
      commitTimeoutMillis: 50,
      maxPending: 2,
      retryMillis: 1,
    });
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.inject('/a')));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503, 503, 503]);
    expect(waiting).toHaveLength(2);
    expect(app.auditLog.health().pending).toBe(2);
    for (const resolve of waiting) resolve();
    await vi.waitFor(() => expect(app.auditLog.health()).toMatchObject({ pending: 0, status: 'up' }));
  });

  it('AUD-4 unavailableReply makes the reply of a refusal', async () => {
    await serve((app) => app.get('/a', { config: { audit: 'thing' } }, async () => 'ok'), {
      sink: brokenSink().sink,
      unavailableReply(error, request, reply) {
        reply.type('application/problem+json');
        return JSON.stringify({ code: error.code, id: request.id, action: error.clientAction });
      },
    });
    const answer = await app.inject('/a');
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json()).toEqual({ code: 'AUDIT_UNAVAILABLE', id: 'req-1', action: 'check-then-retry' });
  });
});

describe('after-reply', () => {
  const config = { audit: { resource: 'thing', required: 'after-reply' as const } };

  it('AUD-4 the reply is sent at once, and the record is stored when the sink is back', async () => {
    const { sink, state, records } = brokenSink();
    await serve((app) => app.get('/a', { config }, async () => 'ok'), { sink, retryMillis: 5 });
    expect((await app.inject('/a')).statusCode).toBe(200);
    await vi.waitFor(() => expect(app.auditLog.health()).toMatchObject({ queued: 1, lost: 0, status: 'down' }));
    state.isBroken = false;
    await vi.waitFor(() => expect(records()).toHaveLength(1));
    expect(app.auditLog.health()).toMatchObject({ queued: 0, lost: 0, status: 'up' });
  });

  it('AUD-4 a record that the sink refuses is lost alone, and stops neither the queue nor the service', async () => {
    const memory = createMemorySink();
    const sink: AuditSink = {
      async append(records) {
        if (records.some(({ action }) => action === 'poison.take'))
          throw new AuditRecordRefusedError(new Error('poison'));
        await memory.append(records);
      },
    };
    await serve(
      (app) => {
        app.get('/poison', { config: { audit: { action: 'poison.take', required: 'after-reply' } } }, async () => 'ok');
        app.get('/strict', { config: { audit: { action: 'poison.take' } } }, async () => 'ok');
        app.get('/a', { config }, async () => 'ok');
        app.get('/b', { config: { audit: 'thing' } }, async () => 'ok');
      },
      { sink },
    );
    const answers = await Promise.all(
      ['/a', '/poison', '/a', '/strict', '/poison', '/a'].map((url) => app.inject(url)),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 503, 200, 200]);
    await vi.waitFor(() =>
      expect(app.auditLog.health()).toMatchObject({ queued: 0, lost: 2, refused: 1, status: 'up' }),
    );
    expect((await app.inject('/b')).statusCode).toBe(200);
    expect(memory.records()).toHaveLength(4);
  });

  it('AUD-4 records beyond maxQueued are lost and counted', async () => {
    await serve((app) => app.get('/a', { config }, async () => 'ok'), { sink: brokenSink().sink, maxQueued: 2 });
    for (let round = 0; round < 5; round += 1) expect((await app.inject('/a')).statusCode).toBe(200);
    expect(app.auditLog.health()).toMatchObject({ queued: 2, lost: 3 });
    await app.close();
    expect(app.auditLog.health()).toMatchObject({ queued: 0, lost: 5 });
  });

  it('OPS-7 closing the server writes the queued records, then closes the sink', async () => {
    const memory = createMemorySink();
    const close = vi.fn(async () => expect(memory.records()).toHaveLength(300));
    const sink: AuditSink = {
      async append(records) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        await memory.append(records);
      },
      close,
    };
    await serve((app) => app.get('/a', { config }, async () => 'ok'), { sink });
    await Promise.all(Array.from({ length: 300 }, () => app.inject('/a')));
    await app.close();
    expect(memory.records()).toHaveLength(300);
    expect(close).toHaveBeenCalledOnce();
  });

  it('AUD-1 records a reply that the handler took over', async () => {
    const { sink } = await serve((app) =>
      app.get('/a', { config: { audit: 'thing' } }, async (_request, reply) => {
        reply.hijack();
        reply.raw.writeHead(202).end('mine');
      }),
    );
    expect((await app.inject('/a')).body).toBe('mine');
    await vi.waitFor(() => expect(sink.records()).toHaveLength(1));
    expect(sink.records()[0]?.outcome).toBe('success');
  });
});
