// One to four nodes behind nginx, on one PostgreSQL and one Redis. Few cores show no throughput of many nodes: what is
// measured is the processor time of a request, and how long its statements wait for locks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../../scripts/free-port.mjs';
import { startChild } from '../child-process.mjs';
import { createResults } from './times.mjs';
import { cpuOf, startStores } from './whole-servers.mjs';

const CONNECTIONS = 32;
const SAMPLE_MILLIS = 10;
/** The unit of times in /proc on Linux. */
const TICK_MICROS = 10_000;

/** Passes requests on to the nodes in turn, on connections that stay open, without encryption and log. */
async function startNginx(ports) {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-growth-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  await writeFile(
    join(folder, 'nginx.conf'),
    `${user} worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log stderr error;
events { worker_connections 512; }
http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
upstream nodes { ${ports.map((each) => `server 127.0.0.1:${each};`).join(' ')} keepalive 64; }
server { listen 127.0.0.1:${port}; keepalive_requests 1000000; location / { proxy_pass http://nodes; proxy_http_version 1.1;
proxy_set_header Connection ""; proxy_set_header X-Forwarded-For $remote_addr; } } }`,
  );
  const server = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const killAtExit = () => void server.kill('SIGKILL');
  process.once('exit', killAtExit);
  for (let tries = 0; !(await accepts(port)); tries += 1) {
    if (tries > 200 || server.exitCode !== null) throw new Error('nginx did not start');
    await sleep(50);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      process.off('exit', killAtExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/**
 * Samples until `stop`, which resolves to the milliseconds that statements waited for locks and for the log on disk.
 */
function sampleWaits(client) {
  let isOver = false;
  const waited = { locks: 0, disk: 0 };
  const sampling = (async () => {
    for (let last = performance.now(); !isOver; await sleep(SAMPLE_MILLIS)) {
      const [{ locks, disk }] = await client`select
        count(*) filter (where wait_event_type in ('Lock', 'LWLock'))::int as locks,
        count(*) filter (where wait_event_type = 'IO')::int as disk
        from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()`;
      const now = performance.now();
      waited.locks += locks * (now - last);
      waited.disk += disk * (now - last);
      last = now;
    }
  })();
  return async function stop() {
    isOver = true;
    await sampling;
    return waited;
  };
}

/** The processor time of the backends of PostgreSQL so far, in microseconds. */
async function databaseCpu(client) {
  let ticks = 0;
  for (const { pid } of await client`select pid from pg_stat_activity`) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, user = 0, system = 0] = /\)(?: \S+){11} (\d+) (\d+)/.exec(text) ?? [];
    ticks += Number(user) + Number(system);
  }
  return ticks * TICK_MICROS;
}

const LOADS = {
  'GET /admin/profile': { path: '/admin/profile', status: 200 },
  'POST /admin/payments': {
    path: '/admin/payments',
    status: 201,
    method: 'POST',
    body: JSON.stringify({ payee: 'Ada Lovelace', amount: '12.50' }),
    headers: { 'content-type': 'application/json' },
    isKeyed: true,
  },
};

/** @param sizes numbers of nodes */
export async function measureNodes({ sizes, say, isQuick }) {
  const seconds = isQuick ? 2 : 6;
  const { measured, note } = createResults('processor', 'waits', 'rates');
  const stores = await startStores();
  const generator = await startChild('./busy-load.mjs');
  try {
    for (const size of sizes) {
      while (stores.nodes.length < size) await stores.addNode();
      const nginx = await startNginx(stores.nodes.map(({ url }) => new URL(url).port));
      for (const [name, { path, status, headers, ...request }] of Object.entries(LOADS)) {
        const run = (duration) =>
          generator.ask({
            kind: 'run',
            url: nginx.url + path,
            headers: { ...stores.nodes[0].headers, ...headers },
            connections: CONNECTIONS,
            sleeps: true,
            duration,
            ...request,
          });
        // Each node has to compile its code first, and gets a share of the requests.
        await run(seconds * size);
        const before = await cpuOf(stores.nodes);
        const databaseBefore = await databaseCpu(stores.client);
        const stopSampling = sampleWaits(stores.client);
        const { total, statuses, perSecond } = await run(seconds);
        const { locks, disk } = await stopSampling();
        const wrong = Object.keys(statuses).filter((given) => given !== String(status));
        if (wrong.length > 0) throw new Error(`${name}: ${JSON.stringify(statuses)} instead of ${status}`);
        const micros = ((await cpuOf(stores.nodes)) - before) / total;
        const databaseMicros = ((await databaseCpu(stores.client)) - databaseBefore) / total;
        note('processor', `${name}, PostgreSQL`, size, databaseMicros);
        note('rates', name, size, perSecond);
        say(`${size} nodes, ${name}: ${perSecond.toFixed(0)} a second`);
        note('processor', name, size, micros);
        note('waits', `${name}, locks`, size, locks / total);
        note('waits', `${name}, disk`, size, disk / total);
      }
      await nginx.stop();
    }
    return measured;
  } finally {
    await generator.end();
    await stores.stop();
  }
}
