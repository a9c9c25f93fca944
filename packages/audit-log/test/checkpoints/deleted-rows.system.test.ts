import { asc, eq, inArray } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditChainHeads, auditRecords, createPostgresAuditSink, type PostgresAuditSink } from '../../src/postgres.js';
import { makeRecords } from '../records.js';
import { key, type RestartedLog, startRestartedLog } from './restarted-log.js';

describe('rows that somebody deletes before a restart or failover of PostgreSQL', () => {
  let log: RestartedLog;
  beforeEach(async () => {
    log = await startRestartedLog();
  });
  afterEach(() => log.close());

  async function append(sink: PostgresAuditSink, count: number): Promise<void> {
    for (const record of makeRecords(count)) await sink.append([record]);
  }

  const remove = (...sequences: number[]) =>
    log.database.delete(auditRecords).where(inArray(auditRecords.sequence, sequences));
  /** Each node looks once in a second. One that never did can't tell another run. */
  const looked = () => new Promise((resolve) => setTimeout(resolve, 1500));

  async function restart(): Promise<void> {
    await log.server.kill();
    await log.server.start();
  }

  async function failOver(copy: string): Promise<void> {
    await log.server.kill();
    await log.server.start(copy);
    await log.promote();
  }

  it('AUD-15 a row whose successor is still there was deleted, whatever restart follows, and nothing is signed', async () => {
    const sink = log.open({ checkpointEveryRecords: 4 });
    await append(sink, 4);
    await expect.poll(() => log.delivered.at(-1)?.sequence).toBe(4);
    await append(sink, 3);
    await looked();
    // The middle one of three payments.
    await remove(6);
    await restart();
    await expect.poll(log.losses).toEqual([{ kind: 'rows-lost', gaps: [{ from: 6, to: 6 }], cause: 'deleted' }]);
    expect(sink.lost).toEqual([{ from: 6, to: 6 }]);
    await append(sink, 8);
    await sink.close();
    expect(log.delivered.at(-1)).toMatchObject({ sequence: 4, gaps: [] });
    // Another process does not know what was there: it signs nothing either.
    const later = log.open({ checkpointEveryRecords: 1 });
    await append(later, 1);
    await later.close();
    expect(log.delivered.at(-1)?.sequence).toBe(4);
    expect((await log.verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 6 }]);
    await expect(log.accept()).rejects.toMatchObject({ unnamed: [{ from: 6, to: 6 }] });
  });

  it('AUD-15 a row that is deleted before a planned failover is no loss of the failover', async () => {
    const sink = log.open();
    await append(sink, 9);
    await looked();
    await remove(5);
    await log.server.kill();
    await failOver(await log.server.copy({ asStandby: true }));
    await expect
      .poll(() => log.incidents.map((one) => [one.kind, 'cause' in one ? one.cause : null]))
      .toEqual([
        ['rows-lost', 'deleted'],
        ['failover', null],
      ]);
    expect(sink.lost).toEqual([{ from: 5, to: 5 }]);
  });

  it('AUD-15 a failover that loses the end does not cover a deletion: each has its cause, and only the end is named', async () => {
    const sink = log.open({ checkpointEveryRecords: 5 });
    await append(sink, 5);
    await expect.poll(() => log.delivered.at(-1)?.sequence).toBe(5);
    await remove(3);
    await looked();
    await log.server.kill();
    const copy = await log.server.copy({ asStandby: true });
    await log.server.start();
    await append(sink, 4);
    await failOver(copy);
    await append(sink, 2);
    await expect.poll(log.losses).toEqual([
      { kind: 'rows-lost', gaps: [{ from: 3, to: 3 }], cause: 'deleted' },
      { kind: 'rows-lost', gaps: [{ from: 6, to: 9 }], cause: 'failover' },
    ]);
    await expect.poll(() => log.delivered.at(-1)?.gaps).toEqual([{ from: 6, to: 9 }]);

    await expect(log.accept()).rejects.toMatchObject({ unnamed: [{ from: 3, to: 3 }] });
    const gaps = [
      { from: 3, to: 3 },
      { from: 6, to: 9 },
    ];
    expect(await log.accept({ missing: [{ from: 3, to: 3 }] })).toMatchObject({ gaps, checkpoint: { gaps } });
    await expect.poll(() => sink.lost).toEqual([]);
    expect(log.incidents.at(-1)).toEqual({ kind: 'loss-accepted', gaps });
    expect(await log.verify()).toMatchObject({ intact: true, accepted: [{ gaps }] });
  });

  it('AUD-15 rows of other nodes show it too, and that the last row of a checkpoint was deleted', async () => {
    const [one, other] = [log.open(), log.open({ checkpointEveryRecords: 1 })];
    await append(one, 3);
    await append(other, 1);
    await expect.poll(() => log.delivered.at(-1)?.sequence).toBe(4);
    await append(one, 2);
    await looked();
    await remove(4);
    await restart();
    await append(one, 1);
    await Promise.all(log.nodes.map((node) => node.close()));
    expect(log.losses()).toEqual([{ kind: 'rows-lost', gaps: [{ from: 4, to: 4 }], cause: 'deleted' }]);
    expect(log.delivered.at(-1)).toMatchObject({ sequence: 4, gaps: [] });
    const rows = await log.database.select().from(auditRecords).orderBy(asc(auditRecords.sequence));
    expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 5, 6, 7]);
    expect((await log.verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 4 }]);
  });

  it('AUD-15 a gap that no node explains is a deletion once the others had time to name it', async () => {
    let now = Date.now();
    await append(log.open(), 1);
    await log.nodes[0]?.close();
    await createPostgresAuditSink({ database: log.database, key }).append(makeRecords(3));
    await log.database.delete(auditRecords).where(eq(auditRecords.sequence, 3));
    const sink = log.open({ checkpointEveryRecords: 1, now: () => now });
    await append(sink, 1);
    await looked();
    expect(log.losses()).toEqual([]);
    now += 10_000;
    await append(sink, 1);
    await expect.poll(log.losses).toEqual([{ kind: 'rows-lost', gaps: [{ from: 3, to: 3 }], cause: 'deleted' }]);
    expect(sink.lost).toEqual([{ from: 3, to: 3 }]);
    expect(log.delivered.at(-1)?.sequence).toBe(1);
  });

  it('AUD-15 a cut that is not genuine explains no missing row', async () => {
    const sink = log.open();
    await append(sink, 5);
    await log.database.update(auditChainHeads).set({ cut: { sequence: 9, note: 'nonsense' } });
    await remove(5);
    await expect.poll(log.losses).toMatchObject([{ kind: 'rows-lost', gaps: [{ from: 5, to: 5 }] }]);
  });
});
