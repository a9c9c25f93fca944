import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditRecords, generateCheckpointKey } from '@sallyport/audit-log/postgres';
import { eq, max } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresProcess, startPostgresProcess } from '../../../../../scripts/postgres-process.js';
import { type App, buildApp } from '../../../src/app.js';
import { runAuditCommand } from '../../../src/commands/audit-command.js';
import { readConfig } from '../../../src/config/config.js';
import { missingRows } from '../../../src/modules/audit-records/missing-rows.js';
import { openDatabase } from '../../../src/storage/resources.js';
import { bearer, signIn } from '../../support/test-app.js';

const DAY_MILLIS = 86_400_000;

describe('a PostgreSQL that comes back without acknowledged records', () => {
  let server: PostgresProcess;
  let folder: string;
  let env: Record<string, string>;
  let app: App;
  beforeAll(async () => {
    [server, folder] = await Promise.all([startPostgresProcess(), mkdtemp(join(tmpdir(), 'sallyport-lost-rows-'))]);
    env = {
      SERVICE_PROFILE: 'development',
      SERVICE_DATA_DIR: folder,
      SERVICE_DATABASE_URL: server.url,
      SERVICE_AUDIT_CHAIN_KEY: `audit:${randomBytes(32).toString('hex')}`,
      SERVICE_AUDIT_CHECKPOINT_KEY: generateCheckpointKey('api.example.com/audit').privateKey,
      SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, 'checkpoints'),
    };
    app = await buildApp(readConfig(env));
  });
  afterAll(async () => {
    await app.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(argv: readonly string[], now = Date.now) {
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    const status = await runAuditCommand({ argv, env, now, openDatabase, write, writeError: write });
    return { status, output };
  }

  const readiness = async () => (await app.inject('/actuator/health/readiness')).statusCode;
  const metric = async () => /^sallyport_audit_rows_lost (\d+)$/m.exec(await app.metrics.read())?.[1];

  it('AUD-15 OPS-1 is not ready and says why, until accept-state; verify and retain go on, and the next deletion is seen', async () => {
    for (let round = 0; round < 3; round += 1) await signIn(app);
    await server.kill();
    const copy = await server.copy();
    await server.start();
    await expect.poll(readiness).toBe(200);
    for (let round = 0; round < 4; round += 1) await signIn(app);
    await server.kill();
    await server.start(copy);

    await expect.poll(() => app.auditSink.lost, { timeout: 30_000 }).not.toEqual([]);
    const [gap] = app.auditSink.lost;
    await expect.poll(readiness).toBe(503);
    await expect.poll(async () => (await app.health.read()).components.database?.status).toBe('UP');
    const { components } = await app.health.read();
    expect(components['audit-history']).toEqual({
      status: 'DOWN',
      details: { reason: 'ROWS_LOST', rows: 4, from: gap?.from, to: gap?.to },
    });
    expect(await metric()).toBe('4');
    const headers = await bearer(app);
    const recorded = async (action: string) =>
      (await app.inject({ url: `/admin/audit-records?action=${action}`, headers })).json().data;
    await expect.poll(() => recorded('security.audit-rows-lost')).toMatchObject([{ outcome: 'success' }]);

    const before = await run(['verify']);
    expect(before.status).toBe(1);
    expect(before.output).toContain(`deleted ${gap?.from} to ${gap?.to}`);
    const later = () => Date.now() + 3 * DAY_MILLIS;
    expect((await run(['retain', '--keep-days', '1'], later)).status).toBe(1);

    const accepted = await run(['accept-state']);
    expect(accepted).toMatchObject({
      status: 0,
      output: expect.stringContaining(missingRows(gap!)),
    });
    await expect.poll(readiness).toBe(200);
    expect(await metric()).toBe('0');
    expect(await run(['verify'])).toMatchObject({
      status: 0,
      output: expect.stringContaining(`${missingRows(gap!)} That was accepted with it.\n`),
    });
    await signIn(app);
    await app.close();
    expect((await run(['verify'])).status).toBe(0);

    const database = await openDatabase(readConfig(env));
    const [last] = await database.orm.select({ sequence: max(auditRecords.sequence) }).from(auditRecords);
    const rows = await database.orm
      .delete(auditRecords)
      .where(eq(auditRecords.sequence, (last?.sequence ?? 0) - 1))
      .returning();
    const next = await run(['verify']);
    expect(next.status).toBe(1);
    expect(next.output).toContain(`deleted ${rows[0]?.sequence}: `);
    await database.orm.insert(auditRecords).values(rows);
    await database.close();

    expect(await run(['retain', '--keep-days', '1'], later)).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^[1-9]\d* audit records from before /),
    });
    expect((await run(['verify'])).status).toBe(0);
  });
});
