import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createMemoryStore } from '@sallyport/ttl-store';
import { sql } from 'drizzle-orm';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import type { IdempotencyOptions, IdempotencyRouteOptions } from '../src/index.js';
import { createGate } from './gate.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';
import { type OpenedKind, storeKinds, transactionalKinds } from './store-kinds.js';

type Write = (request: FastifyRequest, hash: string) => Promise<void>;

/** A node with `POST /files`, whose body is a stream. Its handler begins the run with the hash of the content. */
function startNode(
  options: Pick<IdempotencyOptions, 'store'>,
  write: Write,
  settings: IdempotencyRouteOptions = {},
): Promise<IdempotentApp> {
  return createIdempotentApp(options, (app: FastifyInstance) => {
    app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
    app.post('/files', { config: { idempotency: { content: 'in-handler', ...settings } } }, async (request, reply) => {
      const content = await buffer(request.body as Readable);
      await write(request, createHash('sha256').update(content).digest('hex'));
      return reply.code(201).send({ data: content.length });
    });
  });
}

const octets = { 'content-type': 'application/octet-stream' };
const upload = (node: IdempotentApp, key: string, body = 'content', url = '/files') =>
  node.submit({ key, url, body, headers: octets });
const statesOf = async ({ app }: IdempotentApp, key: string) =>
  (await app.idempotency.lookUp('user:ada', key)).map(({ state }) => state);

describe.each(storeKinds)('IDM-11 a run that the handler begins, on %s', (_name, open, need) => {
  describe.skipIf(lacks(need))('of two nodes', () => {
    let kind: OpenedKind;
    beforeAll(async () => {
      kind = await open();
    });
    afterAll(() => kind.close());

    /** Two nodes whose handlers begin, and then write a row. */
    async function startNodes(between: () => Promise<void> = async () => {}) {
      const rows: string[] = [];
      const write: Write = async (request, hash) => {
        await request.idempotency?.begin({ hash });
        await between();
        rows.push(hash);
      };
      const nodes = [
        await startNode({ store: kind.nodes[0] }, write),
        await startNode({ store: kind.nodes[1] }, write),
      ] as const;
      return { rows, nodes };
    }

    it('IDM-11 IDM-3 of 20 parallel uploads under one key on two nodes one is done, and the others are told so', async () => {
      const { rows, nodes } = await startNodes();
      const key = newKey();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => upload(nodes[index % 2 ? 1 : 0], key)),
      );
      const { done, ...refused } = tally(answers);
      expect(done).toBe(1);
      expect(Object.keys(refused).every((code) => /^IDEMPOTENCY_(PROCESSING|SUBMITTED)$/.test(code))).toBe(true);
      expect(rows).toHaveLength(1);
      expect(tally([await upload(nodes[1], key)])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
      expect(tally([await upload(nodes[1], key, 'other content')])).toEqual({ IDEMPOTENCY_DIGEST_MISMATCH: 1 });
      expect(await statesOf(nodes[1], key)).toEqual(['SUBMITTED']);
      expect(rows).toHaveLength(1);
    });

    it('IDM-11 the state of the key is seen from its begin on, and a dead run is UNKNOWN after its lease', async () => {
      const gate = createGate();
      const { nodes } = await startNodes(() => gate.pass());
      const key = newKey();
      expect(await statesOf(nodes[1], key)).toEqual([]);
      const first = upload(nodes[0], key);
      await gate.arrival();
      expect(await statesOf(nodes[1], key)).toEqual(['PROCESSING']);
      const copy = await upload(nodes[1], key);
      expect([copy.json().code, copy.headers['retry-after']]).toEqual(['IDEMPOTENCY_PROCESSING', '1']);
      await kind.lapseLeases();
      expect(tally([await upload(nodes[1], key)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
      expect(await statesOf(nodes[1], key)).toEqual(['UNKNOWN']);
      gate.open();
      await first;
      expect(await statesOf(nodes[1], key)).toEqual(['UNKNOWN']);
    });
  });
});

describe.each(transactionalKinds)('IDM-11 IDM-7 an upload in a transaction, on %s', (_name, open) => {
  let kind: OpenedKind;
  beforeAll(async () => {
    kind = await open();
    await kind.databases![0].execute(sql`create table files (hash text not null)`);
  });
  afterAll(() => kind.close());

  const start = (index: 0 | 1, write: Write) =>
    startNode({ store: kind.nodes[index] }, write, { transactional: true, required: false });
  const storing =
    (index: 0 | 1, before: () => Promise<void> = async () => {}): Write =>
    async (request, hash) => {
      await request.idempotency?.begin(hash);
      await before();
      await kind.databases![index].transaction(async (transaction) => {
        await transaction.execute(sql`insert into files (hash) values (${hash})`);
        await request.idempotency?.completeWithin(transaction);
      });
    };
  const countOf = async (content: string) => {
    const hash = createHash('sha256').update(content).digest('hex');
    const rows = await kind.databases![0].select({ one: sql`1` }).from(sql`files where hash = ${hash}`);
    return rows.length;
  };

  it('IDM-11 IDM-7 after the lease of a dead run a retry runs, and the dead run is rolled back', async () => {
    const gate = createGate();
    const [dead, node] = [
      await start(
        0,
        storing(0, () => gate.pass()),
      ),
      await start(1, storing(1)),
    ];
    const key = newKey();
    const first = upload(dead, key, key);
    await gate.arrival();
    expect(tally([await upload(node, key, key)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    await kind.lapseLeases();
    expect(tally([await upload(node, key, key)])).toEqual({ done: 1 });
    gate.open();
    expect(tally([await first])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    expect(await countOf(key)).toBe(1);
    expect(await statesOf(node, key)).toEqual(['SUBMITTED']);
  });

  it('IDM-11 IDM-6 a handler that fails before or after its begin has no effect, and the same key runs', async () => {
    let isBroken = true;
    const failing = await start(0, async (request, hash) => {
      if (isBroken) throw new Error('before');
      await request.idempotency?.begin(hash);
      throw new Error('after');
    });
    const key = newKey();
    expect((await upload(failing, key, key)).statusCode).toBe(500);
    expect(await statesOf(failing, key)).toEqual([]);
    isBroken = false;
    expect((await upload(failing, key, key)).statusCode).toBe(500);
    expect(await statesOf(failing, key)).toEqual([]);
    expect(tally([await upload(await start(1, storing(1)), key, key)])).toEqual({ done: 1 });
    expect(await countOf(key)).toBe(1);
  });

  it('IDM-11 success without completeWithin is a fault, and its outcome unknown', async () => {
    const forgetful = await start(0, async (request, hash) => request.idempotency?.begin(hash));
    const key = newKey();
    expect(tally([await upload(forgetful, key)])).toEqual({ IDEMPOTENCY_NOT_COMPLETED: 1 });
    expect(await statesOf(forgetful, key)).toEqual(['UNKNOWN']);
  });

  it('IDM-11 completeWithin before begin is refused, and nothing is committed', async () => {
    const hasty = await start(0, (request, hash) =>
      kind.databases![0].transaction(async (transaction) => {
        await transaction.execute(sql`insert into files (hash) values (${hash})`);
        await request.idempotency?.completeWithin(transaction);
      }),
    );
    const key = newKey();
    const answer = await upload(hasty, key, key);
    expect(answer.json()).toMatchObject({
      statusCode: 500,
      message: expect.stringContaining('call begin(content) before it'),
    });
    expect(await countOf(key)).toBe(0);
    expect(await statesOf(hasty, key)).toEqual([]);
  });

  it('IDM-11 a request without a key runs without a record', async () => {
    const node = await start(0, storing(0));
    const content = newKey();
    expect((await node.submit({ url: '/files', body: content, headers: octets })).statusCode).toBe(201);
    expect(await countOf(content)).toBe(1);
  });
});

describe('IDM-11 the handler that begins its run', () => {
  const start = (write: Write) => startNode({ store: createMemoryStore() }, write);

  it('IDM-11 IDM-1 gets no request whose key is missing or wrong', async () => {
    let runs = 0;
    const node = await start(async () => {
      runs += 1;
    });
    expect(tally([await node.submit({ url: '/files', body: 'x', headers: octets })])).toEqual({
      IDEMPOTENCY_KEY_REQUIRED: 1,
    });
    expect(tally([await upload(node, 'no uuid')])).toEqual({ IDEMPOTENCY_KEY_INVALID: 1 });
    expect(runs).toBe(0);
  });

  it('IDM-11 has to begin: success without it is a fault', async () => {
    const node = await start(async () => {});
    const key = newKey();
    expect(tally([await upload(node, key)])).toEqual({ IDEMPOTENCY_NOT_BEGUN: 1 });
    expect(await statesOf(node, key)).toEqual([]);
  });

  it('IDM-11 begins once, with a JSON value', async () => {
    const said: unknown[] = [];
    const node = await start(async ({ idempotency }, hash) => {
      const attempt = (content: unknown) => idempotency!.begin(content).catch(({ code }) => said.push(code));
      await attempt(undefined);
      await idempotency!.begin(hash);
      await attempt(hash);
    });
    expect((await upload(node, newKey())).statusCode).toBe(201);
    expect(said).toEqual(['IDEMPOTENCY_SETUP_INVALID', 'IDEMPOTENCY_SETUP_INVALID']);
    const foreign = await start(async ({ idempotency }) => idempotency!.begin(new Map()));
    expect(tally([await upload(foreign, newKey())])).toEqual({ IDEMPOTENCY_BODY_UNSUPPORTED: 1 });
  });

  it('IDM-11 cannot begin what the plugin began', async () => {
    const node = await createIdempotentApp({ store: createMemoryStore() }, (app) => {
      app.post('/begun', { config: { idempotency: true } }, async ({ idempotency }) => idempotency!.begin('x'));
    });
    expect((await node.submit({ key: newKey(), url: '/begun' })).json().message).toContain("content: 'in-handler'");
  });

  it('IDM-11 IDM-4 method, path and query are compared as well', async () => {
    const node = await start(async ({ idempotency }, hash) => idempotency!.begin(hash));
    const key = newKey();
    expect((await upload(node, key)).statusCode).toBe(201);
    expect(tally([await upload(node, key, 'content', '/files?other=1')])).toEqual({ IDEMPOTENCY_DIGEST_MISMATCH: 1 });
  });

  it('IDM-9 IDM-11 a store that is away is 503, and the same key runs later', async () => {
    const store = createMemoryStore();
    let isAway = true;
    const fail = async () => Promise.reject(new Error('away'));
    const flaky: typeof store = {
      ...store,
      set: (...args) => (isAway ? fail() : store.set(...args)),
      setIfAbsent: (...args) => (isAway ? fail() : store.setIfAbsent(...args)),
    };
    const node = await startNode({ store: flaky }, async ({ idempotency }, hash) => idempotency!.begin(hash));
    const key = newKey();
    expect(tally([await upload(node, key)])).toEqual({ IDEMPOTENCY_STORE_UNAVAILABLE: 1 });
    isAway = false;
    expect((await upload(node, key)).statusCode).toBe(201);
  });

  it('IDM-11 a client that disconnects before the begin leaves the key unused, and one that does later is served', async () => {
    const gate = createGate();
    let failures = 0;
    const node = await createIdempotentApp({ store: createMemoryStore() }, (app) => {
      app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
      app.post('/files', { config: { idempotency: { content: 'in-handler' } } }, async ({ body, idempotency }) => {
        const content = await buffer(body as Readable).catch((error: Error) => {
          failures += 1;
          throw error;
        });
        await gate.pass();
        await idempotency!.begin(content.toString());
        return { data: content.length };
      });
    });
    await node.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = node.app.server.address() as AddressInfo;
    const send = async (key: string, body: string) => {
      const socket = connect(port, '127.0.0.1').resume();
      await once(socket, 'connect');
      const head = `POST /files HTTP/1.1\r\nhost: x\r\nx-user: ada\r\ncontent-type: application/octet-stream\r\n`;
      socket.write(`${head}content-length: 4\r\nidempotency-key: ${key}\r\n\r\n${body}`);
      return socket;
    };
    const [broken, left] = [newKey(), newKey()];
    const cut = await send(broken, 'ab');
    await new Promise((resolve) => setImmediate(resolve));
    cut.destroy();
    await expect.poll(() => failures).toBe(1);
    const gone = await send(left, 'abcd');
    await gate.arrival();
    gone.destroy();
    await once(gone, 'close');
    gate.open();
    await expect.poll(() => statesOf(node, left)).toEqual(['SUBMITTED']);
    expect(await statesOf(node, broken)).toEqual([]);
  });
});
