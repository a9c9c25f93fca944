import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { auditRecords } from '@sallyport/audit-log/postgres';
import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runAuditCommand } from '../../src/commands/audit-command.js';
import { openTestBench, signIn, type TestBench } from '../support/test-app.js';

const DAY_MILLIS = 86_400_000;

let bench: TestBench;
let env: Record<string, string>;
beforeAll(async () => {
  bench = await openTestBench();
  env = {
    SERVICE_PROFILE: 'development',
    SERVICE_DATA_DIR: bench.folder,
    SERVICE_AUDIT_CHAIN_KEY: `audit:${randomBytes(32).toString('hex')}`,
    SERVICE_AUDIT_CHECKPOINT_FILE: join(bench.folder, 'checkpoints.ndjson'),
  };
});
afterAll(() => bench.close());

async function run(argv: readonly string[], now = Date.now, environment = env) {
  let output = '';
  let errors = '';
  const status = await runAuditCommand({
    argv,
    env: environment,
    now,
    openDatabase: async () => ({ ...bench.database, close: async () => {} }),
    write: (text) => {
      output += text;
    },
    writeError: (text) => {
      errors += text;
    },
  });
  return { status, output, errors };
}

it("AUD-6 the command verifies the server's records, cuts old ones with a signed and recorded checkpoint, and names a change", async () => {
  const { orm } = bench.database;
  const app = await bench.app(env);
  for (let round = 0; round < 3; round += 1) await signIn(app);
  await app.close();

  expect(await run(['verify'])).toMatchObject({
    status: 0,
    output: expect.stringMatching(/^The audit log is intact: 4 rows up to 4, [1-9]\d* checkpoints\.\n$/),
  });

  expect(await run(['retain', '--keep-days', '2'])).toMatchObject({
    status: 0,
    output: expect.stringMatching(/^0 audit/),
  });
  const later = () => Date.now() + 3 * DAY_MILLIS;
  expect(await run(['retain', '--keep-days', '2'], later)).toMatchObject({
    status: 0,
    output: expect.stringMatching(/^5 audit records from before /),
  });
  const left = await orm.select().from(auditRecords).orderBy(asc(auditRecords.sequence));
  expect(left.map(({ sequence, action, parameters }) => [sequence, action, parameters])).toEqual([
    [6, 'audit-record.retain', expect.objectContaining({ deleted: 5, cut: 5 })],
  ]);
  expect((await run(['verify'])).status).toBe(0);

  await orm.update(auditRecords).set({ actor: 'nobody' }).where(eq(auditRecords.sequence, 6));
  const broken = await run(['verify']);
  expect(broken.status).toBe(1);
  expect(broken.output).toContain('changed 6 ');
  const refused = await run(['retain', '--keep-days', '1'], () => Date.now() + 9 * DAY_MILLIS);
  expect(refused).toMatchObject({ status: 1, errors: expect.stringContaining('Nothing was deleted') });
});

it('AUD-6 prints its usage, and does nothing without a valid command', async () => {
  expect((await run([])).output).toContain('node dist/commands/audit.js verify');
  expect((await run(['--help'])).status).toBe(0);
  expect((await run(['delete'])).status).toBe(2);
  expect((await run(['retain'])).errors).toContain('--keep-days must be a whole number');
  expect((await run(['retain', '--keep-days', '0'])).status).toBe(2);
  const { SERVICE_AUDIT_CHECKPOINT_FILE: _, ...without } = env;
  expect((await run(['retain', '--keep-days', '1'], Date.now, without)).errors).toContain('needs a file');
  expect((await run(['verify'], Date.now, { ...env, SERVICE_AUDIT_CHAIN_KEY: 'short' })).errors).toContain(
    'SERVICE_AUDIT_CHAIN_KEY',
  );
});
