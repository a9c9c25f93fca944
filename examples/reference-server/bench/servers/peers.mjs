// The stack that users of this server would otherwise build (PRF-10): Fastify with the usual plugins and the defaults
// of their READMEs, sessions and rate limits on Redis, PostgreSQL by its driver without an ORM. `auditRows`: a plain
// audit row, without chain or masking, wherever the reference server commits an audit record: before the reply of a
// GET, and in the transaction of a write. It has no idempotency.
import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import jwt from '@fastify/jwt';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { ANSWER, answerSchema } from './answer.mjs';

const UNLIMITED = 1_000_000_000;
const SECRET = 'a-secret-of-the-benchmark-with-32-bytes';
const SESSION_SECONDS = 3600;

const newPayment = {
  type: 'object',
  required: ['payee', 'amount'],
  additionalProperties: false,
  properties: {
    payee: { type: 'string', minLength: 1, maxLength: 128 },
    amount: { type: 'string', maxLength: 13, pattern: '^[0-9]{1,10}([.][0-9]{1,2})?$' },
  },
};
const text = { type: 'string' };
const payment = {
  type: 'object',
  properties: { id: text, payee: text, amount: text, createdBy: text, createdAt: { type: 'integer' } },
};

export async function start({ databaseUrl, redisUrl, auditRows }) {
  // As many connections as the reference server has.
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  const redis = new Redis(redisUrl, { enableAutoPipelining: true, keyPrefix: 'peers:' });
  await createTables(sql);

  const app = Fastify({ logger: true });
  app.addHook('onClose', async () => {
    await sql.end();
    redis.disconnect();
  });
  await app.register(helmet);
  await app.register(cors, { origin: ['https://admin.example.com'] });
  await app.register(rateLimit, { max: UNLIMITED, timeWindow: '1 minute', redis });
  await app.register(jwt, { secret: SECRET });
  measureRequests(app);

  app.decorateRequest('session', null);
  async function requireSession(request, reply) {
    await request.jwtVerify();
    const stored = await redis.get(`session:${request.user.jti}`);
    if (stored === null) return reply.code(401).send({ error: 'The session has ended' });
    request.session = JSON.parse(stored);
  }
  const requirePermission = (permission) =>
    async function checkPermission(request, reply) {
      if (!request.session.permissions.includes(permission)) return reply.code(403).send({ error: 'Not allowed' });
    };
  const insertAuditRow = (queries, { method, url, ip, id, user, startedAt, body }, action, target) => queries`
    insert into audit_log (
      id, occurred_at, actor, action, target, outcome, duration_millis, parameters, client_ip, extra
    )
    values (
      ${uuidv7()}, ${new Date(startedAt)}, ${user.sub}, ${action}, ${target}, 'success', ${Date.now() - startedAt},
      ${sql.json(body ?? null)}, ${ip}, ${sql.json({ requestId: id, method, path: url })}
    )`;

  app.decorateRequest('startedAt', 0);
  app.addHook('onRequest', async (request) => {
    request.startedAt = Date.now();
  });
  const schema = { response: { 200: answerSchema } };
  app.get('/bench', { onRequest: requireSession, schema }, async () => ANSWER);
  app.get('/bench/recorded', { onRequest: requireSession, schema }, async (request) => {
    if (auditRows) await insertAuditRow(sql, request, 'bench', null);
    return ANSWER;
  });
  app.post(
    '/admin/payments',
    {
      onRequest: [requireSession, requirePermission('payments:create')],
      schema: { body: newPayment, response: { 201: { type: 'object', properties: { data: payment } } } },
    },
    async function createPayment(request, reply) {
      const { body, user } = request;
      const id = uuidv7();
      const [row] = await sql.begin(async (transaction) => {
        const rows = await transaction`
          insert into payments (id, payee, amount, created_by)
          values (${id}, ${body.payee}, ${body.amount}, ${user.sub})
          returning id, payee, amount, created_by as "createdBy", created_at as "createdAt"`;
        if (auditRows) await insertAuditRow(transaction, request, 'payment.create', id);
        return rows;
      });
      return reply.code(201).send({ data: { ...row, createdAt: row.createdAt.getTime() } });
    },
  );
  await app.ready();
  return { app, headers: { authorization: `Bearer ${await signIn(app, redis)}` } };
}

function measureRequests(app) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'The duration of requests',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    seconds.observe({ method, route: routeOptions.url, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
}

async function signIn(app, redis) {
  const [jti, sub] = [randomUUID(), randomUUID()];
  const session = { subject: sub, username: 'ada', terminal: 'web', permissions: ['payments:create', 'payments:list'] };
  await redis.set(`session:${jti}`, JSON.stringify(session), 'EX', SESSION_SECONDS);
  return app.jwt.sign({ sub, jti }, { expiresIn: SESSION_SECONDS });
}

/** The columns of our own tables, with the indexes that an audit table is usually searched by. */
async function createTables(sql) {
  await sql.unsafe(`
    create table if not exists payments (
      id uuid primary key,
      payee text not null,
      amount numeric(12, 2) not null check (amount > 0),
      created_by uuid not null,
      created_at timestamptz not null default now()
    );
    create table if not exists audit_log (
      id uuid primary key,
      occurred_at timestamptz not null,
      actor text,
      action text not null,
      target text,
      outcome text not null,
      duration_millis double precision not null,
      parameters jsonb,
      client_ip text,
      extra jsonb
    );
    create index if not exists audit_log_occurred_at on audit_log (occurred_at);
    create index if not exists audit_log_actor on audit_log (actor);
    create index if not exists audit_log_action on audit_log (action);
  `);
}
