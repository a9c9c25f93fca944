import { copyFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditRecords } from '@sallyport/audit-log/postgres';
import { loginPolicyParameters } from '@sallyport/login-policy';
import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { App } from '../../src/app.js';
import { runUnlockCommand } from '../../src/commands/unlock-command.js';
import { askServer, channelFault, NoServerError, openControlChannel } from '../../src/storage/control-channel.js';
import type { Resources } from '../../src/storage/opened-resources.js';
import { roomy, root } from '../support/accounts.js';
import { sendSmsCode } from '../support/app-accounts.js';
import { credentials, openTestBench, signIn, type TestBench } from '../support/test-app.js';

const WRONG = { ...credentials, password: 'f'.repeat(64) };

describe('the command unlock', () => {
  let bench: TestBench;
  let app: App;
  const env = () => ({ SERVICE_PROFILE: 'development', SERVICE_DATA_DIR: bench.folder });

  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config(roomy);
    app = await bench.appOn(config, {
      ...bench.resources(config),
      database: { ...bench.database, folder: bench.folder },
    });
  });
  afterAll(() => bench.close());

  const never = async (): Promise<Resources> => {
    throw new Error('the database is in use');
  };

  async function run(argv: readonly string[], openResources = never, environment: Record<string, string> = env()) {
    let output = '';
    let errors = '';
    const status = await runUnlockCommand({
      argv,
      env: environment,
      now: Date.now,
      openResources,
      write: (text) => {
        output += text;
      },
      writeError: (text) => {
        errors += text;
      },
    });
    return { status, output, errors };
  }

  const recordsOf = async (target: string) => {
    const { orm } = bench.database;
    const rows = orm
      .select()
      .from(auditRecords)
      .where(eq(auditRecords.target, target))
      .orderBy(asc(auditRecords.sequence));
    return (await rows).filter(({ actor }) => actor === 'command:unlock');
  };

  /** Failures at the counters of the server, without hashing. */
  async function fail(times: number, username = 'admin', clientIp = '127.0.0.1'): Promise<void> {
    const subject = { username, terminal: 'web', clientIp };
    for (let n = 0; n < times; n += 1) expect(await app.loginPolicy.attempt(subject, async () => null)).toBeNull();
  }

  it('LGN-11 clears a name through the running server, and records it', async () => {
    await fail(5);
    expect((await signIn(app)).statusCode).toBe(429);
    expect(await run(['--username', 'ADMIN', '--terminal', 'Web'])).toEqual({
      status: 0,
      output:
        "The failed sign-ins of 'ADMIN' at the terminal 'Web' are cleared.\nNo known lock of this name remains.\n",
      errors: '',
    });
    expect((await signIn(app)).statusCode).toBe(200);
    const records = await recordsOf('ADMIN');
    expect(records.map(({ action, outcome, parameters }) => [action, outcome, parameters])).toEqual([
      ['auth.clear-login-limit', 'success', { terminal: 'web', clientIp: null, stillLocked: 0, endedCodes: 0 }],
    ]);
  });

  it('LGN-11 clears an app user by the number', async () => {
    const body = { mobile: '13812345678', password: WRONG.password, terminal: 'app' };
    const guess = () => app.inject({ method: 'POST', url: '/app/auth/login', payload: body });
    const subject = { username: '+8613812345678', terminal: 'app', clientIp: '127.0.0.1' };
    for (let n = 0; n < 5; n += 1) await app.appLoginPolicy.attempt(subject, async () => null);
    expect((await guess()).statusCode).toBe(429);
    expect((await run(['--username', '138 1234 5678', '--terminal', 'app'])).status).toBe(0);
    expect((await guess()).statusCode).toBe(401);
  });

  it('LGN-11 opens the database itself if no server runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-unlock-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await fail(5, 'offline');
    let isClosed = false;
    const close = async () => {
      isClosed = true;
    };
    const open = async () => ({ ...bench.resources(bench.config()), close });
    const environment = { ...env(), SERVICE_DATA_DIR: folder };
    expect((await run(['--username', 'offline'], open, environment)).status).toBe(0);
    expect(isClosed).toBe(true);
    await fail(1, 'offline');
    expect(await recordsOf('offline')).toHaveLength(1);
    expect(await run(['--username', 'offline'], never, environment)).toEqual({
      status: 2,
      output: '',
      errors: 'The command failed. the database is in use\n',
    });
  });

  it.each(['the running server', 'the database'])(
    'LGN-11 OTC-2 frees the codes and messages of an app user through %s',
    async (way) => {
      const folder = await mkdtemp(join(tmpdir(), 'sallyport-unlock-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      // No server has this folder open. It has the keys of the one that runs.
      const keys = (await readdir(bench.folder)).filter((name) => name.startsWith('token-key-'));
      expect(keys).not.toEqual([]);
      for (const name of keys) await copyFile(join(bench.folder, name), join(folder, name));
      const admin = await root(app);
      const isOpened = way === 'the database';
      const open = async () => ({ ...bench.resources(bench.config()), close: async () => {} });
      const unlock = (mobile: string) =>
        run(
          ['--username', mobile, '--terminal', 'app'],
          isOpened ? open : never,
          isOpened ? { ...env(), SERVICE_DATA_DIR: folder } : env(),
        );

      const mobile = isOpened ? '13812340001' : '13812340002';
      const messages = async () => {
        const query = `username=${mobile}&terminal=app`;
        return (await admin.call('GET', `/admin/login-policy/explain?${query}`)).json().data.codes.messages;
      };
      expect((await sendSmsCode(app, mobile)).statusCode).toBe(202);
      expect((await unlock('13812340003')).status).toBe(0);
      expect(await messages()).toBe(1);
      expect((await unlock(mobile)).status).toBe(0);
      expect(await messages()).toBe(0);
      expect((await sendSmsCode(app, mobile)).statusCode).toBe(202);
    },
  );

  it('LGN-11 prints which address goes on refusing the name, and frees it', async () => {
    const limit = 'admin.auth.login.ip-failure-count';
    await bench.database.orm.execute(`update system_parameters set value = '6', version = 2 where key = '${limit}'`);
    const read = async () => (await app.systemParameters.read(loginPolicyParameters)).ipFailureCount;
    await expect.poll(read, { timeout: 20_000 }).toBe(6);
    const remoteAddress = '192.0.2.77';
    await fail(5, 'admin', remoteAddress);
    await fail(1, 'somebody', remoteAddress);
    const cleared = await run(['--username', 'admin']);
    expect(cleared.output).toMatch(
      /\nStill locked: the address 192\.0\.2\.77, for all names, until \d{4}-\S+Z; to free it: --address 192\.0\.2\.77\n$/,
    );
    expect((await signIn(app, credentials, { remoteAddress })).statusCode).toBe(429);
    expect(await run(['--address', remoteAddress])).toEqual({
      status: 0,
      output: 'The failed sign-ins from the address 192.0.2.77 are cleared.\n',
      errors: '',
    });
    expect((await signIn(app, credentials, { remoteAddress })).statusCode).toBe(200);
    expect(await recordsOf(remoteAddress)).toHaveLength(1);
  });

  it.each([
    [['--username', 'a', '--address', '192.0.2.1']],
    [['--address', '192.0.2.1', '--terminal', 'web']],
    [['--terminal', 'web']],
    [[]],
    [['--name', 'a']],
    [['--username', ' ']],
    [['--username', 'a\nb']],
    [['--username', 'x'.repeat(129)]],
    [['--username', 'a', '--terminal', 'desk']],
    [['--username', 'zoe', '--terminal', 'app']],
    [['--username', '12345', '--terminal', 'App']],
    [['--address', '192.0.2.1/24']],
    [['--address', 'fe80::1%eth0']],
    [['--address', '010.0.0.1']],
  ])('LGN-11 refuses %j, and records nothing', async (argv) => {
    const { orm } = bench.database;
    const before = await orm.select().from(auditRecords);
    expect(await run(argv)).toMatchObject({
      status: 2,
      output: '',
      errors: expect.stringMatching(/^The command failed\. /),
    });
    expect(await orm.select().from(auditRecords)).toHaveLength(before.length);
  });

  it('LGN-11 LGN-9 says that app users are named by their numbers', async () => {
    const message = "The command failed. --username must be a mobile number at the terminal 'app' of app users.\n";
    expect((await run(['--username', 'zoe', '--terminal', 'app'])).errors).toBe(message);
  });

  it('LGN-11 shows how it is used', async () => {
    expect(await run(['--help'])).toMatchObject({ status: 0, output: expect.stringContaining('--address IP') });
  });
});

describe('the channel in the data folder', () => {
  async function folderOf(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-channel-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  it('LGN-11 belongs to its owner alone, replaces one of a crashed process, and goes with the server', async () => {
    const folder = await folderOf();
    await writeFile(join(folder, 'control.sock'), 'left over');
    const channel = await openControlChannel(folder, async (request) => ({ got: request }));
    expect((await stat(join(folder, 'control.sock'))).mode & 0o777).toBe(0o600);
    expect(await askServer(folder, { username: 'zoë' })).toEqual({ got: { username: 'zoë' } });
    await channel.close();
    await expect(askServer(folder, {})).rejects.toBeInstanceOf(NoServerError);
    await expect(stat(join(folder, 'control.sock'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('LGN-11 survives what is no request, and passes on why one failed', async () => {
    const folder = await folderOf();
    const channel = await openControlChannel(folder, async (request) => {
      if (request === 'bad') throw new Error('the reason');
      return request;
    });
    onTestFinished(() => channel.close());
    await expect(askServer(folder, 'bad')).rejects.toThrow('the reason');
    for (const text of ['{', '\n', `${'x'.repeat(100_000)}`, 'null\n']) {
      await new Promise<void>((done) => {
        const socket = createConnection(join(folder, 'control.sock'), () => socket.end(text));
        socket.on('error', () => {}).on('close', () => done());
        socket.resume();
      });
    }
    expect(await askServer(folder, 'x'.repeat(4000))).toHaveLength(4000);
  });

  it('LGN-11 needs a path that a socket may have', () => {
    expect(channelFault('/var/lib/sallyport')).toBeNull();
    expect(channelFault(`/${'x'.repeat(100)}`)).toContain('103 bytes');
  });
});
