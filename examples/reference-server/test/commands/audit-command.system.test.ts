import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  auditDeliveries,
  auditRecords,
  generateCheckpointKey,
  parseCheckpointKey,
} from '@sallyport/audit-log/postgres';
import { asc, eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { composeApp, createApp } from '../../src/app.js';
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
    SERVICE_AUDIT_CHECKPOINT_KEY: generateCheckpointKey('api.example.com/audit').privateKey,
    SERVICE_AUDIT_CHECKPOINT_FILE: join(bench.folder, 'checkpoints'),
  };
});
afterAll(() => bench.close());

async function run(argv: readonly string[], now = Date.now, environment = env, { openDatabase } = bench) {
  let output = '';
  let errors = '';
  const status = await runAuditCommand({
    argv,
    env: environment,
    now,
    openDatabase,
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
    output: expect.stringMatching(
      /^The audit log is intact: 4 rows up to 4, [1-9]\d* checkpoints, the last of which covers row 4\.\n$/,
    ),
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

it('AUD-13 keeps what a receiver has not acknowledged, and says so', async () => {
  const own = await openTestBench();
  const { orm } = own.database;
  const environment = {
    ...env,
    SERVICE_DATA_DIR: own.folder,
    SERVICE_AUDIT_CHECKPOINT_FILE: join(own.folder, 'notes'),
  };
  const app = await own.app(environment);
  for (let round = 0; round < 3; round += 1) await signIn(app);
  await app.close();
  await orm.insert(auditDeliveries).values({ chain: 'audit_records', destination: 'syslog', sequence: 2 });
  const later = () => Date.now() + 3 * DAY_MILLIS;
  const { status, output } = await run(['retain', '--keep-days', '2'], later, environment, own);
  expect(status).toBe(0);
  expect(output).toMatch(/^2 audit records from before .*\nOthers that old were kept: the receiver syslog has not /);
  const after = () => Date.now() + 9 * DAY_MILLIS;
  const forced = await run(['retain', '--keep-days', '2', '--even-if-undelivered'], after, environment, own);
  expect(forced.output).toMatch(/^3 audit records from before [^\n]*\n$/);
  await own.close();
});

it('AUD-6 prints its usage, and does nothing without a valid command', async () => {
  expect((await run([])).output).toContain('node dist/commands/audit.js verify');
  expect((await run(['--help'])).status).toBe(0);
  expect((await run(['delete'])).status).toBe(2);
  expect((await run(['verify', 'x'])).status).toBe(2);
  expect((await run(['retain'])).errors).toContain('--keep-days must be a whole number');
  expect((await run(['retain', '--keep-days', '0'])).status).toBe(2);
  const { SERVICE_AUDIT_CHECKPOINT_FILE: _, ...without } = env;
  expect((await run(['retain', '--keep-days', '1'], Date.now, without)).errors).toContain('needs a file');
  expect((await run(['verify'], Date.now, { ...env, SERVICE_AUDIT_CHAIN_KEY: 'short' })).errors).toContain(
    'SERVICE_AUDIT_CHAIN_KEY',
  );
});

it('AUD-12 makes a key, and shows the public half of the configured one', async () => {
  const { status, output } = await run(['make-key', 'api.example.com/audit']);
  const [, privateKey = '', publicKey] = /^private (.+)\npublic {2}(.+)\n$/.exec(output) ?? [];
  expect([status, parseCheckpointKey(privateKey).publicKey]).toEqual([0, publicKey]);
  expect(await run(['public-key'], Date.now, { ...env, SERVICE_AUDIT_CHECKPOINT_KEY: privateKey })).toEqual({
    status: 0,
    output: `${publicKey}\n`,
    errors: '',
  });
  expect((await run(['make-key'])).status).toBe(2);
  expect((await run(['make-key', 'two words'])).errors).toContain('the name must');
});

describe('an audit log that was restored to an older state', () => {
  let own: TestBench;
  let environment: Record<string, string>;
  const rows = () => own.database.orm.select().from(auditRecords).orderBy(asc(auditRecords.sequence));

  beforeEach(async () => {
    own = await openTestBench();
    environment = {
      ...env,
      SERVICE_DATA_DIR: own.folder,
      SERVICE_AUDIT_CHECKPOINT_FILE: join(own.folder, 'checkpoints'),
    };
    for (let round = 0; round < 2; round += 1) {
      const app = await own.app(environment);
      for (let time = 0; time < 3; time += 1) await signIn(app);
      await app.close();
    }
    await own.database.orm.execute(sql`delete from audit_records where sequence > 4`);
    await own.database.orm.execute(sql`update audit_chain_heads set (sequence, mac) =
      (select sequence, mac from audit_records where sequence = 4)`);
    await own.database.orm.execute(sql`delete from audit_signed_heads`);
  });
  afterEach(() => own.close());

  const factorKey = `production:${randomBytes(32).toString('base64')}`;
  const production = () => ({
    ...environment,
    SERVICE_PROFILE: 'production',
    SERVICE_AUTH_PASSWORD_BCRYPT_COST: '12',
    SERVICE_AUTH_TOKEN_ALGORITHM: 'HS256',
    SERVICE_AUTH_TOKEN_KEY: randomBytes(48).toString('base64url'),
    SERVICE_AUTH_SECOND_FACTOR_KEY: factorKey,
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
  });
  const accept = () => run(['accept-state'], Date.now, environment, own);

  it('AUD-9 production refuses to start and names the rows, until the command accepts it, which is recorded', async () => {
    await own.database.orm.execute(sql`delete from administrators`);
    const settings = own.config(production());
    await expect(own.appOn(settings, own.resources(settings))).rejects.toThrow(
      /ends at row 4, .* covers rows up to 7: .* The rows 5 to 7 are missing.*accept-state/s,
    );
    expect(await rows()).toHaveLength(4);

    expect(await accept()).toMatchObject({
      status: 0,
      output: expect.stringMatching(/covers rows up to 7.*\nThe audit log is accepted as it is, up to row 5\.\n$/s),
      errors: '',
    });
    expect((await rows()).at(-1)).toMatchObject({
      sequence: 5,
      action: 'audit-record.accept-state',
      actor: 'command',
      parameters: { state: 'behind', lastSequence: 4, missing: { from: 5, to: 7 }, checkpoint: 7 },
    });
    const app = await own.appOn(settings, own.resources(settings));
    await signIn(app);
    await app.close();
    const verified = await run(['verify'], Date.now, environment, own);
    expect(verified).toMatchObject({
      status: 0,
      output: expect.stringContaining('checkpoints of rows after 4 do not count'),
    });
    expect(verified.output).toContain('which covers row 6');
    // Preflight and start agree from then on.
    const again = await own.appOn(settings, own.resources(settings));
    await again.close();
  });

  it('AUD-9 the command says which place did not get the accepted state', async () => {
    const more = { ...environment, SERVICE_AUDIT_WITNESS_URL: 'http://127.0.0.1:9/' };
    const { status, output, errors } = await run(['accept-state'], Date.now, more, own);
    expect([status, output]).toEqual([2, expect.stringContaining('accepted as it is')]);
    expect(errors).toMatch(/^Run the command again when the witness 127\.0\.0\.1:9 can be reached/);
    expect((await accept()).status).toBe(0);
  });

  it('AUD-15 the command accepts rows that somebody deleted only by name, and records them', async () => {
    await own.database.orm.execute(sql`delete from audit_records where sequence = 3`);
    const before = await rows();
    const refused = await accept();
    expect(refused).toMatchObject({ status: 1, errors: expect.stringContaining('accept-state --missing 3\n') });
    expect(refused.output).toContain('deleted 3: ');
    expect(await rows()).toEqual(before);
    expect((await run(['accept-state', '--missing', '2-3'], Date.now, environment, own)).status).toBe(1);
    const wrong = await run(['accept-state', '--missing', '3-2'], Date.now, environment, own);
    expect(wrong).toMatchObject({ status: 2, errors: expect.stringContaining('--missing must be') });

    const accepted = await run(['accept-state', '--missing', '3'], Date.now, environment, own);
    expect(accepted).toMatchObject({ status: 0, output: expect.stringContaining('Row 3 is missing.') });
    const named = [{ from: 3, to: 3 }];
    expect((await rows()).at(-1)).toMatchObject({ sequence: 5, parameters: { gaps: named, named } });
    expect((await run(['verify'], Date.now, environment, own)).status).toBe(0);
  });

  it('AUD-9 development starts with a warning', async () => {
    const app = createApp(own.config({ ...environment, SERVICE_LOG_LEVEL: 'warn' }), new PassThrough());
    const warnings: string[] = [];
    app.log.warn = ((_details: object, message: string) => void warnings.push(message)) as typeof app.log.warn;
    const settings = own.config(environment);
    await composeApp(app, settings, own.resources(settings));
    await app.ready();
    expect(warnings).toContainEqual(expect.stringMatching(/ends at row 4, .* Production would refuse to start\./));
    await app.close();
  });

  it('AUD-9 the command needs the file', async () => {
    const { SERVICE_AUDIT_CHECKPOINT_FILE: _, ...without } = environment;
    expect(await run(['accept-state'], Date.now, without, own)).toMatchObject({
      status: 2,
      errors: expect.stringContaining('SERVICE_AUDIT_CHECKPOINT_FILE'),
    });
    expect(await rows()).toHaveLength(4);
  });
});
