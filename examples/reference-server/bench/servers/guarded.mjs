// The reference server as composed for users, on the embedded stores, with extra routes that return the same answer as
// bare Fastify. Its log is written to standard output, as in production, and discarded.
import { writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeApp, createApp } from '../../dist/app.js';
import { readConfig } from '../../dist/config/config.js';
import { developmentAccount, passwordToSend } from '../../dist/modules/administrators/development-account.js';
import { openResources } from '../../dist/storage/resources.js';
import { ANSWER, answerSchema } from './answer.mjs';

const UNLIMITED = '1000000';

// What pino does by default. In the development profile, the server would write lines for people.
const standardOutput = { write: (line) => writeSync(1, line) };

export async function start(environment = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
  const config = readConfig({
    SERVICE_PROFILE: 'development',
    SERVICE_DATA_DIR: folder,
    SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
    SERVICE_RATE_LIMIT_MAX_REQUESTS: UNLIMITED,
    SERVICE_RATE_LIMIT_WINDOW_SECONDS: '60',
    SERVICE_FLOOD_GATE_MAX_REQUESTS: '10000000',
    ...environment,
  });
  const resources = await openResources(config);
  const app = createApp(config, standardOutput);
  app.addHook('onClose', async () => {
    await resources.close();
    await rm(folder, { recursive: true, force: true });
  });
  await composeApp(app, config, resources);
  const schema = { response: { 200: answerSchema } };
  app.get('/bench', { config: { access: 'admin', audit: false }, schema }, async () => ANSWER);
  app.get('/bench/recorded', { config: { access: 'admin', audit: 'bench' }, schema }, async () => ANSWER);
  app.get('/bench/public', { config: { access: 'public', audit: false }, schema }, async () => ANSWER);
  await app.ready();
  return { app, headers: { authorization: `Bearer ${await signIn(app)}` } };
}

async function signIn(app) {
  const { username, password } = developmentAccount;
  const payload = { username, password: passwordToSend(password), terminal: 'web' };
  const response = await app.inject({ method: 'POST', url: '/admin/auth/login', payload });
  if (response.statusCode !== 200) throw new Error(`the sign-in of the benchmark was refused: ${response.body}`);
  return response.json().data.token;
}
