// `node --import tsx bench/audited-write.mjs [rounds] [concurrency]`, after `pnpm run build`: what audit and idempotency
// cost a write (PRF-5). One server on a real PostgreSQL and a real Redis, in a process of its own, answers two routes
// that run the same insert: `POST /admin/payments` as it is shipped, audited and idempotent by key, and the same without
// both; sign-in, permission, rate limits and schemas are the same. Rounds of either take turns. Printed are writes per
// second, the median of the rounds, their ratio within each pair of rounds, and statements of PostgreSQL per write.
// It asserts nothing but that every write was answered with 201 and that the audit log holds.
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
import { readConfig } from '../dist/config.js';
import { developmentAccount, passwordToSend } from '../dist/features/administrators/development-account.js';
import { createPayments } from '../dist/features/payments/payments.js';
import { openResources } from '../dist/resources.js';

const ROUND_MILLIS = 3000;
const WARM_UP_MILLIS = 2000;
const AUDITED = '/admin/payments';
const PLAIN = '/bench/payments';
const BODY = JSON.stringify({ payee: 'Ada Lovelace', amount: '12.50' });

/** The server, and beside its route the same insert without audit and idempotency. */
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
    const created = await payments.create({ ...body, createdBy: principal.subject }, async () => {});
    return reply.code(201).send({ data: { ...created, createdAt: created.createdAt.getTime() } });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send({ port: app.server.address().port });
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

/** One connection that sends a write as soon as the one before it is answered, with as little work as can be. */
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

/** Writes per second. */
async function round(port, path, token, concurrency, millis) {
  let writes = 0;
  const writers = Array.from({ length: concurrency }, () =>
    startWriter(port, path, token, () => {
      writes += 1;
    }),
  );
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, millis));
  const perSecond = (writes * 1000) / (performance.now() - began);
  await Promise.all(writers.map((writer) => writer.stop()));
  return { perSecond, writes };
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

async function main() {
  const rounds = Number(process.argv[2] ?? 7);
  const concurrency = Number(process.argv[3] ?? 32);
  const database = await startPostgresProcess();
  const redis = await createRedisProcess();
  await redis.start();
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
  const key = `bench:${randomBytes(32).toString('hex')}`;
  const server = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: ['--import', 'tsx'] });
  server.send({
    SERVICE_PROFILE: 'development',
    SERVICE_LOG_LEVEL: process.env.BENCH_LOG_LEVEL ?? 'silent',
    SERVICE_DATA_DIR: folder,
    SERVICE_DATABASE_URL: database.url,
    SERVICE_REDIS_URL: redis.url,
    SERVICE_AUDIT_CHAIN_KEY: key,
    SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, 'checkpoints'),
    SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000',
    SERVICE_FLOOD_GATE_MAX_REQUESTS: '10000000',
  });
  try {
    const [{ port }] = await once(server, 'message');
    const token = await signIn(port);
    const rates = { [PLAIN]: [], [AUDITED]: [] };
    for (const path of [PLAIN, AUDITED]) await round(port, path, token, concurrency, WARM_UP_MILLIS);
    for (let turn = 0; turn < rounds; turn += 1) {
      // Who comes first changes, so that neither always follows the other.
      for (const path of turn % 2 === 0 ? [PLAIN, AUDITED] : [AUDITED, PLAIN])
        rates[path].push((await round(port, path, token, concurrency, ROUND_MILLIS)).perSecond);
    }
    const ratios = rates[AUDITED].map((rate, turn) => rate / rates[PLAIN][turn]);
    const say = (line) => process.stdout.write(`${line}\n`);
    say(
      `Node ${process.version}, ${concurrency} writes at once, ${rounds} rounds of ${ROUND_MILLIS / 1000} s each; medians`,
    );
    say(`without audit and idempotency  ${median(rates[PLAIN]).toFixed(0).padStart(6)} writes/s`);
    say(`audited, idempotent by key     ${median(rates[AUDITED]).toFixed(0).padStart(6)} writes/s`);
    say(`ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`);
    const client = postgres(database.url, { max: 1, fetch_types: false });
    const { intact, rows, pending } = await verifyAuditLog({ database: drizzle(client), key: parseAuditKey(key) });
    await client.end();
    say(`the audit log of ${rows} rows ${intact && pending === 0 ? 'holds' : 'DOES NOT HOLD'}`);
    if (!intact || pending > 0) process.exitCode = 1;
  } finally {
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    await exited;
    await redis.kill();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === 'serve') process.once('message', (environment) => serve(environment));
else await main();
