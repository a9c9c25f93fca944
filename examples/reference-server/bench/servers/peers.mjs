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
const shownPayment = (row) => ({ ...row, createdAt: row.createdAt.getTime() });
const profile = {
  type: 'object',
  properties: { id: text, username: text, displayName: text, permissions: { type: 'array', items: text } },
};
const paymentQuery = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    size: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
};
const paymentList = {
  type: 'object',
  properties: {
    data: { type: 'array', items: payment },
    page: {
      type: 'object',
      properties: { number: { type: 'integer' }, size: { type: 'integer' }, total: { type: 'integer' } },
    },
  },
};

export async function start({ databaseUrl, redisUrl, auditRows, maxRequests = UNLIMITED }) {
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
  await app.register(rateLimit, { max: maxRequests, timeWindow: '1 day', redis });
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
  app.get(
    '/admin/profile',
    { onRequest: requireSession, schema: { response: { 200: { type: 'object', properties: { data: profile } } } } },
    async function readProfile(request) {
      const [account] = await sql`
        select u.id, u.username, u.display_name as "displayName", array_agg(p.permission) as permissions
        from users u join user_permissions p on p.user_id = u.id where u.id = ${request.user.sub} group by u.id`;
      if (auditRows) await insertAuditRow(sql, request, 'profile.read', account.id);
      return { data: account };
    },
  );
  app.get(
    '/admin/payments',
    {
      onRequest: [requireSession, requirePermission('payments:list')],
      schema: { querystring: paymentQuery, response: { 200: paymentList } },
    },
    async function listPayments(request) {
      const { page, size } = request.query;
      const [rows, [{ total }]] = await Promise.all([
        sql`
          select id, payee, amount, created_by as "createdBy", created_at as "createdAt"
          from payments order by id desc limit ${size} offset ${(page - 1) * size}`,
        sql`select count(*)::int as total from payments`,
      ]);
      if (auditRows) await insertAuditRow(sql, request, 'payment.list', null);
      return { data: rows.map(shownPayment), page: { number: page, size, total } };
    },
  );
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
      return reply.code(201).send({ data: shownPayment(row) });
    },
  );
  await app.ready();
  return { app, headers: { authorization: `Bearer ${await signIn(app, redis, sql)}` } };
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

async function signIn(app, redis, sql) {
  const [jti, sub] = [randomUUID(), randomUUID()];
  const permissions = ['payments:create', 'payments:list'];
  await sql`insert into users (id, username, display_name) values (${sub}, 'ada', 'Ada Lovelace')`;
  await sql`insert into user_permissions ${sql(permissions.map((permission) => ({ user_id: sub, permission })))}`;
  const session = { subject: sub, username: 'ada', terminal: 'web', permissions };
  await redis.set(`session:${jti}`, JSON.stringify(session), 'EX', SESSION_SECONDS);
  return app.jwt.sign({ sub, jti }, { expiresIn: SESSION_SECONDS });
}

/** The columns of our own tables, with the indexes that an audit table is usually searched by. */
async function createTables(sql) {
  await sql.unsafe(`
    create table if not exists users (
      id uuid primary key,
      username text not null unique,
      display_name text not null
    );
    create table if not exists user_permissions (
      user_id uuid references users (id),
      permission text,
      primary key (user_id, permission)
    );
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
