import { setTimeout as sleep } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditRecords, checkAuditState, retainAuditRecords } from '../../src/postgres.js';
import { makeRecords } from '../records.js';
import { checkpointKey, key, publicKeys, type RestartedLog, startRestartedLog } from './restarted-log.js';

describe('a failover of PostgreSQL', () => {
  let log: RestartedLog;
  beforeEach(async () => {
    log = await startRestartedLog();
    for (let count = 0; count < 2; count += 1) log.open({ checkpointEverySeconds: 1 });
  });
  afterEach(() => log.close());

  async function append(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await log.nodes[index % 2]?.append(makeRecords(1));
  }

  it.each([
    { what: 'an older copy that was started', asStandby: false, cause: 'restart' },
    { what: 'a lagging standby that was promoted', asStandby: true, cause: 'failover' },
  ])('AUD-15 $what: noticed, named, accepted, and the next deletion is seen', async ({ asStandby, cause }) => {
    await append(10);
    // Each node looks once in a second. One that never did can't tell another run.
    await sleep(2000);
    await log.server.kill();
    const copy = await log.server.copy({ asStandby });
    await log.server.start();
    await append(6);
    await log.server.kill();
    await log.server.start(copy);
    if (asStandby) await log.promote();

    // Each node knows of its own rows.
    const alternate = (first: number) => [0, 2, 4].map((step) => ({ from: first + step, to: first + step }));
    await expect.poll(() => log.nodes.map(({ lost }) => lost)).toEqual([alternate(11), alternate(12)]);
    expect(log.losses()).toMatchObject([{ cause }, { cause }]);
    await append(4);
    await expect.poll(() => log.delivered.at(-1)?.gaps).toEqual([{ from: 11, to: 16 }]);
    const first = await log.verify();
    expect(first.intact).toBe(false);
    expect(
      await checkAuditState({ database: log.database, key, publicKeys, checkpoints: log.delivered }),
    ).toMatchObject({
      state: 'lost',
    });
    const retain = () =>
      retainAuditRecords({
        ...{ database: log.database, key, checkpointKey, checkpoints: log.delivered, before: Date.now() },
        checkpoint: (made) => void log.delivered.push(made),
      });
    await expect(retain()).rejects.toThrow('was changed, from row 11 on');

    await log.accept();
    await expect.poll(() => log.nodes.flatMap(({ lost }) => lost)).toEqual([]);
    await append(2);
    await Promise.all(log.nodes.map((node) => node.close()));
    expect(await log.verify()).toMatchObject({ intact: true, accepted: [{ gaps: [{ from: 11, to: 16 }] }] });
    const [last] = await log.database
      .select({ sequence: sql<number>`max(${auditRecords.sequence})::int` })
      .from(auditRecords);
    await log.database.delete(auditRecords).where(eq(auditRecords.sequence, (last?.sequence ?? 0) - 1));
    expect((await log.verify()).findings).toMatchObject([{ kind: 'deleted', sequence: (last?.sequence ?? 0) - 1 }]);
  });

  it('AUD-15 a planned failover is an incident with both timelines, and nothing is lost', async () => {
    await append(10);
    await expect.poll(() => log.incidents).toEqual([]);
    await log.server.kill();
    const copy = await log.server.copy({ asStandby: true });
    await log.server.start(copy);
    await log.promote();
    await append(4);
    await expect.poll(() => log.incidents.map(({ kind }) => kind)).toEqual(['failover', 'failover']);
    expect(log.incidents[0]).toMatchObject({
      before: { systemIdentifier: expect.stringMatching(/^\d+$/), timeline: '00000001' },
      after: { systemIdentifier: expect.stringMatching(/^\d+$/), timeline: '00000002' },
    });
    await Promise.all(log.nodes.map((node) => node.close()));
    expect(log.delivered.at(-1)).toMatchObject({ sequence: 14, gaps: [] });
  });
});
