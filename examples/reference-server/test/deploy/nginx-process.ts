import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { freePort } from '../../../../scripts/free-port.mjs';
import { findProgram } from '../../../../scripts/test-needs.js';

const nginxProgram = findProgram('nginx');

/** The host name in the shipped configuration. */
export const SERVER_NAME = 'api.example.com';

/** Timeouts of the shipped file that are too long for a test, with their replacements. */
const SHORTER: readonly (readonly [string, string])[] = [['client_header_timeout 10s;', 'client_header_timeout 1s;']];

const START_LIMIT_MILLIS = 60_000;

export interface NginxProcess {
  readonly port: number;
  readonly plainPort: number;
  /** The certificate that it presents. */
  readonly certificate: string;
  /** The log lines so far. */
  log(): Promise<Record<string, unknown>[]>;
  /** The log of servers without their own log setting in the shipped file. */
  otherLog(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts nginx with the shipped files; only ports, paths, nodes and timeouts differ. */
export async function startNginx(nodePorts: readonly number[]): Promise<NginxProcess> {
  if (nginxProgram === null) throw new Error('nginx is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-nginx-'));
  const [port, plainPort] = [await freePort(), await freePort()];
  const certificate = await makeCertificate(folder);
  const snippets = join(folder, 'snippets');
  await mkdir(snippets);
  const shipped = (name: string) => readFile(new URL(`../../deploy/nginx/${name}`, import.meta.url), 'utf8');
  const configuration = replaceAll(await shipped('sallyport.conf'), [
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen 443 ssl default_server;', `listen 127.0.0.1:${port} ssl default_server;`],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['/etc/nginx/snippets/', `${snippets}/`],
    ['/etc/nginx/tls/', `${folder}/`],
    ['/var/log/nginx/', `${folder}/`],
    ...SHORTER,
  ]);
  const upstream = replaceAll(await shipped('sallyport-upstream.conf'), [
    ['127.0.0.1:3001', `127.0.0.1:${nodePorts[0]}`],
    ['127.0.0.1:3002', `127.0.0.1:${nodePorts[1]}`],
  ]);
  await writeFile(join(snippets, 'sallyport-upstream.conf'), upstream);
  await writeFile(join(snippets, 'sallyport-proxy.conf'), await shipped('sallyport-proxy.conf'));
  await writeFile(join(folder, 'sallyport.conf'), configuration);
  await writeFile(join(folder, 'nginx.conf'), mainConfiguration(folder));

  const server = spawn(nginxProgram, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const complaints = text(server.stderr!);
  const killAtExit = () => void server.kill('SIGKILL');
  process.once('exit', killAtExit);
  await untilListening(server, port, complaints);
  return {
    port,
    plainPort,
    certificate,
    async log() {
      const lines = (await readFile(join(folder, 'sallyport.log'), 'utf8')).trim().split('\n');
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
    },
    otherLog: () => readFile(join(folder, 'other.log'), 'utf8'),
    async stop() {
      const exited = once(server, 'exit');
      server.kill('SIGTERM');
      await exited;
      process.off('exit', killAtExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The surrounding configuration, as in a distribution's nginx.conf. */
function mainConfiguration(folder: string): string {
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  return `${user}
worker_processes 2;
daemon off;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 256; }
http {
access_log ${folder}/other.log;
${temporary}
include ${folder}/sallyport.conf;
}
`;
}

/** Each text must occur: without its replacement nginx would use the machine's own files. */
function replaceAll(shipped: string, replacements: readonly (readonly [string, string])[]): string {
  return replacements.reduce((configuration, [from, to]) => {
    if (!configuration.includes(from)) throw new Error(`not in the shipped configuration: ${from}`);
    return configuration.replaceAll(from, to);
  }, shipped);
}

async function makeCertificate(folder: string): Promise<string> {
  const [key, certificate] = [join(folder, `${SERVER_NAME}.key`), join(folder, `${SERVER_NAME}.crt`)];
  const names = ['-subj', `/CN=${SERVER_NAME}`, '-addext', `subjectAltName=DNS:${SERVER_NAME}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', certificate]);
  return readFile(certificate, 'utf8');
}

async function untilListening(server: ChildProcess, port: number, complaints: Promise<string>): Promise<void> {
  for (const deadline = Date.now() + START_LIMIT_MILLIS; ; await sleep(20)) {
    if (await accepts(port)) return;
    if (server.exitCode !== null) throw new Error(`nginx did not start: ${await complaints}`);
    if (Date.now() > deadline) {
      server.kill('SIGKILL');
      throw new Error('nginx did not come to listen');
    }
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connectTls({ port, host: '127.0.0.1', servername: SERVER_NAME, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(2000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
