import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, serverEntry } from '../../../../scripts/build.mjs';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { writeTestEmbedded } from '../../../../scripts/test-embedded.js';
import { buildApp } from '../../src/app.js';
import { listenFault } from '../../src/http/listen-fault.js';
import { readStartConfig } from '../../src/preflight/start-check.js';
import { lockDataFolder } from '../../src/storage/data-folder.js';
import { failureText } from '../../src/storage/failure-text.js';

interface FailedStart {
  readonly name: string;
  readonly settings: (place: Place) => Record<string, string>;
  /** What the sentence has: the setting and the reason, then the fix. */
  readonly says: RegExp;
  /**
   * The process ends, whatever is open by then: the first fault of each kind. The others are refused in this process,
   * since another takes seconds to load what it starts.
   */
  readonly inProcess?: true;
}

/** What the settings of a failing start name. */
interface Place {
  readonly folder: string;
  /** Of a server of something else, which does not close connections. */
  readonly port: number;
  readonly database: string;
}

const databaseOf = ({ database }: Place, part: Partial<URL>) => Object.assign(new URL(database), part).href;
const WORKER = new URL('commands/notification-worker.js', serverEntry);
const keyModule = ({ folder }: Place, name: string) => ({
  SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
  SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE: join(folder, name),
});
const syslog = { SERVICE_AUDIT_SYSLOG_URL: 'tls://127.0.0.1' };

const quick = {
  PATH: process.env.PATH,
  SERVICE_PROFILE: 'development',
  SERVICE_LOG_LEVEL: 'error',
  SERVICE_PORT: '0',
  SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
};

/** Every way in which a start can fail. Rights that root has anyway are in `listen-fault` and `path-fault`. */
const failedStarts: readonly FailedStart[] = [
  {
    name: 'a port that is taken',
    inProcess: true,
    settings: ({ port }) => ({ SERVICE_PORT: `${port}` }),
    says: /SERVICE_PORT: another process listens on port \d+ of 127.+; stop it, or set SERVICE_PORT/,
  },
  {
    name: 'a host that is not an address of this machine',
    settings: () => ({ SERVICE_HOST: '203.0.113.7' }),
    says: /SERVICE_HOST: 203\.0\.113\.7 is not an address of this machine .+; set SERVICE_HOST/,
  },
  {
    name: 'a host without an address',
    settings: () => ({ SERVICE_HOST: 'sallyport.invalid' }),
    says: /SERVICE_HOST: the name sallyport\.invalid has no address .+; set SERVICE_HOST/,
  },
  {
    name: 'a port of the metrics that is taken',
    inProcess: true,
    settings: ({ port }) => ({ SERVICE_METRICS_PORT: `${port}` }),
    says: /SERVICE_METRICS_PORT: another process listens .+; stop it, or set SERVICE_METRICS_PORT/,
  },
  {
    name: 'a host of the metrics that is not an address of this machine',
    settings: () => ({ SERVICE_METRICS_PORT: '0', SERVICE_METRICS_HOST: '203.0.113.7' }),
    says: /SERVICE_METRICS_HOST: .+; set SERVICE_METRICS_HOST/,
  },
  {
    name: 'a bad value',
    inProcess: true,
    settings: () => ({ SERVICE_PORT: 'http' }),
    says: /SERVICE_PORT is not a whole number in its range; write digits only/,
  },
  {
    name: 'an unknown variable',
    settings: () => ({ SERVICE_PROT: '80' }),
    says: /SERVICE_PROT is not a known variable; did you mean SERVICE_PORT\?/,
  },
  {
    name: 'a data folder of another process',
    inProcess: true,
    settings: ({ folder }) => ({ SERVICE_DATA_DIR: join(folder, 'locked') }),
    says: /The data folder .+ is in use by another process .+set SERVICE_DATA_DIR/,
  },
  {
    name: 'a data folder that is a file',
    settings: ({ folder }) => ({ SERVICE_DATA_DIR: join(folder, 'file') }),
    says: /SERVICE_DATA_DIR: .+ is not a folder .+; set SERVICE_DATA_DIR/,
  },
  {
    name: 'a data folder below a file',
    settings: ({ folder }) => ({ SERVICE_DATA_DIR: join(folder, 'file', 'data') }),
    says: /SERVICE_DATA_DIR: .+ is not a folder .+; set SERVICE_DATA_DIR/,
  },
  ...(process.platform === 'linux'
    ? [
        {
          name: 'a data folder where none can be created',
          settings: () => ({ SERVICE_DATA_DIR: '/proc/sallyport' }),
          says: /SERVICE_DATA_DIR: \/proc\/sallyport does not exist, and can not be created .+; set SERVICE_DATA_DIR/,
        },
      ]
    : []),
  {
    name: 'an embedded database that is damaged',
    inProcess: true,
    settings: ({ folder }) => ({ SERVICE_DATA_DIR: join(folder, 'damaged') }),
    says: /SERVICE_DATA_DIR: the embedded database .+ can not be opened .+; restore .+set SERVICE_DATA_DIR/,
  },
  {
    name: 'a key of the data folder that is damaged',
    settings: ({ folder }) => ({ SERVICE_DATA_DIR: join(folder, 'damaged-key') }),
    says: /SERVICE_DATA_DIR: the file .+audit-chain-key does not hold the key .+; restore it/,
  },
  {
    name: 'a storage folder below a file',
    settings: ({ folder }) => ({ SERVICE_STORAGE_DIR: join(folder, 'file') }),
    says: /SERVICE_STORAGE_DIR: .+; set SERVICE_STORAGE_DIR/,
  },
  {
    name: 'a checkpoint file that is a folder',
    settings: ({ folder }) => ({ SERVICE_AUDIT_CHECKPOINT_FILE: folder }),
    says: /SERVICE_AUDIT_CHECKPOINT_FILE: .+ is a folder, not a file .+; set SERVICE_AUDIT_CHECKPOINT_FILE/,
  },
  {
    name: 'a file of leaked passwords that can not be read',
    settings: ({ folder }) => ({ SERVICE_AUTH_PASSWORD_BREACHED_FILE: join(folder, 'none') }),
    says: /SERVICE_AUTH_PASSWORD_BREACHED_FILE can not be read: ENOENT; name a file/,
  },
  {
    name: 'a file of leaked passwords that is not sorted hashes',
    settings: ({ folder }) => ({ SERVICE_AUTH_PASSWORD_BREACHED_FILE: join(folder, 'file') }),
    says: /SERVICE_AUTH_PASSWORD_BREACHED_FILE is no sorted file of hashes: its size .+; write it with .+hash-passwords\.js/,
  },
  {
    name: 'a certificate that can not be read',
    settings: ({ folder }) => ({ ...syslog, SERVICE_AUDIT_DELIVERY_CA_FILE: join(folder, 'none') }),
    says: /SERVICE_AUDIT_DELIVERY_CA_FILE can not be read: ENOENT; name a PEM file/,
  },
  {
    name: 'a certificate that is none',
    settings: ({ folder }) => ({ ...syslog, SERVICE_AUDIT_DELIVERY_CA_FILE: join(folder, 'file') }),
    says: /SERVICE_AUDIT_DELIVERY_CA_FILE must be certificates in PEM/,
  },
  {
    name: 'a module of keys that is not there',
    inProcess: true,
    settings: (place) => keyModule(place, 'none.mjs'),
    says: /SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE could not be loaded \(.+\); run it with node/,
  },
  {
    name: 'a module of keys that fails, and keeps the process alive',
    inProcess: true,
    settings: (place) => keyModule(place, 'failing.mjs'),
    says: /SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE: load failed: the vault is sealed/,
  },
  {
    name: 'a module of keys that never answers',
    inProcess: true,
    settings: (place) => keyModule(place, 'silent.mjs'),
    says: /SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE: load has not ended in time; let it reject/,
  },
  {
    name: 'a database that is away',
    inProcess: true,
    settings: () => ({ SERVICE_DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x' }),
    says: /SERVICE_DATABASE_URL could not be used: .*ECONNREFUSED.*; check that it is running/,
  },
  {
    name: 'a database whose host is not known',
    settings: () => ({ SERVICE_DATABASE_URL: 'postgres://user:hunter2@sallyport.invalid/x' }),
    says: /SERVICE_DATABASE_URL could not be used: .+; correct the host/,
  },
  {
    name: 'something else at the port of the database',
    inProcess: true,
    settings: ({ port }) => ({ SERVICE_DATABASE_URL: `postgres://user:hunter2@127.0.0.1:${port}/x` }),
    says: /SERVICE_DATABASE_URL could not be used: .+; check that it is running, and correct host and port/,
  },
  {
    name: 'a wrong password of the database',
    settings: (place) => ({ SERVICE_DATABASE_URL: databaseOf(place, { password: 'hunter2' }) }),
    says: /SERVICE_DATABASE_URL could not be used: .*authentication failed.*; correct user and password/,
  },
  {
    name: 'a database that does not exist',
    settings: (place) => ({ SERVICE_DATABASE_URL: databaseOf(place, { pathname: '/none' }) }),
    says: /SERVICE_DATABASE_URL could not be used: .*does not exist; create the database/,
  },
  {
    name: 'Redis that is away',
    inProcess: true,
    settings: () => ({ SERVICE_REDIS_URL: 'redis://user:hunter2@127.0.0.1:1' }),
    says: /SERVICE_REDIS_URL could not be used: .*ECONNREFUSED.*; check host, port, user and password/,
  },
  {
    name: 'something else at the port of Redis',
    inProcess: true,
    settings: ({ port }) => ({ SERVICE_REDIS_URL: `redis://user:hunter2@127.0.0.1:${port}` }),
    says: /SERVICE_REDIS_URL could not be used: .+; check host, port, user and password/,
  },
];

describe('a start that fails', { timeout: 60_000 }, () => {
  let place: Place;
  let database: TestDatabase;
  let other: Server;
  let unlock: () => Promise<void>;

  beforeAll(async () => {
    build();
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-failed-starts-'));
    other = createServer((socket) => {
      socket.on('error', () => {}).on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    database = await createTestDatabase();
    place = { folder, port: (other.address() as AddressInfo).port, database: database.url };
    for (const name of ['data', 'damaged-key']) await writeTestEmbedded(join(folder, name, 'pglite'));
    await writeFile(join(folder, 'file'), 'neither a key nor a certificate');
    await mkdir(join(folder, 'locked'));
    unlock = await lockDataFolder(join(folder, 'locked'));
    await mkdir(join(folder, 'damaged', 'pglite'), { recursive: true });
    await writeFile(join(folder, 'damaged', 'pglite', 'PG_VERSION'), '9\n');
    await writeFile(join(folder, 'damaged-key', 'audit-chain-key'), 'half of a k');
    const failing =
      "setInterval(() => {}, 1000);\nexport default { load() { throw new Error('the vault is sealed') } }";
    await writeFile(join(folder, 'failing.mjs'), failing);
    await writeFile(join(folder, 'silent.mjs'), 'export default { load: () => new Promise(() => {}) }');
    // Others could write to a module in a folder with another mode, and it would be refused for that.
    for (const name of ['', 'failing.mjs', 'silent.mjs']) await chmod(join(folder, name), 0o700);
  });
  afterAll(async () => {
    await unlock();
    other.close();
    await database.drop();
    await rm(place.folder, { recursive: true, force: true });
  });

  /** Resolves when the process has ended by itself, and fails the test where it does not. */
  async function start(settings: Record<string, string>, entry = serverEntry) {
    // One folder for all: a start that failed must have given it back.
    const own = { ...quick, SERVICE_DATA_DIR: join(place.folder, 'data') };
    const server = spawn(process.execPath, [fileURLToPath(entry)], {
      env: { ...own, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 50_000,
    });
    const output = ['', ''];
    server.stdout.setEncoding('utf8').on('data', (text) => (output[0] += text));
    server.stderr.setEncoding('utf8').on('data', (text) => (output[1] += text));
    const [status] = await once(server, 'close');
    return { status, out: output[0]!, err: output[1]! };
  }

  /** The same steps as of `server.ts`. Null if it starts. */
  async function refusalOf(settings: Record<string, string>): Promise<string | null> {
    try {
      // PostgreSQL is opened in less time than the embedded database, which the processes open.
      const where = 'SERVICE_DATA_DIR' in settings ? {} : { SERVICE_DATABASE_URL: place.database };
      const env = { ...quick, SERVICE_DATA_DIR: join(place.folder, 'data'), ...where, ...settings };
      const config = await readStartConfig(env);
      const app = await buildApp(config);
      const { host, port } = config;
      await app
        .listen({ host, port })
        .catch((error: unknown) => {
          throw listenFault(error, { host, port, settings: { host: 'host', port: 'port' } });
        })
        .finally(() => app.close());
      return null;
    } catch (error) {
      return `The server did not start. ${failureText(error)}\n`;
    }
  }

  function expectOneLine(text: string | null, says: RegExp): void {
    expect(text).toMatch(says);
    expect(text).toMatch(/^The server did not start\. .+\n$/);
    expect(text).not.toMatch(/hunter2|half of a k/);
  }

  it.each(failedStarts.filter(({ inProcess }) => inProcess))(
    'OPS-12 $name ends it with 1 and one line: the setting, the reason and the fix',
    async ({ settings, says }) => {
      const { status, out, err } = await start(settings(place));
      expectOneLine(err, says);
      expect([status, out]).toEqual([1, '']);
    },
  );

  it.each(failedStarts.filter(({ inProcess }) => !inProcess))(
    'OPS-12 $name is refused in one line: the setting, the reason and the fix',
    async ({ settings, says }) => expectOneLine(await refusalOf(settings(place)), says),
  );

  it('OPS-12 several faults of the settings take a line each, in production as well', async () => {
    const wrong = { SERVICE_PORT: 'http', SERVICE_HOST: '' };
    const inDevelopment = await start(wrong);
    expect([inDevelopment.status, inDevelopment.err.trim().split('\n').length]).toEqual([1, 3]);
    const { status, out, err } = await start({ ...wrong, SERVICE_PROFILE: 'production' });
    expect([status, out]).toEqual([1, '']);
    const [first, ...lines] = err.trim().split('\n');
    expect(first).toBe(`The server did not start. The preflight found ${lines.length} errors:`);
    for (const line of lines) expect(line).toMatch(/^ {2}- .+; .+ \[[a-z0-9.-]+\]$/);
  });

  it('OPS-12 the level debug adds the frames', async () => {
    const fault = { SERVICE_PORT: `${place.port}`, SERVICE_DATABASE_URL: place.database };
    const { err } = await start({ ...fault, SERVICE_LOG_LEVEL: 'debug' });
    expect(err).toMatch(/^The server did not start\. .+\n(?: {4}at .+\n)+$/);
  });

  it('OPS-12 a server that a signal stops still ends with 0', async () => {
    const server = spawn(process.execPath, [fileURLToPath(serverEntry)], {
      env: { ...quick, SERVICE_DATA_DIR: join(place.folder, 'data') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const chunk of server.stdout) if (String(chunk).includes('Sallyport reference server')) break;
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
  });

  it('OPS-12 the notification worker names the setting as well', async () => {
    const { status, err } = await start({ SERVICE_DATABASE_URL: 'postgres://127.0.0.1:1/x' }, WORKER);
    expect(status).toBe(1);
    expect(err).toMatch(/^The worker did not start\. .+ SERVICE_DATABASE_URL could not be used: .+\n$/);
  });
});
