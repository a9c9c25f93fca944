import { setTimeout as sleep } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresProcess, startPostgresProcess } from '../../../../scripts/postgres-process.js';
import {
  type AuditIncident,
  acceptAuditState,
  auditRecords,
  type Checkpoint,
  checkAuditState,
  createAuditTables,
  createPostgresAuditSink,
  type PostgresAuditSink,
  retainAuditRecords,
  verifyAuditLog,
} from '../../src/postgres.js';
import { makeCheckpointKey, makeKey, makeRecords } from '../records.js';

const key = makeKey();
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];

describe('a failover of PostgreSQL', () => {
  let server: PostgresProcess;
  let clients: postgres.Sql[];
  let database: PostgresJsDatabase;
  let nodes: PostgresAuditSink[];
  let delivered: Checkpoint[];
  let incidents: AuditIncident[];

  afterEach(async () => {
    await end();
    await server.stop();
  });
  beforeEach(async () => {
    server = await startPostgresProcess();
    [delivered, incidents] = [[], []];
    // Of an ordinary role, which owns its tables and nothing else.
    const admin = postgres(server.url, { max: 1, onnotice: () => {} });
    await admin.unsafe("create role plain login password 'plain'");
    await admin.unsafe('create schema plain authorization plain');
    await admin.end();
    const url = Object.assign(new URL(server.url), { username: 'plain', password: 'plain' });
    clients = [1, 2].map(() =>
      postgres(url.href, { max: 3, fetch_types: false, connect_timeout: 2, backoff: () => 0.05, onnotice: () => {} }),
    );
    database = drizzle(clients[0] as postgres.Sql);
    await createAuditTables(database);
    nodes = clients.map((client) =>
      createPostgresAuditSink({
        ...{
          database: drizzle(client),
          key,
          checkpointKey,
          sweepSeconds: 1,
          timeoutMillis: 5000,
          checkpointEverySeconds: 1,
        },
        checkpoint: (made) => void delivered.push(made),
        onIncident: (incident) => void incidents.push(incident),
      }),
    );
  });

  async function end(): Promise<void> {
    await Promise.all(nodes.map((node) => node.close()));
    await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
  }

  async function append(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await nodes[index % 2]?.append(makeRecords(1));
  }

  async function promote(): Promise<void> {
    const admin = postgres(server.url, { max: 1 });
    await admin.unsafe('select pg_promote()');
    await admin.end();
  }

  const verify = () => verifyAuditLog({ database, key, publicKeys, checkpoints: delivered });
  const accept = () =>
    acceptAuditState({
      ...{ database, key, checkpointKey, checkpoints: [...delivered] },
      checkpoint: (made) => void delivered.push(made),
    });
  const losses = () => incidents.filter(({ kind }) => kind === 'rows-lost');

  it.each([
    { what: 'an older copy that was started', asStandby: false, cause: 'restart' },
    { what: 'a lagging standby that was promoted', asStandby: true, cause: 'failover' },
  ])('AUD-15 $what: noticed, named, accepted, and the next deletion is seen', async ({ asStandby, cause }) => {
    await append(10);
    // Each node looks once in a second. One that never did can't tell another run.
    await sleep(2000);
    await server.kill();
    const copy = await server.copy({ asStandby });
    await server.start();
    await append(6);
    await server.kill();
    await server.start(copy);
    if (asStandby) await promote();

    // Each node knows of its own rows.
    const alternate = (first: number) => [0, 2, 4].map((step) => ({ from: first + step, to: first + step }));
    await expect.poll(() => nodes.map(({ lost }) => lost)).toEqual([alternate(11), alternate(12)]);
    expect(losses()).toMatchObject([{ cause }, { cause }]);
    await append(4);
    await expect.poll(() => delivered.at(-1)?.gaps).toEqual([{ from: 11, to: 16 }]);
    const first = await verify();
    expect(first.intact).toBe(false);
    expect(await checkAuditState({ database, key, publicKeys, checkpoints: delivered })).toMatchObject({
      state: 'lost',
    });
    const retain = () =>
      retainAuditRecords({
        ...{ database, key, checkpointKey, checkpoints: delivered, before: Date.now() },
        checkpoint: (made) => void delivered.push(made),
      });
    await expect(retain()).rejects.toThrow('was changed, from row 11 on');

    await accept();
    await expect.poll(() => nodes.flatMap(({ lost }) => lost)).toEqual([]);
    await append(2);
    await Promise.all(nodes.map((node) => node.close()));
    expect(await verify()).toMatchObject({ intact: true, accepted: [{ gaps: [{ from: 11, to: 16 }] }] });
    const [last] = await database
      .select({ sequence: sql<number>`max(${auditRecords.sequence})::int` })
      .from(auditRecords);
    await database.delete(auditRecords).where(eq(auditRecords.sequence, (last?.sequence ?? 0) - 1));
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: (last?.sequence ?? 0) - 1 }]);
  });

  it('AUD-15 a planned failover is an incident with both timelines, and nothing is lost', async () => {
    await append(10);
    await expect.poll(() => incidents).toEqual([]);
    await server.kill();
    const copy = await server.copy({ asStandby: true });
    await server.start(copy);
    await promote();
    await append(4);
    await expect.poll(() => incidents.map(({ kind }) => kind)).toEqual(['failover', 'failover']);
    expect(incidents[0]).toMatchObject({
      before: { systemIdentifier: expect.stringMatching(/^\d+$/), timeline: '00000001' },
      after: { systemIdentifier: expect.stringMatching(/^\d+$/), timeline: '00000002' },
    });
    await end();
    expect(delivered.at(-1)).toMatchObject({ sequence: 14, gaps: [] });
  });
});
