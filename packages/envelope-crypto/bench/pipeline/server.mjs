// `node server.mjs bare|whole`: one server of the comparison, in a process of its own. It says on its first line where it
// listens and how it is signed in to.
//
// bare:  Fastify with one route, and nothing else.
// whole: the reference server as it is composed for users, with the same route behind everything: client IP, flood gate,
//        token, rate limit, envelope, replay guard. Sessions and nonces are in memory, so that it is the pipeline that is
//        measured and not a database; the log is written, and thrown away.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createMemoryStore } from '@sallyport/ttl-store';
import fastify from 'fastify';

const [, , kind] = process.argv;

const UNLIMITED = '1000000';
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

/** Answers what it was sent: as much out as in. */
const handler = async ({ body }) => ({ data: body });

async function startBare() {
  const app = fastify();
  app.post('/bench', { schema }, handler);
  return { app, authorization: null };
}

async function startWhole() {
  const server = new URL('../../../../examples/reference-server/dist/', import.meta.url);
  const load = (file) => import(new URL(file, server).href);
  const { composeApp, createApp } = await load('app.js');
  const { readConfig } = await load('config.js');
  const { openResources } = await load('resources.js');
  const { developmentAccount, passwordToSend } = await load('features/administrators/development-account.js');

  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
  const config = readConfig({
    SERVICE_PROFILE: 'development',
    SERVICE_DATA_DIR: folder,
    SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
    SERVICE_RATE_LIMIT_MAX_REQUESTS: UNLIMITED,
    SERVICE_RATE_LIMIT_WINDOW_SECONDS: '86400',
    SERVICE_FLOOD_GATE_MAX_REQUESTS: '10000000',
    SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
    ...process.env,
  });
  const opened = await openResources(config);
  const stores = {
    ...opened.stores,
    sessions: createMemoryStore(),
    nonces: createMemoryStore({ maxEntries: NONCES, maxBytes: NONCES * 1024 }),
  };
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
}

const { app, authorization } = await (kind === 'bare' ? startBare() : startWhole());
const origin = await app.listen({ host: '127.0.0.1', port: 0 });
const bootstrap = app.envelopeCrypto?.bootstrap() ?? null;
process.stdout.write(
  `${JSON.stringify({ origin, authorization, bootstrap, backend: app.envelopeCrypto?.backend ?? null })}\n`,
);
process.stdin.on('end', () => app.close()).resume();
