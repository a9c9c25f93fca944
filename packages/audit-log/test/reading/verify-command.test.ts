import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { auditRecords, createAuditTables, createFileCheckpoint, createPostgresAuditSink } from '../../src/postgres.js';
import { runVerifyCommand } from '../../src/reading/verify-command.js';
import { makeCheckpointKey, makeKey, makeRecords } from '../records.js';

const key = makeKey('2026-11', 'sm3');
const checkpointKey = makeCheckpointKey();
const { publicKey } = checkpointKey;
const keyText = `${key.id}:sm3:${Buffer.from(key.secret).toString('hex')}`;

describe('sallyport-audit-verify', () => {
  let own: TestDatabase;
  let folder: string;
  let checkpoints: string;

  beforeAll(async () => {
    own = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-verify-'));
    checkpoints = join(folder, 'checkpoints');
    await writeFile(join(folder, 'key'), `${keyText}\n`, { mode: 0o600 });
    const database = own.connect();
    await createAuditTables(database);
    const sink = createPostgresAuditSink({
      ...{ database, key, checkpointKey },
      checkpoint: createFileCheckpoint(checkpoints),
    });
    await sink.append(makeRecords(6));
    await sink.close();
  });
  afterAll(async () => {
    await own.drop();
    await rm(folder, { recursive: true });
  });

  async function run(argv: readonly string[] = [], env: Record<string, string> = {}) {
    let output = '';
    let errors = '';
    const status = await runVerifyCommand({
      argv,
      env: { DATABASE_URL: own.url, AUDIT_KEY: keyText, AUDIT_PUBLIC_KEY: publicKey, ...env },
      write: (text) => {
        output += text;
      },
      writeError: (text) => {
        errors += text;
      },
    });
    return { status, output, errors };
  }

  it('AUD-6 reports that a log is intact, with a key from the environment or from a file', async () => {
    const holds = {
      status: 0,
      output: 'The log is intact: 6 rows up to 6, 1 checkpoints, the last of which covers row 6.\n',
      errors: '',
    };
    expect(await run(['--checkpoints', checkpoints])).toEqual(holds);
    expect(await run(['--checkpoints', checkpoints], { AUDIT_KEY: '', AUDIT_KEY_FILE: join(folder, 'key') })).toEqual(
      holds,
    );
  });

  it('AUD-12 verifies with the public key alone, given as an option or in the environment', async () => {
    const without = { AUDIT_KEY: '', AUDIT_PUBLIC_KEY: '' };
    const argv = ['--public-key', publicKey, '--checkpoints', checkpoints];
    expect(await run(argv, without)).toMatchObject({ status: 0, errors: '' });
    expect(await run(argv.slice(2), { AUDIT_KEY: '' })).toMatchObject({ status: 0, errors: '' });
    const other = makeCheckpointKey().publicKey;
    expect((await run(['--public-key', other, '--checkpoints', checkpoints], without)).output).toContain(
      'was signed with a key that is not given',
    );
  });

  it('AUD-6 prints one line for each finding and exits with 1', async () => {
    const database = own.connect();
    const [third] = await database.select().from(auditRecords).where(eq(auditRecords.sequence, 3));
    await database.update(auditRecords).set({ actor: 'nobody' }).where(eq(auditRecords.sequence, 3));
    await database.delete(auditRecords).where(eq(auditRecords.sequence, 5));
    const { status, output } = await run(['--checkpoints', checkpoints]);
    expect(status).toBe(1);
    expect(output.split('\n')).toEqual([
      `changed 3 ${third?.id}: The row is not what was written.`,
      'deleted 5: Rows are missing from the chain.',
      'The log is not intact: 2 findings in 5 rows up to 6, 1 checkpoints, the last of which covers row 6.',
      '',
    ]);
    const json = await run(['--json']);
    expect(JSON.parse(json.output)).toMatchObject({
      intact: false,
      findings: [{ kind: 'changed' }, { kind: 'deleted' }],
    });
  });

  it('exits with 2 and one line without a secret where it cannot verify', async () => {
    const failing = [
      [[], { DATABASE_URL: '' }, 'DATABASE_URL must be'],
      [[], { AUDIT_KEY: '', AUDIT_PUBLIC_KEY: '' }, 'AUDIT_KEY or AUDIT_KEY_FILE'],
      [[], { AUDIT_PUBLIC_KEY: 'name+00000000+AAAA' }, 'publicKeys must be'],
      [[], { AUDIT_KEY: `k:${'ab'.repeat(32)}` }, 'random bytes'],
      [[], { DATABASE_URL: own.url.replace(/\/t_\w+/, '/absent') }, 'does not exist'],
      [['--table', 'absent'], {}, 'does not exist'],
      [['--checkpoints', join(folder, 'absent')], {}, 'does not exist: name the file'],
      [['--nonsense'], {}, 'nonsense'],
    ] as const;
    for (const [argv, env, message] of failing) {
      const { status, output, errors } = await run(argv, env);
      expect([status, output]).toEqual([2, '']);
      expect(errors).toContain(message);
      expect(errors).not.toMatch(/abab|postgres:\/\//);
      expect(errors.split('\n')).toHaveLength(2);
    }
    expect((await run(['--help'])).output).toContain('Exit status');
  });
});
