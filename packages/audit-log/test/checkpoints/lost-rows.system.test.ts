import { asc, lte } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestEmbedded } from '../../../../scripts/test-embedded.js';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import {
  type AuditIncident,
  acceptAuditState,
  auditChainHeads,
  auditRecords,
  auditSignedHeads,
  type Checkpoint,
  checkAuditState,
  createAuditTables,
  createPostgresAuditSink,
  type PostgresAuditSink,
  verifyAuditLog,
} from '../../src/postgres.js';
import { makeCheckpointKey, makeKey, makeRecords } from '../records.js';

const key = makeKey();
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];
const TABLES = [auditRecords, auditChainHeads, auditSignedHeads] as const;

describe('a database that lost acknowledged rows', () => {
  let servers: { readonly orm: DrizzleDatabase; close(): Promise<void> }[];
  /** The one that answers. */
  let current: DrizzleDatabase;
  let delivered: Checkpoint[];
  let incidents: AuditIncident[];
  let nodes: PostgresAuditSink[];
  let now: number;

  /** As through an address that moves to the server that took over. */
  const database = new Proxy({} as DrizzleDatabase, {
    get: (_, name) => {
      const member: unknown = Reflect.get(current, name);
      return typeof member === 'function' ? member.bind(current) : member;
    },
  });

  beforeAll(async () => {
    servers = await Promise.all(
      [1, 2].map(async () => {
        const client = await openTestEmbedded();
        const orm: DrizzleDatabase = drizzle(client);
        await createAuditTables(orm);
        return { orm, close: () => client.close() };
      }),
    );
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
  });
  beforeEach(async () => {
    for (const { orm } of servers) for (const table of TABLES) await orm.delete(table);
    current = orm(0);
    [delivered, incidents, nodes, now] = [[], [], [], Date.UTC(2026, 10, 21)];
  });

  afterEach(() => Promise.all(nodes.map((one) => one.close())));

  const orm = (index: number) => servers[index]?.orm as DrizzleDatabase;

  /** A node; with `everyRecords`, it makes a checkpoint after so many. */
  function node(options: object = {}): PostgresAuditSink {
    const sink = createPostgresAuditSink({
      ...{ database, key, checkpointKey, now: () => now, sweepSeconds: 1 },
      checkpoint: (made: Checkpoint) => void delivered.push(made),
      onIncident: (incident: AuditIncident) => void incidents.push(incident),
      ...options,
    });
    nodes.push(sink);
    return sink;
  }

  async function append(sink: PostgresAuditSink, count: number): Promise<void> {
    now += 1000;
    for (const record of makeRecords(count)) await sink.append([record]);
  }

  /** What an asynchronous standby has at this moment. */
  async function replicate(): Promise<void> {
    for (const table of TABLES) await orm(1).delete(table);
    for (const table of TABLES) {
      const rows = await orm(0).select().from(table);
      if (rows.length > 0) await orm(1).insert(table).values(rows);
    }
  }
  const failOver = () => {
    current = orm(1);
  };

  async function accept(): Promise<Checkpoint> {
    const given = { database, key, checkpointKey, checkpoints: [...delivered], now: () => now };
    const { checkpoint } = await acceptAuditState({ ...given, checkpoint: (made) => void delivered.push(made) });
    return checkpoint;
  }
  const verify = () => verifyAuditLog({ database, key, publicKeys, checkpoints: delivered });
  const state = () => checkAuditState({ database, key, publicKeys, checkpoints: delivered });
  const sequences = async () =>
    (await database.select().from(auditRecords).orderBy(asc(auditRecords.sequence))).map(({ sequence }) => sequence);
  const losses = () => incidents.filter(({ kind }) => kind === 'rows-lost');

  /** Seven rows that the standby has, and two that it has not. */
  async function loseTwo(options: object = {}): Promise<PostgresAuditSink> {
    const sink = node(options);
    await append(sink, 7);
    await replicate();
    await append(sink, 2);
    if ('checkpointEveryRecords' in options)
      await expect.poll(async () => delivered.at(-1)?.sequence === (await sequences()).at(-1)).toBe(true);
    failOver();
    return sink;
  }

  it('AUD-15 is noticed by the next commit, and checkpoints name the rows until an operator accepts the loss', async () => {
    const sink = await loseTwo();
    await append(sink, 1);
    await expect.poll(losses).toEqual([{ kind: 'rows-lost', gaps: [{ from: 8, to: 9 }], cause: 'restart' }]);
    expect(sink.lost).toEqual([{ from: 8, to: 9 }]);
    await expect.poll(() => delivered.at(-1)).toMatchObject({ kind: 'progress', gaps: [{ from: 8, to: 9 }] });
    await append(sink, 2);
    await sink.close();
    expect(delivered.at(-1)).toMatchObject({ kind: 'progress', sequence: 12, gaps: [{ from: 8, to: 9 }] });
    expect(await state()).toMatchObject({ state: 'lost', missing: { from: 8, to: 9 }, gaps: [{ from: 8, to: 9 }] });
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 8, lastSequence: 9 }]);

    await accept();
    expect(await state()).toMatchObject({ state: 'consistent', gaps: [] });
    expect(await verify()).toMatchObject({ intact: true, accepted: [{ gaps: [{ from: 8, to: 9 }] }] });
  });

  it('AUD-15 an idle node notices too, and its next row leaves no further gap after the acceptance', async () => {
    const sink = await loseTwo();
    await expect.poll(() => sink.lost).toEqual([{ from: 8, to: 9 }]);
    await createPostgresAuditSink({ database, key }).append(makeRecords(1));
    await accept();
    await expect.poll(() => sink.lost).toEqual([]);
    expect(incidents.map(({ kind }) => kind)).toEqual(['rows-lost', 'loss-accepted']);
    await append(sink, 1);
    await sink.close();
    expect(await sequences()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await verify()).toMatchObject({ intact: true, coveredTo: 9 });
  });

  it('AUD-15 checkpoints go on along a new line where a delivered one covers lost rows', async () => {
    const sink = await loseTwo({ checkpointEveryRecords: 1 });
    expect(delivered.at(-1)?.sequence).toBe(9);
    await append(sink, 3);
    await expect.poll(() => delivered.at(-1)).toMatchObject({ sequence: 12, gaps: [{ from: 8, to: 9 }] });
    expect(await verify()).toMatchObject({ intact: false });
    expect(await state()).toMatchObject({ state: 'lost' });
    // The running node continues after the acceptance.
    await accept();
    await append(sink, 1);
    await sink.close();
    expect(delivered.at(-1)).toMatchObject({ sequence: 13, gaps: [] });
    expect(await verify()).toMatchObject({ intact: true, coveredTo: 13 });
    await database.delete(auditRecords).where(lte(auditRecords.sequence, 1));
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 1 }]);
  });

  it('AUD-15 is noticed where another process has written other rows with the same sequences', async () => {
    const sink = await loseTwo();
    await createPostgresAuditSink({ database, key }).append(makeRecords(4));
    await append(sink, 1);
    await expect.poll(losses).toMatchObject([{ gaps: [{ from: 8, to: 9 }], cause: 'restart' }]);
    await sink.close();
    expect(await sequences()).toHaveLength(12);
    expect(delivered.at(-1)).toMatchObject({ sequence: 12, gaps: [{ from: 8, to: 9 }] });
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 8, lastSequence: 9 }]);
    await accept();
    expect(await verify()).toMatchObject({ intact: true });
    // Those other rows are not part of what was accepted.
    await database.delete(auditRecords).where(lte(auditRecords.sequence, 9));
    expect(await verify()).toMatchObject({ intact: false });
  });

  it('AUD-15 a node that starts later names the rows as well, and none counts an older acceptance', async () => {
    const first = node();
    await append(first, 1);
    await first.close();
    const old = await accept();
    const sink = await loseTwo();
    await append(sink, 1);
    await sink.close();
    const later = node();
    await append(later, 1);
    await expect.poll(() => later.lost).toEqual([{ from: 9, to: 10 }]);
    // Someone who has the database puts the old acceptance back.
    await database.update(auditSignedHeads).set({ note: old.note });
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 9, lastSequence: 10 }]);
    expect(await state()).toMatchObject({ state: 'lost' });
    await later.close();
    expect(await verify()).toMatchObject({ intact: false });
  });

  it('AUD-15 who has the database alone cannot end it: neither an old nor a forged acceptance counts', async () => {
    const first = node();
    await append(first, 1);
    await first.close();
    const old = await accept();
    const sink = await loseTwo({ checkpointEveryRecords: 1 });
    await expect.poll(() => sink.lost).toEqual([{ from: 9, to: 10 }]);
    const forged = await acceptAuditState({
      ...{ database, key, checkpointKey: makeCheckpointKey(checkpointKey.name), checkpoints: [], checkpoint: () => {} },
    });
    for (const { note } of [old, forged.checkpoint]) {
      await database.update(auditSignedHeads).set({ note });
      await append(sink, 1);
      await expect.poll(() => delivered.at(-1)?.gaps).toEqual([{ from: 9, to: 10 }]);
      expect(sink.lost).toEqual([{ from: 9, to: 10 }]);
    }
    await sink.close();
  });

  it('AUD-15 a restart that loses nothing is no incident', async () => {
    const sink = node({ checkpointEveryRecords: 1 });
    await append(sink, 3);
    await replicate();
    failOver();
    await append(sink, 2);
    await sink.close();
    expect([sink.lost, incidents]).toEqual([[], []]);
    expect(delivered.at(-1)).toMatchObject({ sequence: 5, gaps: [] });
    expect(await verify()).toMatchObject({ intact: true, coveredTo: 5 });
  });

  it('AUD-15 rows that vanish while PostgreSQL runs on are named, and a covered one ends the checkpoints', async () => {
    const sink = node({ checkpointEveryRecords: 1 });
    await append(sink, 4);
    await replicate();
    await append(sink, 2);
    await expect.poll(() => delivered.at(-1)?.sequence).toBe(6);
    for (const table of TABLES) await orm(0).delete(table);
    for (const table of TABLES) {
      const rows = await orm(1).select().from(table);
      await orm(0).insert(table).values(rows);
    }
    await append(sink, 1);
    await expect.poll(losses).toMatchObject([{ cause: 'unknown', gaps: [{ from: 5, to: 6 }] }]);
    await sink.close();
    expect(sink.lost).toEqual([{ from: 5, to: 6 }]);
    expect(delivered.at(-1)).toMatchObject({ sequence: 6, gaps: [] });
  });
});
