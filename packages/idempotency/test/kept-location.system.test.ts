import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createMemoryStore } from '@sallyport/ttl-store';
import { sql } from 'drizzle-orm';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import type { CompleteWithinOptions, IdempotencyRouteOptions } from '../src/index.js';
import { isCompleted } from '../src/postgres/index.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';
import { type OpenedKind, storeKinds, type TestedDatabase, transactionalKinds } from './store-kinds.js';

type Store = OpenedKind['nodes'][number];
type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** A node with one route, `POST /things`. Its error handler is of the application's own making. */
function startNode(
  store: Store,
  handler: Handler,
  settings: IdempotencyRouteOptions = {},
  addMore: (app: FastifyInstance) => void = () => {},
): Promise<IdempotentApp> {
  return createIdempotentApp({ store }, (app) => {
    addMore(app);
    app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
      const { code, originalStatus, location, message } = error as unknown as Record<string, unknown>;
      return reply.code(error.statusCode ?? 500).send({ code, originalStatus, location, message });
    });
    app.post('/things', { config: { idempotency: { result: 'location', ...settings } } }, handler as never);
  });
}

const post = (node: IdempotentApp, key: string, body = 'a thing', user = 'ada') =>
  node.submit({ key, url: '/things', body, user, headers: { 'content-type': 'application/octet-stream' } });

/** What a retry and a look-up are told of the first answer. */
async function toldBy(node: IdempotentApp, key: string) {
  const retry = await post(node, key);
  const { code, originalStatus, location } = retry.json();
  expect([retry.statusCode, code]).toEqual([409, 'IDEMPOTENCY_SUBMITTED']);
  expect(retry.headers.location).toBe(location ?? undefined);
  const [found] = await node.app.idempotency.lookUp('user:ada', key);
  expect(found).toEqual({ method: 'POST', url: '/things', state: 'SUBMITTED', originalStatus, location });
  return [originalStatus, location];
}

const made: Handler = (request, reply) =>
  reply.code(201).header('location', `/things/${request.idempotency?.key}`).send({ data: 'secret of the body' });

describe.each(storeKinds)('ADP-11 the Location of the first answer, on %s', (_name, open, need) => {
  describe.skipIf(lacks(need))('is kept', () => {
    let kind: OpenedKind;
    beforeAll(async () => {
      kind = await open();
    });
    afterAll(() => kind.close());

    it('and given to a retry on another node, with the status, by header and by the error', async () => {
      const [one, other] = [await startNode(kind.nodes[0], made), await startNode(kind.nodes[1], made)];
      const key = newKey();
      expect((await post(one, key)).headers.location).toBe(`/things/${key}`);
      expect(await toldBy(other, key)).toEqual([201, `/things/${key}`]);
      expect(await toldBy(one, key)).toEqual([201, `/things/${key}`]);
      expect(await kind.dump()).not.toContain('secret of the body');
    });

    it('and given to nobody else: not to another caller, nor to other content', async () => {
      const node = await startNode(kind.nodes[0], made);
      const key = newKey();
      await post(node, key);
      const others = [await post(node, key, 'other content'), await post(node, key, 'a thing', 'bob')];
      expect(others.map(({ statusCode }) => statusCode)).toEqual([422, 201]);
      expect(others[0]?.headers.location).toBeUndefined();
      expect(await node.app.idempotency.lookUp('user:eve', key)).toEqual([]);
    });

    it('where the handler begins the run', async () => {
      const begins: Handler = async (request, reply) => {
        await request.idempotency?.begin(String(request.body));
        return made(request, reply);
      };
      const nodes = [
        await startNode(kind.nodes[0], begins, { content: 'in-handler' }),
        await startNode(kind.nodes[1], begins, { content: 'in-handler' }),
      ] as const;
      const key = newKey();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(nodes[index % 2 ? 1 : 0], key)));
      expect(tally(answers).done).toBe(1);
      expect(await toldBy(nodes[1], key)).toEqual([201, `/things/${key}`]);
    });

    it('only where the route asks for it, and a record without it, as an earlier release wrote it, is read', async () => {
      const [without, withLocation] = [
        await startNode(kind.nodes[0], made, { result: 'none' }),
        await startNode(kind.nodes[1], made),
      ];
      const key = newKey();
      expect((await post(without, key)).statusCode).toBe(201);
      expect(await kind.dump()).not.toContain(`/things/${key}`);
      expect(await toldBy(withLocation, key)).toEqual([null, null]);
      expect(await toldBy(without, key)).toEqual([null, null]);
    });
  });
});

describe.each(transactionalKinds)('ADP-11 IDM-7 a Location that commits with the write, on %s', (_name, open) => {
  let kind: OpenedKind;
  let database: TestedDatabase;
  beforeAll(async () => {
    kind = await open();
    [database] = kind.databases as readonly [TestedDatabase, TestedDatabase];
    await database.execute(sql`create table things (id text primary key)`);
  });
  afterAll(() => kind.close());

  interface Step {
    /** Options of `completeWithin`. */
    readonly options?: CompleteWithinOptions;
    before?(reply: FastifyReply): void;
    after?(reply: FastifyReply): void;
  }

  /** A node whose handler writes a row and completes in one transaction. */
  const startWith = ({ options, before, after }: Step, settings: IdempotencyRouteOptions = {}) =>
    startNode(
      kind.nodes[0],
      async (request, reply) => {
        before?.(reply);
        await database.transaction(async (transaction) => {
          await transaction.execute(sql`insert into things (id) values (${request.idempotency?.key})`);
          await request.idempotency?.completeWithin(transaction, options);
        });
        after?.(reply);
        return { data: 'done' };
      },
      { transactional: true, ...settings },
    );
  const thingsOf = async (key: string) =>
    (await database.select({ one: sql`1` }).from(sql`things where id = ${key}`)).length;

  it('is given to completeWithin', async () => {
    const node = await startWith({
      options: { location: '/things/7', status: 201 },
      after: (reply) => reply.code(201).header('location', '/things/7'),
    });
    const key = newKey();
    expect((await post(node, key)).statusCode).toBe(201);
    expect(await toldBy(node, key)).toEqual([201, '/things/7']);
    expect([await thingsOf(key), node.warnings]).toEqual([1, []]);
  });

  it('is read from the reply where completeWithin is given none', async () => {
    const node = await startWith({ before: (reply) => reply.code(202).header('location', '/things/8') });
    const key = newKey();
    expect((await post(node, key)).statusCode).toBe(202);
    expect(await toldBy(node, key)).toEqual([202, '/things/8']);
    expect(node.warnings).toEqual([]);
  });

  it('is there although the process died before it answered', async () => {
    const node = await startWith({
      options: { location: '/things/9', status: 201 },
      after() {
        throw new Error('died here');
      },
    });
    const key = newKey();
    expect((await post(node, key)).statusCode).toBe(500);
    expect(await toldBy(node, key)).toEqual([201, '/things/9']);
  });

  it('is sent with another statement, and also as the first write of the transaction', async () => {
    const node = await startNode(
      kind.nodes[0],
      async (request, reply) => {
        const { idempotency } = request;
        await database.transaction(async (transaction) => {
          const also = sql`insert into things (id) select ${idempotency?.key}::text where ${isCompleted}`;
          await idempotency?.completeWithin(transaction, { also, location: '/things/10', status: 201 });
        });
        return reply.code(201).header('location', '/things/10').send({ data: 'done' });
      },
      { transactional: true },
    );
    const key = newKey();
    expect((await post(node, key)).statusCode).toBe(201);
    expect(await toldBy(node, key)).toEqual([201, '/things/10']);
    expect(await thingsOf(key)).toBe(1);
  });

  it('that the reply has only later is not kept, and the log says so', async () => {
    const node = await startWith({ after: (reply) => reply.code(201).header('location', '/things/11') });
    const key = newKey();
    expect((await post(node, key)).statusCode).toBe(201);
    expect(await toldBy(node, key)).toEqual([200, null]);
    expect(node.warnings).toEqual([expect.stringContaining('give completeWithin its location and status')]);
  });

  it.each([
    [{ location: 7 }, /location must be a string or null/],
    [{ location: new URL('http://x/') }, /location must be a string or null/],
    [{ status: 404 }, /status must be a whole number from 100 to 399/],
    [{ status: 201.5 }, /status must be a whole number from 100 to 399/],
    [{ status: '201' }, /status must be a whole number from 100 to 399/],
  ])('%j is a mistake: the transaction rolls back', async (options, fault) => {
    const node = await startWith({ options: options as never });
    const key = newKey();
    const answer = await post(node, key);
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'IDEMPOTENCY_SETUP_INVALID']);
    expect(answer.json().message).toMatch(fault);
    expect(await thingsOf(key)).toBe(0);
    expect(await node.app.idempotency.lookUp('user:ada', key)).toEqual([]);
  });

  it('on a route that keeps none is a mistake: the transaction rolls back', async () => {
    const node = await startWith({ options: { location: '/things/12' } }, { result: 'none' });
    const key = newKey();
    expect((await post(node, key)).json().message).toMatch(/for routes with config\.idempotency\.result: 'location'/);
    expect(await thingsOf(key)).toBe(0);
  });

  it('is one of 20 parallel copies that begin in one statement', async () => {
    const node = await startNode(
      kind.nodes[0],
      async ({ idempotency }, reply) => {
        const location = `/things/${idempotency?.key}`;
        await database.transaction(async (tx) => idempotency?.completeWithin(tx, { location, status: 201 }));
        return reply.code(201).header('location', location).send({ data: 'done' });
      },
      { transactional: true },
    );
    const keys = Array.from({ length: 10 }, newKey);
    const answers = await Promise.all([...keys, ...keys].map((key) => post(node, key)));
    expect(tally(answers).done).toBe(10);
    for (const key of keys) expect(await toldBy(node, key)).toEqual([201, `/things/${key}`]);
  });
});

describe('ADP-11 what counts as the Location', () => {
  const start = (handler: Handler, addMore?: (app: FastifyInstance) => void) =>
    startNode(createMemoryStore(), handler, {}, addMore);
  const keptOf = async (handler: Handler, addMore?: (app: FastifyInstance) => void) => {
    const node = await start(handler, addMore);
    const key = newKey();
    await post(node, key);
    return { told: await toldBy(node, key), warnings: node.warnings };
  };
  const withLocation =
    (location: unknown): Handler =>
    (_request, reply) =>
      reply.code(201).header('location', location).send('done');

  it('is what the handler set, in each way to answer', async () => {
    const ways: readonly Handler[] = [
      (_request, reply) => void reply.code(201).header('Location', '/things/1').send('done'),
      async (_request, reply) => reply.code(201).header('location', '/things/1').send('done'),
      async (_request, reply) => {
        reply.code(201).header('location', '/things/1');
        return { data: 'done' };
      },
      async () => new Response('done', { status: 201, headers: { location: '/things/1' } }),
      async (_request, reply) => reply.send(new Response('done', { status: 201, headers: { location: '/things/1' } })),
      async (_request, reply) => reply.header('location', '/things/1').send(new Response('done', { status: 201 })),
      async (_request, reply) => {
        reply.header('location', '/things/1');
        return new Response('done', { status: 201 });
      },
      async (_request, reply) => {
        reply.header('location', '/things/0');
        return new Response('done', { status: 201, headers: { location: '/things/1' } });
      },
      (_request, reply) => {
        reply.hijack();
        reply.raw.statusCode = 201;
        reply.raw.setHeader('location', '/things/1');
        reply.raw.end('done');
      },
    ];
    for (const way of ways) expect((await keptOf(way)).told).toEqual([201, '/things/1']);
  });

  it('is that of a redirection, too', async () => {
    const { told } = await keptOf(async (_request, reply) => reply.redirect('/things/1?a=b#c', 303));
    expect(told).toEqual([303, '/things/1?a=b#c']);
  });

  it('is the status alone for an answer without one', async () => {
    expect(await keptOf(async () => 'done')).toEqual({ told: [200, null], warnings: [] });
  });

  it('is kept up to 2 KiB', async () => {
    const longest = `/${'a'.repeat(2047)}`;
    expect(await keptOf(withLocation(longest))).toEqual({ told: [201, longest], warnings: [] });
  });

  it.each([
    ['is longer than 2048 bytes', `/${'a'.repeat(2048)}`],
    ['has characters other than visible ASCII', '/things/ä'],
    ['has characters other than visible ASCII', '/things/a b'],
    ['has characters other than visible ASCII', '/things/a\tb'],
    ['is empty', ''],
    ['is not one text', ['/things/1', '/things/2']],
  ])('that %s is not kept: the status alone is, with a warning', async (fault, location) => {
    const { told, warnings } = await keptOf(withLocation(location));
    expect(told).toEqual([201, null]);
    expect(warnings).toEqual([expect.stringContaining(`The Location of an idempotent run is not kept: it ${fault}`)]);
    expect(JSON.stringify(warnings)).not.toContain('things');
  });

  it.each(['/things/1\r\nset-cookie: a=b', '/things/\u0000', '/things/\u4e2d'])(
    'that no header can have, %j, is not kept either, and never sent',
    async (location) => {
      const node = await start(withLocation(location));
      // Injected answers are not checked as a socket's are.
      await node.app.listen({ host: '127.0.0.1', port: 0 });
      const socket = connect((node.app.server.address() as AddressInfo).port, '127.0.0.1');
      const key = newKey();
      const head = ['POST /things HTTP/1.1', 'Host: x', 'X-User: ada', 'Connection: close', `Idempotency-Key: ${key}`];
      socket.write(`${head.join('\r\n')}\r\nContent-Type: application/octet-stream\r\nContent-Length: 0\r\n\r\n`);
      const ended = once(socket, 'close');
      const answer = await text(socket);
      await ended;
      expect(answer).toMatch(/^HTTP\/1\.1 500 /);
      expect(answer).not.toMatch(/\nlocation: |\nset-cookie/i);
      const [found] = await node.app.idempotency.lookUp('user:ada', key);
      expect(found).toMatchObject({ state: 'SUBMITTED', location: null });
    },
  );

  it('is not kept for a run that had no effect', async () => {
    const node = await start(async (_request, reply) => reply.code(404).header('location', '/things/1').send('none'));
    const key = newKey();
    expect((await post(node, key)).statusCode).toBe(404);
    expect(await node.app.idempotency.lookUp('user:ada', key)).toEqual([]);
  });

  it('reaches a client whose application has no error handler of its own', async () => {
    const node = await createIdempotentApp({ store: createMemoryStore() }, (app) => {
      app.put('/things', { config: { idempotency: { result: 'location' } } }, made as never);
    });
    const key = newKey();
    const put = () => node.submit({ key, url: '/things', method: 'PUT' });
    expect([(await put()).statusCode, (await put()).headers.location]).toEqual([201, `/things/${key}`]);
  });
});
