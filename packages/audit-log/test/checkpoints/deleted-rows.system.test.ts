import { asc, eq, inArray } from 'drizzle-orm';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresProcess, startPostgresProcess } from '../../../../scripts/postgres-process.js';
import {
  type AuditIncident,
  acceptAuditState,
  auditRecords,
  type Checkpoint,
  createAuditTables,
  createPostgresAuditSink,
  type PostgresAuditSink,
  verifyAuditLog,
} from '../../src/postgres.js';
import { makeCheckpointKey, makeKey, makeRecords } from '../records.js';

const key = makeKey();
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];

describe('rows that somebody deletes before a restart or failover of PostgreSQL', () => {
  let server: PostgresProcess;
  let clients: postgres.Sql[];
  let database: PostgresJsDatabase;
  let nodes: PostgresAuditSink[];
  let delivered: Checkpoint[];
  let incidents: AuditIncident[];

  beforeEach(async () => {
    server = await startPostgresProcess();
    [delivered, incidents, nodes] = [[], [], []];
    clients = [1, 2].map(() =>
      postgres(server.url, { max: 3, fetch_types: false, connect_timeout: 2, backoff: () => 0.05, onnotice: () => {} }),
    );
    database = drizzle(clients[0] as postgres.Sql);
    await createAuditTables(database);
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
    await server.stop();
  });

  function node(options: object = {}, client = clients[nodes.length] as postgres.Sql): PostgresAuditSink {
    const sink = createPostgresAuditSink({
      ...{ database: drizzle(client), key, checkpointKey, sweepSeconds: 1, timeoutMillis: 5000 },
      checkpoint: (made) => void delivered.push(made),
      onIncident: (incident) => void incidents.push(incident),
      ...options,
    });
    nodes.push(sink);
    return sink;
  }

  async function append(sink: PostgresAuditSink, count: number): Promise<void> {
    for (const record of makeRecords(count)) await sink.append([record]);
  }

  const remove = (...sequences: number[]) =>
    database.delete(auditRecords).where(inArray(auditRecords.sequence, sequences));
  const losses = () => incidents.filter(({ kind }) => kind === 'rows-lost');
  const verify = () => verifyAuditLog({ database, key, publicKeys, checkpoints: delivered });
  const accept = (options: object = {}) =>
    acceptAuditState({
      ...{ database, key, checkpointKey, checkpoints: [...delivered], ...options },
      checkpoint: (made) => void delivered.push(made),
    });
  /** Each node looks once in a second. One that never did can't tell another run. */
  const looked = () => new Promise((resolve) => setTimeout(resolve, 1500));

  async function restart(): Promise<void> {
    await server.kill();
    await server.start();
  }

  async function failOver(copy: string): Promise<void> {
    await server.kill();
    await server.start(copy);
    const admin = postgres(server.url, { max: 1 });
    await admin.unsafe('select pg_promote()');
    await admin.end();
  }

  it('AUD-15 a row whose successor is still there was deleted, whatever restart follows, and nothing is signed', async () => {
    const sink = node({ checkpointEveryRecords: 4 });
    await append(sink, 4);
    await expect.poll(() => delivered.at(-1)?.sequence).toBe(4);
    await append(sink, 3);
    await looked();
    // The middle one of three payments.
    await remove(6);
    await restart();
    await expect.poll(losses).toEqual([{ kind: 'rows-lost', gaps: [{ from: 6, to: 6 }], cause: 'deleted' }]);
    expect(sink.lost).toEqual([{ from: 6, to: 6 }]);
    await append(sink, 8);
    await sink.close();
    expect(delivered.at(-1)).toMatchObject({ sequence: 4, gaps: [] });
    // Another process does not know what was there: it signs nothing either.
    const later = node({ checkpointEveryRecords: 1 });
    await append(later, 1);
    await later.close();
    expect(delivered.at(-1)?.sequence).toBe(4);
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 6 }]);
    await expect(accept()).rejects.toMatchObject({ unnamed: [{ from: 6, to: 6 }] });
  });

  it('AUD-15 a row that is deleted before a planned failover is no loss of the failover', async () => {
    const sink = node();
    await append(sink, 9);
    await looked();
    await remove(5);
    await server.kill();
    await failOver(await server.copy({ asStandby: true }));
    await expect
      .poll(() => incidents.map((one) => [one.kind, 'cause' in one ? one.cause : null]))
      .toEqual([
        ['rows-lost', 'deleted'],
        ['failover', null],
      ]);
    expect(sink.lost).toEqual([{ from: 5, to: 5 }]);
  });

  it('AUD-15 a failover that loses the end does not cover a deletion: each has its cause, and only the end is named', async () => {
    const sink = node({ checkpointEveryRecords: 5 });
    await append(sink, 5);
    await expect.poll(() => delivered.at(-1)?.sequence).toBe(5);
    await remove(3);
    await looked();
    await server.kill();
    const copy = await server.copy({ asStandby: true });
    await server.start();
    await append(sink, 4);
    await failOver(copy);
    await append(sink, 2);
    await expect.poll(losses).toEqual([
      { kind: 'rows-lost', gaps: [{ from: 3, to: 3 }], cause: 'deleted' },
      { kind: 'rows-lost', gaps: [{ from: 6, to: 9 }], cause: 'failover' },
    ]);
    await expect.poll(() => delivered.at(-1)?.gaps).toEqual([{ from: 6, to: 9 }]);

    await expect(accept()).rejects.toMatchObject({ unnamed: [{ from: 3, to: 3 }] });
    const gaps = [
      { from: 3, to: 3 },
      { from: 6, to: 9 },
    ];
    expect(await accept({ missing: [{ from: 3, to: 3 }] })).toMatchObject({ gaps, checkpoint: { gaps } });
    await expect.poll(() => sink.lost).toEqual([]);
    expect(incidents.at(-1)).toEqual({ kind: 'loss-accepted', gaps });
    expect(await verify()).toMatchObject({ intact: true, accepted: [{ gaps }] });
  });

  it('AUD-15 rows of other nodes show it too, and that the last row of a checkpoint was deleted', async () => {
    const [one, other] = [node(), node({ checkpointEveryRecords: 1 })];
    await append(one, 3);
    await append(other, 1);
    await expect.poll(() => delivered.at(-1)?.sequence).toBe(4);
    await append(one, 2);
    await looked();
    await remove(4);
    await restart();
    await append(one, 1);
    await Promise.all(nodes.map((node) => node.close()));
    expect(losses()).toEqual([{ kind: 'rows-lost', gaps: [{ from: 4, to: 4 }], cause: 'deleted' }]);
    expect(delivered.at(-1)).toMatchObject({ sequence: 4, gaps: [] });
    const rows = await database.select().from(auditRecords).orderBy(asc(auditRecords.sequence));
    expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 5, 6, 7]);
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 4 }]);
  });

  it('AUD-15 a gap that no node explains is a deletion once the others had time to name it', async () => {
    let now = Date.now();
    await append(node(), 1);
    await nodes[0]?.close();
    await createPostgresAuditSink({ database, key }).append(makeRecords(3));
    await database.delete(auditRecords).where(eq(auditRecords.sequence, 3));
    const sink = node({ checkpointEveryRecords: 1, now: () => now });
    await append(sink, 1);
    await looked();
    expect(losses()).toEqual([]);
    now += 10_000;
    await append(sink, 1);
    await expect.poll(losses).toEqual([{ kind: 'rows-lost', gaps: [{ from: 3, to: 3 }], cause: 'deleted' }]);
    expect(sink.lost).toEqual([{ from: 3, to: 3 }]);
    expect(delivered.at(-1)?.sequence).toBe(1);
  });
});
