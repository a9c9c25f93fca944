import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../../scripts/free-port.mjs';
import { findProgram } from '../../../../scripts/test-needs.js';

const rsyslogProgram = findProgram('rsyslogd');

const START_LIMIT_MILLIS = 30_000;

export interface RsyslogProcess {
  readonly port: number;
  /** The messages in its file so far, as they arrived. */
  messages(): Promise<string[]>;
  /** Kills it: connections break, and what it holds in memory is gone. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and file. */
  start(): Promise<void>;
}

/**
 * An rsyslogd with TLS that takes messages of `client.test` only, and writes each before it reads the next: its queues
 * are `Direct`. The folder has the certificates of a test authority.
 */
export async function startRsyslog(folder: string): Promise<RsyslogProcess> {
  if (rsyslogProgram === null) throw new Error('rsyslogd is not installed');
  const port = await freePort();
  const file = join(folder, 'received.log');
  const configuration = join(folder, 'rsyslog.conf');
  await writeFile(configuration, configurationOf(folder, port, file));
  await writeFile(file, '');
  let server: ChildProcess | null = null;
  let complaints = '';

  async function kill(): Promise<void> {
    if (server === null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
    server = null;
    await rm(join(folder, 'rsyslogd.pid'), { force: true });
  }
  async function start(): Promise<void> {
    const options = ['-n', '-f', configuration, '-i', join(folder, 'rsyslogd.pid')];
    const started = spawn(rsyslogProgram!, options, { stdio: ['ignore', 'pipe', 'pipe'] });
    server = started;
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (text) => (complaints += text));
    process.once('exit', () => started.kill('SIGKILL'));
    for (const deadline = Date.now() + START_LIMIT_MILLIS; !(await accepts(port)); await sleep(20)) {
      if (started.exitCode === null && Date.now() < deadline) continue;
      await kill();
      throw new Error(`rsyslogd did not start: ${complaints}`);
    }
  }
  await start();
  return {
    port,
    async messages() {
      return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    },
    kill,
    start,
  };
}

function configurationOf(folder: string, port: number, file: string): string {
  return `
global(
  workDirectory="${folder}"
  maxMessageSize="8k"
  defaultNetstreamDriver="gtls"
  defaultNetstreamDriverCAFile="${folder}/ca.crt"
  defaultNetstreamDriverCertFile="${folder}/server.crt"
  defaultNetstreamDriverKeyFile="${folder}/server.key"
)
main_queue(queue.type="Direct")
module(
  load="imtcp"
  streamDriver.name="gtls"
  streamDriver.mode="1"
  streamDriver.authMode="x509/name"
  permittedPeer="client.test"
)
# The line end comes first: after a crash in the middle of a line, the next message begins a line of its own.
template(name="whole" type="string" string="\\n%rawmsg%")
input(type="imtcp" port="${port}" address="127.0.0.1" ruleset="received")
ruleset(name="received" queue.type="Direct") {
  action(type="omfile" file="${file}" template="whole")
}
`;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
