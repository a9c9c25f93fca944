import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { type AuditLogOptions, auditLog } from '../src/index.js';
import {
  type AuditedChanges,
  auditPending,
  createAuditedChanges,
  createAuditReader,
  createAuditTables,
  createPostgresAuditSink,
  type PostgresAuditSink,
  verifyAuditLog,
} from '../src/postgres.js';

const key = { id: 'k', secret: randomBytes(32) };
type Orm = PgliteDatabase;

/** A Fastify application of another team: a table of things, changed through `changes`. */
describe('changes with their record', () => {
  let orm: Orm;
  let close: () => Promise<void>;
  let sink: PostgresAuditSink;
  let changes: AuditedChanges<Orm>;
  let app: FastifyInstance;
  const completed: string[] = [];

  beforeEach(async () => {
    const client = await openTestEmbedded();
    close = () => client.close();
    orm = drizzle(client);
    await createAuditTables(orm);
    await orm.execute(sql`create table things (name text primary key)`);
    // Sweeps are called by the tests.
    sink = createPostgresAuditSink({ database: orm, key, sweepSeconds: 3600, timeoutMillis: 300 });
    completed.length = 0;
    changes = createAuditedChanges({
      database: orm,
      sink,
      complete: async (_transaction, request) => void completed.push(request.id),
    });
  });
  afterEach(async () => {
    await app.close();
    await close();
  });

  async function serve(routes: (app: FastifyInstance) => void, options: Partial<AuditLogOptions> = {}) {
    app = Fastify();
    await app.register(auditLog, { sink, retryMillis: 1, commitTimeoutMillis: 500, ...options });
    routes(app);
    await app.ready();
  }

  const rowsOf = async (query: ReturnType<typeof sql>) => (await orm.execute(query)).rows;
  const things = () => rowsOf(sql`select name from things order by name`);
  const pending = () => orm.select().from(auditPending);
  const chained = () =>
    rowsOf(sql`select id, action, outcome, target, parameters from audit_records order by sequence`);
  const listed = async () => (await createAuditReader({ database: orm }).search()).records;
  const post = (url: string) => app.inject({ method: 'POST', url });

  const inHandler = { config: { audit: { resource: 'thing', changes: 'in-handler' } } } as const;

  it('AUD-8 commits the change, its record and the completion together, and chains the record before the reply', async () => {
    await serve((app) =>
      app.post('/things', inHandler, (request) =>
        changes.change({ request }, async (transaction, record) => {
          await transaction.execute(sql`insert into things values ('a')`);
          record({ target: 'a', detail: { oldValue: null } });
          record({ detail: { newValue: 'a' } });
          return { made: true };
        }),
      ),
    );
    expect((await post('/things')).json()).toEqual({ made: true });
    expect(await things()).toEqual([{ name: 'a' }]);
    expect(await chained()).toMatchObject([
      { action: 'thing.create', outcome: 'success', target: 'a', parameters: { detail: { newValue: 'a' } } },
    ]);
    expect(await pending()).toEqual([]);
    expect(completed).toHaveLength(1);
  });

  it('AUD-8 rolls the change back if its record can not be written, and answers with the error', async () => {
    await serve((app) =>
      app.post('/things', inHandler, (request) =>
        changes.change({ request }, async (transaction) => {
          await transaction.execute(sql`insert into things values ('a')`);
        }),
      ),
    );
    await orm.execute(sql`alter table audit_pending rename to gone`);
    expect((await post('/things')).json()).toMatchObject({ statusCode: 503, code: 'AUDIT_UNAVAILABLE' });
    await orm.execute(sql`alter table gone rename to audit_pending`);
    expect(await things()).toEqual([]);
    await vi.waitFor(async () => expect((await listed()).map(({ outcome }) => outcome)).toEqual(['failure']));
  });

  it('AUD-8 rolls the change back if the completion rejects', async () => {
    const fenced = createAuditedChanges({
      database: orm,
      sink,
      complete: () => Promise.reject(Object.assign(new Error('lost'), { statusCode: 409 })),
    });
    await serve((app) =>
      app.post('/things', inHandler, (request) =>
        fenced.change({ request }, async (transaction) => {
          await transaction.execute(sql`insert into things values ('a')`);
        }),
      ),
    );
    expect((await post('/things')).statusCode).toBe(409);
    expect(await things()).toEqual([]);
    expect(await pending()).toEqual([]);
    expect((await listed()).map(({ outcome }) => outcome)).toEqual(['refused']);
  });

  it('AUD-8 acknowledges a change whose record is committed, although the chain can not be written', async () => {
    await serve((app) =>
      app.post('/things', inHandler, (request) =>
        changes.change({ request }, async (transaction) => {
          await transaction.execute(sql`insert into things values ('a')`);
          return { made: true };
        }),
      ),
    );
    await orm.execute(sql`alter table audit_records rename to gone`);
    expect((await post('/things')).statusCode).toBe(200);
    await orm.execute(sql`alter table gone rename to audit_records`);
    expect(await pending()).toHaveLength(1);
    await orm.execute(sql`update audit_pending set written_at = now() - interval '2 hours'`);
    await sink.sweep();
    expect((await listed()).map(({ outcome }) => outcome)).toEqual(['success']);
  });

  it('AUD-8 rolls back a change that nobody waits for any more, and its 503 has a record of its own', async () => {
    const abort = new AbortController();
    await serve((app) =>
      app.post('/things', inHandler, async (request) => {
        const change = changes.change({ request, signal: abort.signal }, async (transaction) => {
          await transaction.execute(sql`insert into things values ('a')`);
          abort.abort(Object.assign(new Error('late'), { statusCode: 503 }));
        });
        await change;
      }),
    );
    expect((await post('/things')).statusCode).toBe(503);
    expect(await things()).toEqual([]);
    await vi.waitFor(async () => expect((await listed()).map(({ outcome }) => outcome)).toEqual(['failure']));
  });

  it('AUD-8 keeps the record of a change that was committed after its request was answered with 503', async () => {
    let commit = () => {};
    const isCommitting = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let made: Promise<void> = Promise.resolve();
    await serve((app) =>
      app.post('/things', inHandler, async (request) => {
        made = changes.change({ request }, async (transaction) => {
          await isCommitting;
          await transaction.execute(sql`insert into things values ('a')`);
        });
        throw Object.assign(new Error('late'), { statusCode: 503 });
      }),
    );
    expect((await post('/things')).statusCode).toBe(503);
    commit();
    await made;
    expect(await things()).toEqual([{ name: 'a' }]);
    await orm.execute(sql`update audit_pending set written_at = now() - interval '2 hours'`);
    await sink.sweep();
    await vi.waitFor(async () =>
      expect((await listed()).map(({ outcome }) => outcome).sort()).toEqual(['failure', 'success']),
    );
  });

  it('AUD-8 gives a second change of a request, a job and a command a record of its own', async () => {
    await serve((app) =>
      app.post('/things', inHandler, async (request) => {
        request.audit!.set({ actor: 'admin:1' });
        await changes.change(
          { request, event: { action: 'thing.prepare', target: 'p' } },
          async (transaction, record) => {
            await transaction.execute(sql`insert into things values ('p')`);
            record({ detail: 'prepared' });
          },
        );
        await changes.change({ request }, (transaction) => transaction.execute(sql`insert into things values ('q')`));
        await expect(changes.change({ request }, async () => {})).rejects.toThrow('one change');
        return {};
      }),
    );
    await post('/things');
    await changes.change({ event: { action: 'thing.import', actor: 'job:nightly' } }, (transaction) =>
      transaction.execute(sql`insert into things values ('r')`),
    );
    await vi.waitFor(async () => expect(await listed()).toHaveLength(3));
    const byAction = new Map((await listed()).map((record) => [record.action, record]));
    expect(byAction.get('thing.prepare')).toMatchObject({
      actor: null,
      target: 'p',
      parameters: { detail: 'prepared' },
      extra: { method: 'POST', path: '/things' },
    });
    expect(byAction.get('thing.create')).toMatchObject({ actor: 'admin:1', outcome: 'success' });
    expect(byAction.get('thing.import')).toMatchObject({ actor: 'job:nightly', extra: { method: null } });
    // The completion belongs to the change of the request alone.
    expect(completed).toHaveLength(1);
  });

  it('AUD-8 a change without a record is refused: on a route that is not audited, and without a subject', async () => {
    await serve((app) =>
      app.post('/things', { config: { audit: false } }, (request) =>
        changes.change({ request }, (transaction) => transaction.execute(sql`insert into things values ('a')`)),
      ),
    );
    expect((await post('/things')).statusCode).toBe(500);
    await expect(changes.change({}, async () => {})).rejects.toThrow(TypeError);
    expect(await things()).toEqual([]);
  });

  describe('outside of the database', () => {
    /** A change that is not in the log's database, such as one in Redis. */
    const outside: string[] = [];
    beforeEach(() => {
      outside.length = 0;
    });

    it('AUD-8 begins the record before the handler of every route that writes, and lists it as one with its outcome', async () => {
      let seen: unknown;
      await serve((app) => {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
          app.route({
            method,
            url: '/things',
            config: { audit: 'thing' },
            handler: async () => {
              seen = (await pending()).map(({ record }) => JSON.parse(record).outcome);
              outside.push(method);
              return {};
            },
          });
        }
      });
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        await app.inject({ method, url: '/things' });
        expect(seen).toEqual(['unknown']);
      }
      expect(outside).toHaveLength(4);
      expect(await pending()).toEqual([]);
      expect((await listed()).map(({ outcome }) => outcome)).toEqual(Array(4).fill('success'));
    });

    it('AUD-8 does not run the handler if the record can not be begun, and says that nothing was done', async () => {
      await serve((app) =>
        app.post('/things', { config: { audit: 'thing' } }, async () => {
          outside.push('made');
          return {};
        }),
      );
      await orm.execute(sql`alter table audit_pending rename to gone`);
      expect((await post('/things')).json()).toMatchObject({ statusCode: 503, code: 'AUDIT_UNAVAILABLE' });
      await orm.execute(sql`alter table gone rename to audit_pending`);
      expect(outside).toEqual([]);
      await vi.waitFor(async () => expect((await listed()).map(({ outcome }) => outcome)).toEqual(['failure']));
    });

    it('AUD-8 adds the outcome when the chain can be written again', async () => {
      await serve((app) => app.post('/things', { config: { audit: 'thing' } }, async () => ({})), { retryMillis: 50 });
      await orm.execute(sql`alter table audit_records rename to gone`);
      expect((await post('/things')).statusCode).toBe(503);
      await orm.execute(sql`alter table gone rename to audit_records`);
      await vi.waitFor(async () => expect((await listed()).map(({ outcome }) => outcome)).toEqual(['success']), 5000);
      expect(await pending()).toEqual([]);
    });

    it('AUD-8 leaves `unknown` after a failure, and after a crash', async () => {
      await serve((app) =>
        app.post('/things', { config: { audit: 'thing' } }, async () => {
          outside.push('made');
          throw Object.assign(new Error('no answer'), { statusCode: 503, code: 'STORE_AWAY' });
        }),
      );
      await post('/things');
      await vi.waitFor(async () =>
        expect((await listed()).map(({ outcome, reason }) => [outcome, reason])).toEqual([['unknown', 'STORE_AWAY']]),
      );
      // A process that crashed after it began: its record is in the pending table alone.
      await sink.begin([app.auditLog.createRecord({ action: 'thing.create', outcome: 'unknown' })]);
      await orm.execute(sql`update audit_pending set written_at = now() - interval '2 hours'`);
      await sink.sweep();
      expect((await listed()).map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
    });

    it('AUD-8 lists a late completion alone, whatever the order in which both were chained', async () => {
      for (const sweepsFirst of [true, false]) {
        let finish = () => {};
        const isFinished = new Promise<void>((resolve) => {
          finish = resolve;
        });
        await serve((app) =>
          app.post('/things', { config: { audit: 'thing' } }, async () => {
            await isFinished;
            return {};
          }),
        );
        const reply = post('/things');
        await vi.waitFor(async () => expect(await pending()).toHaveLength(1));
        const [row] = await pending();
        if (sweepsFirst) {
          await orm.execute(sql`update audit_pending set written_at = now() - interval '2 hours'`);
          await sink.sweep();
          expect((await listed()).map(({ outcome }) => outcome)).toEqual(['unknown']);
        }
        finish();
        await reply;
        if (!sweepsFirst) {
          // A slow sweep had read the row before the completion deleted it.
          await orm.insert(auditPending).values({ ...row!, writtenAt: new Date(0) });
          await sink.sweep();
        }
        expect((await listed()).map(({ outcome }) => outcome)).toEqual(['success']);
        expect(await chained()).toHaveLength(2);
        expect((await createAuditReader({ database: orm }).search({ outcome: 'unknown' })).records).toEqual([]);
        const exported = [];
        for await (const each of createAuditReader({ database: orm }).export()) exported.push(each.outcome);
        expect(exported).toEqual(['success']);
        expect((await verifyAuditLog({ database: orm, key })).intact).toBe(true);
        await app.close();
        await orm.execute(sql`truncate audit_records, audit_chain_heads, audit_pending`);
        sink = createPostgresAuditSink({ database: orm, key, sweepSeconds: 3600 });
      }
    });

    it('AUD-8 a change in the database after a begun record is one record with it', async () => {
      await serve((app) =>
        app.post('/things', { config: { audit: 'thing' } }, async (request) => {
          outside.push('sessions');
          return changes.change({ request }, async (transaction) => {
            await transaction.execute(sql`insert into things values ('a')`);
            return {};
          });
        }),
      );
      await post('/things');
      expect((await listed()).map(({ outcome }) => outcome)).toEqual(['success']);
      expect(await pending()).toEqual([]);
      expect(await chained()).toHaveLength(1);
    });
  });

  it('AUD-8 warns of an in-handler route that succeeds without a change and without a begun record', async () => {
    const warnings: unknown[] = [];
    await serve((app) => {
      app.addHook('onRequest', async (request) => {
        request.log.warn = (message: unknown) => void warnings.push(message);
      });
      app.post('/forgotten', inHandler, async () => ({}));
      app.post('/begun', inHandler, async (request) => {
        await request.audit!.begin();
        return {};
      });
      app.post('/things', inHandler, (request) => changes.change({ request }, async () => ({})));
    });
    for (const url of ['/begun', '/things']) expect((await post(url)).statusCode).toBe(200);
    expect(warnings).toEqual([]);
    expect((await post('/forgotten')).statusCode).toBe(200);
    expect(warnings).toEqual([expect.stringMatching(/^POST \/forgotten .* made no audited change/)]);
  });

  it('AUD-8 reads are not begun, `writes` and `changes` decide otherwise, and after-reply is refused for writes', async () => {
    const begin = vi.spyOn(sink, 'begin');
    await serve(
      (app) => {
        app.get('/things', { config: { audit: 'thing' } }, async () => ({}));
        app.post('/things', { config: { audit: 'thing' } }, async () => ({}));
        app.put('/things', { config: { audit: { resource: 'thing', changes: 'outside' } } }, async () => ({}));
      },
      { writes: 'nothing' },
    );
    await app.inject('/things');
    await post('/things');
    expect(begin).not.toHaveBeenCalled();
    await app.inject({ method: 'PUT', url: '/things' });
    expect(begin).toHaveBeenCalledOnce();
    await app.close();

    await expect(
      serve((app) => {
        const audit = { resource: 'thing', required: 'after-reply' } as const;
        app.post('/things', { config: { audit } }, async () => ({}));
      }),
    ).rejects.toThrow("POST /things: config.audit.required: 'after-reply' is for routes that change nothing");
  });
});
