import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.mjs';
import { NOBODY } from './postgres-process.js';
import { findProgram } from './test-needs.js';

/** How PgBouncer shares its backends: for as long as a client is connected, or for one transaction at a time. */
export type PoolMode = 'session' | 'transaction';

/** A PgBouncer of a test, before a PostgreSQL server. */
export interface PgbouncerProcess {
  /** The address of the same database by way of the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Its `ignore_startup_parameters` as it is usually set. They are then accepted, and have no effect. */
export const USUAL_REMEDY =
  'ignore_startup_parameters = extra_float_digits,search_path,default_transaction_read_only,' +
  'statement_timeout,idle_in_transaction_session_timeout';

/**
 * Starts PgBouncer on a free loopback port, before every database of the server at `databaseUrl`.
 *
 * @param settings lines of its section `[pgbouncer]`; the last one of a setting counts
 */
export async function startPgbouncerProcess(
  databaseUrl: string,
  poolMode: PoolMode,
  ...settings: readonly string[]
): Promise<PgbouncerProcess> {
  const server = new URL(databaseUrl);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-pgbouncer-'));
  const [configuration, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  const lines = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port || 5432}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    `pool_mode = ${poolMode}`,
    'max_client_conn = 1000',
    ...settings,
  ];
  await writeFile(configuration, `${lines.join('\n')}\n`);
  await writeFile(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`, { mode: 0o600 });
  // Like PostgreSQL, it refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chmod(folder, 0o755);
    await chown(users, NOBODY.uid, NOBODY.gid);
  }
  const bouncer = spawn(findProgram('pgbouncer') ?? 'pgbouncer', [configuration], {
    ...(isRoot && NOBODY),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killAtExit = () => void bouncer.kill('SIGKILL');
  process.once('exit', killAtExit);
  const end = async () => {
    process.off('exit', killAtExit);
    await endProcess(bouncer);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await readiness(bouncer);
  } catch (error) {
    await end();
    throw error;
  }
  return { url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: `${port}` }).href, stop: end };
}

async function endProcess(bouncer: ChildProcess): Promise<void> {
  if (bouncer.pid === undefined || bouncer.exitCode !== null || bouncer.signalCode !== null) return;
  const exited = once(bouncer, 'exit');
  bouncer.kill('SIGKILL');
  await exited;
}

async function readiness(bouncer: ChildProcess & { readonly stderr: NodeJS.ReadableStream }): Promise<void> {
  // A missing program shows as an end without lines.
  bouncer.on('error', () => {});
  const lines: string[] = [];
  for await (const line of createInterface({ input: bouncer.stderr })) {
    if (line.includes('process up')) {
      // Read on, or the pipe fills up and PgBouncer waits.
      bouncer.stderr.resume();
      return;
    }
    lines.push(line);
  }
  throw new Error(`pgbouncer did not start:\n${lines.join('\n')}`);
}
