// `pnpm run bench PRF-5 [--concurrency=32]`: measures what audit and idempotency add to the cost of a write.
//
// One server runs in its own process on a real PostgreSQL (default settings, fsync included) and a real Redis. Two
// routes run the same insert: `POST /admin/payments` as shipped, audited and idempotent by key, and the same route
// without both. Token check, permission, rate limit and schemas are the same. Rounds of the two routes alternate, with
// `--concurrency` writes in flight. The script prints, per route, the median writes per second and the median server
// CPU time per write, and the median of the ratios of each pair of rounds. It asserts only that each write was answered
// with 201 and that the audit log verifies at the end.
import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAuditKey, verifyAuditLog } from '@sallyport/audit-log/postgres';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { startPostgresProcess } from '../../../scripts/postgres-process.ts';
import { createRedisProcess } from '../../../scripts/redis-process.ts';
import { composeApp, createApp } from '../dist/app.js';
import { readConfig } from '../dist/config/config.js';
import { developmentAccount, passwordToSend } from '../dist/modules/administrators/development-account.js';
import { createPayments } from '../dist/modules/payments/payments.js';
import { openResources } from '../dist/storage/resources.js';
import { isQuick, median, ROUNDS } from './servers-in-turn.mjs';

const CONCURRENCY = Number(process.argv.find((word) => word.startsWith('--concurrency='))?.split('=')[1] ?? 32);
const WARM_UP_MILLIS = isQuick ? 3000 : 10_000;
const ROUND_MILLIS = isQuick ? 2000 : 5000;
const AUDITED = '/admin/payments';
const PLAIN = '/bench/payments';
const BODY = JSON.stringify({ payee: 'Ada Lovelace', amount: '12.50' });

/** Starts the server with a second route that runs the same insert without audit and idempotency. */
async function serve(environment) {
  const config = readConfig(environment);
  const resources = await openResources(config);
  const app = createApp(config);
  let audited;
  app.addHook('onRoute', (route) => {
    if (route.url === AUDITED && route.method === 'POST') audited = route;
  });
  await composeApp(app, config, resources);
  const { access, permission } = audited.config;
  const payments = createPayments(resources.database);
  const plain = { config: { access, permission, audit: false }, schema: audited.schema };
  app.post(PLAIN, plain, async function createPlainPayment({ body, principal }, reply) {
    const payment = { ...body, createdBy: principal.subject };
    const created = await resources.database.orm.transaction((transaction) => payments.create(transaction, payment));
    return reply.code(201).send({ data: { ...created, createdAt: created.createdAt.getTime() } });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpu: user + system });
  });
  process.send({ port: app.server.address().port });
}

/** Returns the CPU time of the server so far, in microseconds. */
async function cpuOf(server) {
  server.send('cpu');
  const [{ cpu }] = await once(server, 'message');
  return cpu;
}

async function signIn(port) {
  const { username, password } = developmentAccount;
  const response = await fetch(`http://127.0.0.1:${port}/admin/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: passwordToSend(password), terminal: 'web' }),
  });
  return (await response.json()).data.token;
}

/** Opens one connection that sends each write as soon as the previous one is answered, with minimal client work. */
function startWriter(port, path, token, count) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const head = `POST ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\nidempotency-key: `;
  let isStopped = false;
  let answer = '';
  const ended = new Promise((resolve, reject) => {
    socket.once('close', resolve);
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      const end = answer.indexOf('\r\n\r\n');
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1]);
      if (end === -1 || answer.length < end + 4 + length) return;
      if (!answer.startsWith('HTTP/1.1 201')) return void reject(new Error(answer));
      answer = '';
      count();
      if (isStopped) socket.end();
      else send();
    });
  });
  const send = () => socket.write(`${head}${randomUUID()}\r\n\r\n${BODY}`);
  send();
  return {
    stop() {
      isStopped = true;
      return ended;
    },
  };
}

async function round(server, port, path, token, millis) {
  let writes = 0;
  const cpuBefore = await cpuOf(server);
  const writers = Array.from({ length: CONCURRENCY }, () =>
    startWriter(port, path, token, () => {
      writes += 1;
    }),
  );
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, millis));
  await Promise.all(writers.map((writer) => writer.stop()));
  const perSecond = (writes * 1000) / (performance.now() - began);
  return { perSecond, micros: ((await cpuOf(server)) - cpuBefore) / writes };
}

async function compare(server, port) {
  const token = await signIn(port);
  const rounds = { [PLAIN]: [], [AUDITED]: [] };
  for (const path of [PLAIN, AUDITED]) await round(server, port, path, token, WARM_UP_MILLIS);
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    // The order alternates, so that neither route always runs second.
    for (const path of turn % 2 === 0 ? [PLAIN, AUDITED] : [AUDITED, PLAIN])
      rounds[path].push(await round(server, port, path, token, ROUND_MILLIS));
  }
  say(`${CONCURRENCY} writes at once, ${ROUNDS} rounds of ${ROUND_MILLIS / 1000} s each, in turn`);
  for (const [name, path] of [
    ['without audit and idempotency', PLAIN],
    ['audited, idempotent by key', AUDITED],
  ]) {
    const rate = median(rounds[path].map(({ perSecond }) => perSecond)).toFixed(0);
    const micros = median(rounds[path].map((one) => one.micros)).toFixed(0);
    say(`${name.padEnd(32)}${rate.padStart(6)} /s ${micros.padStart(6)} µs`);
  }
  const byRate = rounds[AUDITED].map(({ perSecond }, turn) => perSecond / rounds[PLAIN][turn].perSecond);
  const byTime = rounds[AUDITED].map(({ micros }, turn) => rounds[PLAIN][turn].micros / micros);
  const range = `${Math.min(...byRate).toFixed(2)} to ${Math.max(...byRate).toFixed(2)}`;
  say(`ratio ${median(byRate).toFixed(2)} by rate (${range}), ${median(byTime).toFixed(2)} by processor time`);
}

async function checkAuditLog(url, key) {
  const client = postgres(url, { max: 1, fetch_types: false });
  const { intact, rows, pending } = await verifyAuditLog({ database: drizzle(client), key: parseAuditKey(key) });
  await client.end();
  const holds = intact && pending === 0;
  say(`the audit log of ${rows} rows ${holds ? 'holds' : 'DOES NOT HOLD'}`);
  if (!holds) process.exitCode = 1;
}

const say = (line) => process.stdout.write(`${line}\n`);

async function main() {
  const database = await startPostgresProcess();
  const redis = await createRedisProcess();
  await redis.start();
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
  const key = `bench:${randomBytes(32).toString('hex')}`;
  const server = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: ['--import', 'tsx'] });
  const exited = once(server, 'exit');
  server.send({
    SERVICE_PROFILE: 'development',
    SERVICE_LOG_LEVEL: 'warn',
    SERVICE_DATA_DIR: folder,
    SERVICE_DATABASE_URL: database.url,
    SERVICE_REDIS_URL: redis.url,
    SERVICE_AUDIT_CHAIN_KEY: key,
    SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, 'checkpoints'),
    SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000',
    SERVICE_RATE_LIMIT_WINDOW_SECONDS: '86400',
    SERVICE_FLOOD_GATE_MAX_REQUESTS: '10000000',
  });
  try {
    const [message] = await Promise.race([once(server, 'message'), exited]);
    if (message?.port === undefined) throw new Error('the server of the benchmark did not start');
    await compare(server, message.port);
    await checkAuditLog(database.url, key);
  } finally {
    server.kill('SIGTERM');
    await exited;
    await redis.kill();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === 'serve') process.once('message', (environment) => serve(environment));
else await main();
