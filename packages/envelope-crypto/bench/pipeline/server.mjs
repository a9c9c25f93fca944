// One server of the comparison, in its own process. All have the same route, which echoes the body.
//
// bare:     Fastify with that route alone.
// packages: the installed packages: audit decision, token, rate limit, envelope, replay guard, idempotency. No log.
// whole:    the reference server with the route after every stage: request id, client IP, flood gate, token, rate
//           limit, envelope, replay guard, idempotency, audit decision, response headers, metrics. The log is written
//           and discarded.
//
// Sessions and nonces are in memory, so that the run measures the pipeline and not a database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import rateLimit from '@fastify/rate-limit';
import { auditLog, createMemorySink } from '@sallyport/audit-log';
import { authTokens, generateSigningKey } from '@sallyport/auth-tokens';
import { idempotency } from '@sallyport/idempotency';
import { replayGuard } from '@sallyport/replay-guard';
import { createMemoryStore } from '@sallyport/ttl-store';
import fastify from 'fastify';
import { answerParent } from '../../../../examples/reference-server/bench/child-process.mjs';
import { envelopeCrypto, publicKeyRoute } from '../../dist/index.js';

const UNLIMITED = 1_000_000;
const NONCES = 2_000_000;

const text = { type: 'string' };
const schema = {
  body: {
    type: 'object',
    required: ['payee', 'amount'],
    properties: { payee: text, amount: text, note: text },
    additionalProperties: false,
  },
};

/** Echoes the body. */
const handler = async ({ body }) => ({ data: body });

const nonceStore = () => createMemoryStore({ maxEntries: NONCES, maxBytes: NONCES * 1024 });

const starts = {
  async bare() {
    const app = fastify();
    app.post('/bench', { schema }, handler);
    return { app, authorization: null };
  },

  async packages({ backend, privateKey }) {
    const app = fastify();
    const store = createMemoryStore();
    await app.register(auditLog, { sink: createMemorySink() });
    await app.register(authTokens, { store, issuer: 'https://example.com', signingKey: generateSigningKey() });
    await app.register(rateLimit, { max: UNLIMITED, timeWindow: '1 day' });
    await app.register(envelopeCrypto, { mode: 'OPTIONAL', keyId: 'bench', privateKey, backend });
    await app.register(replayGuard, { store: nonceStore() });
    await app.register(idempotency, { store });
    await app.register(publicKeyRoute);
    app.post('/bench', { config: { access: 'admin', audit: false }, schema }, handler);
    await app.ready();
    const { token } = await app.authTokens.issue({ subject: 'u-1', audience: 'admin' });
    return { app, authorization: `Bearer ${token}` };
  },

  async whole({ backend, privateKey }) {
    const server = new URL('../../../../examples/reference-server/dist/', import.meta.url);
    const load = (file) => import(new URL(file, server).href);
    const { composeApp, createApp } = await load('app.js');
    const { readConfig } = await load('config/config.js');
    const { openResources } = await load('storage/resources.js');
    const { developmentAccount, passwordToSend } = await load('modules/administrators/development-account.js');

    const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
    const config = readConfig({
      SERVICE_PROFILE: 'development',
      SERVICE_DATA_DIR: folder,
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
      SERVICE_RATE_LIMIT_MAX_REQUESTS: String(UNLIMITED),
      SERVICE_RATE_LIMIT_WINDOW_SECONDS: '60',
      SERVICE_FLOOD_GATE_MAX_REQUESTS: '10000000',
      SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
      SERVICE_API_ENCRYPTION_BACKEND: backend,
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: privateKey,
      ...process.env,
    });
    const opened = await openResources(config);
    const stores = { ...opened.stores, sessions: createMemoryStore(), nonces: nonceStore() };
    const app = createApp(config, new Writable({ write: (_line, _encoding, done) => done() }));
    app.addHook('onClose', async () => {
      await opened.close();
      await rm(folder, { recursive: true, force: true });
    });
    await composeApp(app, config, { ...opened, stores });
    app.post('/bench', { config: { access: 'admin', audit: false }, schema }, handler);
    await app.ready();

    const { username, password } = developmentAccount;
    const payload = { username, password: passwordToSend(password), terminal: 'web' };
    const answer = await app.inject({ method: 'POST', url: '/admin/auth/login', payload });
    if (answer.statusCode !== 200) throw new Error(`the sign-in was refused: ${answer.body}`);
    return { app, authorization: `Bearer ${answer.json().data.token}` };
  },
};

let app;

answerParent({
  async start({ server, backend, privateKey }) {
    const started = await starts[server]({ backend, privateKey });
    app = started.app;
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const { envelopeCrypto: envelopes } = app;
    return {
      origin,
      authorization: started.authorization,
      bootstrap: envelopes?.bootstrap() ?? null,
      backend: envelopes?.backend?.name ?? null,
    };
  },
  cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  stop: () => app.close(),
});
