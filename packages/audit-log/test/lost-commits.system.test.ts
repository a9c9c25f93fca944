import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CommittingDatabase, committingDatabases } from '../../../scripts/committing-databases.js';
import { auditLog } from '../src/index.js';
import { createAuditedChanges, createAuditTables, createPostgresAuditSink } from '../src/postgres.js';

const key = { id: 'k', secret: randomBytes(32) };

describe.each(committingDatabases)('a commit that is lost, by %s', (_driver, open) => {
  let given: CommittingDatabase;
  let app: FastifyInstance;
  let effects: number;
  beforeAll(async () => {
    given = await open();
    await createAuditTables(given.database);
    await given.database.execute('create table things (name text primary key)');
  });
  beforeEach(() => given.database.execute('truncate things, audit_records, audit_pending, audit_chain_heads'));
  afterEach(() => app.close());
  afterAll(() => given.close());

  /** PGlite has no network between, so there a statement fails whose error is swallowed. */
  const abort = async (transaction: { execute(query: string): PromiseLike<unknown> }) => {
    if (given.proxy === null) await Promise.resolve(transaction.execute('select 1 / 0')).catch(() => {});
  };
  const losing = async <Result>(work: () => Promise<Result>) => {
    given.proxy?.turnCommits(true);
    const result = await work();
    given.proxy?.turnCommits(false);
    return result;
  };

  async function serve(): Promise<void> {
    const { database } = given;
    const sink = createPostgresAuditSink({ database, key, sweepSeconds: 3600, timeoutMillis: 5000 });
    const changes = createAuditedChanges({ database, sink, confirm: abort });
    app = Fastify();
    await app.register(auditLog, {
      sink,
      retryMillis: 1,
      begin: (record, request) => changes.begin(record, request),
    });
    app.post('/inside', { config: { audit: { resource: 'thing', changes: 'in-handler' } } }, (request) =>
      changes.change({ request }, async (transaction) => {
        await transaction.execute("insert into things values ('a')");
        return { made: true };
      }),
    );
    effects = 0;
    app.post('/outside', { config: { audit: { resource: 'file', changes: 'outside' } } }, async () => {
      effects += 1;
      return { made: true };
    });
    app.post('/event', { config: { audit: { resource: 'thing', changes: 'in-handler' } } }, async (request) => {
      await changes.change({ request, event: { action: 'thing.import' } }, async (transaction) => {
        await transaction.execute("insert into things values ('a')");
        await abort(transaction);
      });
    });
    await app.ready();
  }

  const outcomes = () => given.rowsOf('select outcome from audit_records');

  it('REL-14 AUD-8 is 503, stores neither the change nor its record, and is recorded as a failure', async () => {
    await serve();
    for (const url of ['/inside', '/event']) {
      const { statusCode, json } = await losing(() => app.inject({ method: 'POST', url }));
      expect([url, statusCode]).toEqual([url, 503]);
      expect(json().code).toBe('AUDIT_UNAVAILABLE');
    }
    expect(await given.rowsOf('select name from things')).toEqual([]);
    expect(await given.rowsOf('select id from audit_pending')).toEqual([]);
    await vi.waitFor(async () => expect(await outcomes()).toEqual([{ outcome: 'failure' }, { outcome: 'failure' }]));
  });

  it('REL-14 AUD-8 keeps a change outside of the database from taking effect', async () => {
    await serve();
    const { statusCode } = await losing(() => app.inject({ method: 'POST', url: '/outside' }));
    expect(statusCode).toBe(503);
    expect(effects).toBe(0);
    expect(await given.rowsOf('select id from audit_pending')).toEqual([]);
    await vi.waitFor(async () => expect(await outcomes()).toEqual([{ outcome: 'failure' }]));
  });
});

describe.each(committingDatabases.slice(0, 2))('a connection that breaks after the commit, by %s', (_driver, open) => {
  it('REL-14 AUD-8 acknowledges the change, since PostgreSQL has answered', async () => {
    const { database, proxy, rowsOf, close } = await open();
    await createAuditTables(database);
    await database.execute('create table things (name text primary key)');
    const sink = createPostgresAuditSink({ database, key, timeoutMillis: 5000 });
    const changes = createAuditedChanges({ database, sink });
    proxy!.cutAfterCommits(true);
    const made = await changes.change({ event: { action: 'thing.create' } }, async (transaction) => {
      await transaction.execute("insert into things values ('a')");
      return 'made';
    });
    proxy!.cutAfterCommits(false);
    expect(made).toBe('made');
    expect(await rowsOf('select name from things')).toEqual([{ name: 'a' }]);
    await sink.close();
    expect(await rowsOf('select outcome from audit_records')).toEqual([{ outcome: 'success' }]);
    await close();
  });
});
