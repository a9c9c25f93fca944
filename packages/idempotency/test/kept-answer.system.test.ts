import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createMemoryStore } from '@sallyport/ttl-store';
import { sql } from 'drizzle-orm';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { holdRequest, until } from '../../../scripts/held-request.js';
import { lacks } from '../../../scripts/test-needs.js';
import { auditLog, createMemorySink } from '../../audit-log/src/index.js';
import authTokens, { generateSigningKey } from '../../auth-tokens/src/index.js';
import idempotency, {
  type CompleteWithinOptions,
  type IdempotencyOptions,
  type IdempotencyRouteOptions,
} from '../src/index.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';
import { type OpenedKind, storeKinds, type TestedDatabase, transactionalKinds } from './store-kinds.js';

type Store = OpenedKind['nodes'][number];
type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

const answerKeys = [randomBytes(32)];

interface NodeOptions {
  readonly settings?: IdempotencyRouteOptions;
  readonly schema?: object;
  readonly options?: Partial<IdempotencyOptions>;
  readonly before?: (app: FastifyInstance) => void;
}

/** A node with one route, `POST /things/:place`. */
function startNode(store: Store, handler: Handler, { settings, schema, options, before }: NodeOptions = {}) {
  const config = { idempotency: { result: 'body', ...settings } } as const;
  const addRoute = (app: FastifyInstance) =>
    void app.post('/things/:place', { config, ...(schema !== undefined && { schema }) }, handler as never);
  return createIdempotentApp({ store, answerKeys, ...options }, addRoute, {}, before);
}

const post = (node: IdempotentApp, key: string, more: Parameters<IdempotentApp['submit']>[0] = {}) =>
  node.submit({ key, url: '/things/here', ...more });

type Answer = Awaited<ReturnType<IdempotentApp['submit']>>;

/** What a client sees of an answer. */
const seen = ({ statusCode, headers, body }: Answer) => {
  const { location, etag, 'content-type': type } = headers;
  return { statusCode, location, etag, type, body };
};

const isAgain = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

let made = 0;
const makes: Handler = async ({ body }, reply) => {
  made += 1;
  reply.code(201).header('location', `/things/${made}`).header('etag', `"${made}"`).header('set-cookie', 'a=b');
  return { data: { id: made, body, note: 'plain words' } };
};

const keepsEtag = { resultHeaders: ['ETag'] };

describe.each(storeKinds)('IDM-13 the first answer again, on %s', (_name, open, need) => {
  describe.skipIf(lacks(need))('is kept', () => {
    let kind: OpenedKind;
    beforeAll(async () => {
      kind = await open();
    });
    afterAll(() => kind.close());

    it('and given to a retry on another node: status, headers and body, and no cookie', async () => {
      const node = { settings: keepsEtag };
      const [one, other] = [await startNode(kind.nodes[0], makes, node), await startNode(kind.nodes[1], makes, node)];
      const key = newKey();
      const first = await post(one, key);
      const before = made;
      const retries = [await post(other, key), await post(one, key)];
      for (const retry of retries) expect(seen(retry)).toEqual(seen(first));
      expect([first, ...retries].map(isAgain)).toEqual([false, true, true]);
      expect(retries.map(({ headers }) => headers['set-cookie'])).toEqual([undefined, undefined]);
      expect([first.statusCode, first.headers.etag, made]).toEqual([201, `"${before}"`, before]);
      expect(await kind.dump()).not.toContain('plain words');
    });

    it('and given to nobody else: not to another caller, nor to other content, nor on another path', async () => {
      const node = await startNode(kind.nodes[0], makes);
      const key = newKey();
      await post(node, key);
      const others = [
        await post(node, key, { user: 'bob' }),
        await post(node, key, { body: { other: true } }),
        await post(node, key, { url: '/things/there' }),
      ];
      expect(others.map(({ statusCode }) => statusCode)).toEqual([201, 422, 201]);
      expect(others.some(isAgain)).toBe(false);
    });

    it('and one of many at once runs', async () => {
      const nodes = [await startNode(kind.nodes[0], makes), await startNode(kind.nodes[1], makes)] as const;
      const key = newKey();
      const before = made;
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(nodes[index % 2 ? 1 : 0], key)));
      const { done = 0, IDEMPOTENCY_PROCESSING: waiting = 0 } = tally(answers);
      expect([made - before, done + waiting]).toEqual([1, 20]);
      expect(new Set(answers.filter(({ statusCode }) => statusCode === 201).map(({ body }) => body)).size).toBe(1);
    });

    it('until its key is gone; a later key seals, and the former one opens', async () => {
      const key = newKey();
      const first = await post(await startNode(kind.nodes[0], makes), key);
      const later = [randomBytes(32), ...answerKeys];
      const rotated = await startNode(kind.nodes[1], makes, { options: { answerKeys: later } });
      expect((await post(rotated, key)).body).toBe(first.body);
      const without = await startNode(kind.nodes[0], makes, { options: { answerKeys: later.slice(0, 1) } });
      const retry = await post(without, key);
      expect([retry.statusCode, retry.json().code]).toEqual([409, 'IDEMPOTENCY_SUBMITTED']);
      expect(retry.headers.location).toBe(first.headers.location);
    });

    it('but not to a request of a route that keeps the Location alone', async () => {
      const key = newKey();
      await post(await startNode(kind.nodes[0], makes), key);
      const other = await startNode(kind.nodes[1], makes, { settings: { result: 'location' } });
      expect((await post(other, key)).statusCode).toBe(409);
    });
  });
});

describe.each(transactionalKinds)('IDM-13 IDM-7 an answer that commits with the write, on %s', (_name, open) => {
  let kind: OpenedKind;
  let database: TestedDatabase;
  beforeAll(async () => {
    kind = await open();
    [database] = kind.databases as readonly [TestedDatabase, TestedDatabase];
    await database.execute(sql`create table things (id text primary key)`);
  });
  afterAll(() => kind.close());

  const startWith = (options: CompleteWithinOptions | undefined, fails = () => false) =>
    startNode(
      kind.nodes[0],
      async (request, reply) => {
        await database.transaction(async (transaction) => {
          await transaction.execute(sql`insert into things (id) values (${request.idempotency?.key})`);
          await request.idempotency?.completeWithin(transaction, options);
          if (fails()) throw new Error('rolled back');
        });
        reply.code(201);
        return { data: 'done' };
      },
      { settings: { transactional: true } },
    );

  it('is given to completeWithin', async () => {
    const node = await startWith({ status: 201, body: { data: 'done' } });
    const key = newKey();
    const [first, retry] = [await post(node, key), await post(node, key)];
    expect([seen(retry), isAgain(retry)]).toEqual([seen(first), true]);
    expect(node.warnings).toEqual([]);
  });

  it('is gone with a transaction that is rolled back', async () => {
    let isFirst = true;
    const node = await startWith({ status: 201, body: { data: 'done' } }, () => isFirst);
    const key = newKey();
    expect((await post(node, key)).statusCode).toBe(500);
    isFirst = false;
    const again = await post(node, key);
    expect([again.statusCode, isAgain(again)]).toEqual([201, false]);
  });

  it('is not kept without it: a retry gets 409', async () => {
    const node = await startWith({ status: 201 });
    const key = newKey();
    await post(node, key);
    expect((await post(node, key)).json()).toMatchObject({ code: 'IDEMPOTENCY_SUBMITTED' });
    expect(node.warnings).toEqual([]);
  });

  it('is the one that was committed, and a warning says that the reply differs', async () => {
    const node = await startWith({ status: 201, body: { data: 'other' } });
    const key = newKey();
    await post(node, key);
    expect((await post(node, key)).json()).toEqual({ data: 'other' });
    expect(node.warnings).toEqual([expect.stringMatching(/differs from that of a retry: give completeWithin .*body/)]);
  });
});

describe('IDM-13 what is not kept, so that a retry gets 409 and nothing fails', () => {
  const LIMIT = 64 * 1024;
  it.each<[string, Handler, RegExp | null]>([
    ['more than 64 KiB', async () => ({ text: 'a'.repeat(LIMIT) }), /longer than 65536 bytes/],
    ['more than 64 KiB, given in reply.send', (_, reply) => reply.send({ text: 'é'.repeat(LIMIT / 2) }), /longer than/],
    ['a secret by its name', async () => ({ data: { accessToken: 'abcdefgh' } }), /it holds a secret/],
    ['a secret in a list of names', async () => ({ data: [['password', 'abcdefgh']] }), /it holds a secret/],
    ['a code for a person', async () => ({ code: '123456' }), /it holds a secret/],
    ['bytes', (_, reply) => reply.send(Buffer.from('bytes')), /no JSON value/],
    ['a stream', (_, reply) => reply.send(Readable.from(['bytes'])), /no JSON value/],
    ['a Response', async () => new Response('text', { status: 200 }), /no JSON value/],
    ['a big integer', (_, reply) => reply.serializer(() => '1').send({ data: 1n }), /no form as JSON/],
    ['a redirection', (_, reply) => reply.redirect('/elsewhere'), null],
    [
      'a reply that the handler took over',
      (_, reply) => {
        reply.hijack();
        reply.raw.end('{}');
      },
      null,
    ],
  ])('%s', async (_name, handler, warning) => {
    let runs = 0;
    const counts: Handler = function (this: unknown, request, reply) {
      runs += 1;
      return handler.call(this, request, reply);
    };
    const node = await startNode(createMemoryStore(), counts);
    const key = newKey();
    expect((await post(node, key)).statusCode).toBeLessThan(400);
    expect((await post(node, key)).json()).toMatchObject({ statusCode: 409, code: 'IDEMPOTENCY_SUBMITTED' });
    expect([runs, node.warnings.length]).toEqual([1, warning === null ? 0 : 1]);
    if (warning !== null) expect(node.warnings[0]).toMatch(warning);
  });

  it.each([
    { data: null },
    { code: 'OK', data: [1] },
    { code: 200 },
    { data: { code: 'NOT_FOUND' } },
    'a text',
    null,
    undefined,
  ])('but %j is kept', async (body) => {
    const node = await startNode(createMemoryStore(), (_, reply) =>
      reply.code(body === undefined ? 204 : 200).send(body),
    );
    const key = newKey();
    const [first, retry] = [await post(node, key), await post(node, key)];
    expect([seen(retry), isAgain(retry)]).toEqual([seen(first), true]);
  });

  it('a refusal: the key may be used again', async () => {
    let status = 422;
    const node = await startNode(createMemoryStore(), (_, reply) => reply.code(status).send({ data: status }));
    const key = newKey();
    await post(node, key);
    status = 201;
    expect(isAgain(await post(node, key))).toBe(false);
    expect((await post(node, key)).json()).toEqual({ data: 201 });
  });

  it('an answer that somebody moved to another record of the store', async () => {
    const store = createMemoryStore();
    const texts = new Map<string, string>();
    const watched: typeof store = {
      ...store,
      compareAndSet: async (name, expected, value, ttl) => {
        texts.set(name, value);
        return store.compareAndSet(name, expected, value, ttl);
      },
    };
    const node = await startNode(watched, makes);
    const [mine, theirs] = [newKey(), newKey()];
    await post(node, mine, { user: 'eve' });
    await post(node, theirs, { user: 'ada' });
    const [[myName, myText], [, theirText]] = [...texts] as [[string, string], [string, string]];
    const forged = { ...JSON.parse(myText), result: JSON.parse(theirText).result };
    await store.set(myName, JSON.stringify(forged), 60_000);
    expect((await post(node, mine, { user: 'eve' })).statusCode).toBe(409);
  });
});

describe('IDM-13 the answer again passes what the first one passes', () => {
  it('the schema of the route, and hooks: a retry is sealed anew', async () => {
    const properties = { id: { type: 'number' }, note: { type: 'string' } };
    const schema = { response: { 201: { type: 'object', properties: { data: { type: 'object', properties } } } } };
    let seals = 0;
    const node = await startNode(createMemoryStore(), makes, {
      schema,
      before(app) {
        app.addHook('preSerialization', async (_request, _reply, payload: object) => ({ ...payload, more: 1 }));
        app.addHook('onSend', async (_request, _reply, payload) => {
          seals += 1;
          return `${seals}:${payload}`;
        });
      },
    });
    const key = newKey();
    const [first, retry] = [await post(node, key), await post(node, key)];
    expect(first.body).toBe(`1:{"data":{"id":${made},"note":"plain words"}}`);
    expect(retry.body).toBe(`2:{"data":{"id":${made},"note":"plain words"}}`);
  });

  it('the permission of today: what refuses a request before this plugin refuses its retry', async () => {
    let isAllowed = true;
    const node = await startNode(createMemoryStore(), makes, {
      before: (app) =>
        void app.addHook('onRequest', async (_request, reply) => (isAllowed ? undefined : reply.code(403).send({}))),
    });
    const key = newKey();
    await post(node, key);
    isAllowed = false;
    expect((await post(node, key)).statusCode).toBe(403);
  });

  it('the session of today: a retry that holds its body back until its session has ended gets 401', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    const signingKey = generateSigningKey('EdDSA');
    await app.register(authTokens, { store: createMemoryStore(), issuer: 'shop', signingKey });
    await app.register(idempotency, { store: createMemoryStore(), answerKeys });
    let heads = 0;
    app.addHook('onRequest', async () => {
      heads += 1;
    });
    const config = { access: 'admin', idempotency: { result: 'body' } } as const;
    app.post('/things', { config }, async () => ({ data: 'made once' }));
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const { token, sessionId } = await app.authTokens.issue({ subject: 'ada', audience: 'admin' });
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': newKey(),
    };
    const send = { method: 'POST', url: '/things', headers, payload: '{"amount":"12.50"}' } as const;
    const first = await app.inject(send);
    expect([(await app.inject(send)).body, first.statusCode]).toEqual([first.body, 200]);
    const seenHeads = heads;
    const held = await holdRequest(port, send);
    await until(() => heads > seenHeads);
    await app.authTokens.revoke(sessionId);
    const answer = await held.release();
    expect([answer.status, answer.body.includes('made once')]).toEqual([401, false]);
  });

  it('and audit-log records that nothing was done', async () => {
    const sink = createMemorySink();
    const node = await startNode(createMemoryStore(), makes, {
      before: (app) =>
        void app.register(auditLog, { sink, actorOf: () => 'ada', decide: () => ({ resource: 'thing' }) } as never),
    });
    const key = newKey();
    await post(node, key);
    expect(isAgain(await post(node, key))).toBe(true);
    const ends = sink.records().map(({ outcome, reason }) => [outcome, reason]);
    expect(ends).toEqual([
      ['success', null],
      ['refused', 'IDEMPOTENCY_SUBMITTED'],
    ]);
  });
});

describe('IDM-13 a start is refused', () => {
  const properties = { data: { type: 'object', properties: { accessToken: { type: 'string' }, code: {} } } };
  it.each<[string, NodeOptions, RegExp]>([
    ['without a key', { options: { answerKeys: [] } }, /result: 'body' needs the option answerKeys/],
    ['with a short key', { options: { answerKeys: [randomBytes(16)] } }, /answerKeys must be a list of keys/],
    ['with a key of a pattern', { options: { answerKeys: [Buffer.alloc(32, 'ab')] } }, /answerKeys must be a list/],
    ['where the handler begins the run', { settings: { content: 'in-handler' } }, /needs content: 'request'/],
    ['for Set-Cookie', { settings: { resultHeaders: ['Set-Cookie'] } }, /none of connection, .*set-cookie/],
    ['for headers alone', { settings: { result: 'location', ...keepsEtag } }, /is for routes with result: 'body'/],
    ['for a misspelt result', { settings: { result: 'whole' as never } }, /must be 'none', 'location' or 'body'/],
    [
      'for a schema with a secret',
      { schema: { response: { '2xx': { type: 'object', properties } } } },
      /POST \/things\/:place: its answer has accessToken, and a secret must not be shown again/,
    ],
  ])('%s', async (_name, options, message) => {
    const error = await startNode(createMemoryStore(), makes, options).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain(answerKeys[0]?.toString('hex'));
  });

  it('and a body is refused on a route that does not keep it', async () => {
    const handler: Handler = async (request) => {
      await request.idempotency?.completeWithin({}, { body: {} });
      return {};
    };
    const node = await startNode(createMemoryStore(), handler, { settings: { result: 'location' } });
    expect((await post(node, newKey())).json().message).toMatch(/body is for routes with .*result: 'body'/);
  });
});
