// `pnpm demo`: starts a reference server in a temporary folder and walks through the main journey: sign in, call in the
// clear and in an envelope, replay the envelope, pay once with a retry, sign out, and use the revoked token.
import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build, serverEntry } from './build.mjs';
import { freePort } from './free-port.mjs';

const START_LIMIT_MILLIS = 60_000;

const say = (text = '') => process.stdout.write(`${text}\n`);
/** A refusal by its code and reason; anything else as it came. */
function readable(text) {
  if (text === '') return '(no body)';
  const { code, detail } = JSON.parse(text);
  return code === undefined ? short(text) : `${code}: ${detail}`;
}
const short = (text, length = 100) =>
  text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
const json = { 'content-type': 'application/json' };

let failed = false;
function show(step, what, response, text, expectedStatus) {
  const right = response.status === expectedStatus;
  failed ||= !right;
  say(`${step}. ${what}`);
  say(`   ${right ? '✓' : '✗'} ${response.status} ${readable(text)}\n`);
}

async function startServer(folder) {
  const port = await freePort();
  const environment = {
    SERVICE_PROFILE: 'development',
    SERVICE_PORT: String(port),
    SERVICE_DATA_DIR: folder,
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
    SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
  };
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_'));
  const server = spawn(process.execPath, [fileURLToPath(serverEntry)], {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const base = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + START_LIMIT_MILLIS; ; await sleep(100)) {
    const health = await fetch(`${base}/actuator/health`).catch(() => null);
    if (health?.ok) return { base, server };
    if (server.exitCode !== null || Date.now() > deadline) throw new Error('the reference server did not start');
  }
}

async function journey(base) {
  const { createEnvelopeClient } = await import('../packages/envelope-crypto/dist/client/index.js');
  // The request on the wire, kept so that the demo can show and replay it.
  let sent = { url: '', init: {} };
  const client = createEnvelopeClient({
    baseUrl: base,
    fetch: (url, init) => {
      if (new Headers(init?.headers).has('api-encryption')) sent = { url, init };
      return fetch(url, init);
    },
  });

  const password = createHash('sm3').update('sallyport-dev').digest('hex');
  const credentials = JSON.stringify({ username: 'admin', password, terminal: 'web' });
  const signIn = await client.fetch('/admin/auth/login', { method: 'POST', headers: json, body: credentials });
  const signInText = await signIn.text();
  show(1, 'Sign in as admin, in an encrypted envelope', signIn, signInText, 200);
  say(`   what travelled: ${short(String(sent.init.body))}\n`);
  const headers = { authorization: `Bearer ${JSON.parse(signInText).data.token}` };

  const plain = await fetch(`${base}/admin/profile`, { headers });
  show(2, 'Read your own profile in the clear', plain, await plain.text(), 200);

  const encrypted = await client.fetch('/admin/profile', { headers });
  show(
    3,
    'Read it again in an encrypted envelope; the answer comes sealed and is opened here',
    encrypted,
    await encrypted.text(),
    200,
  );

  const body = JSON.stringify({ displayName: 'Ada' });
  const change = await client.fetch('/admin/profile', { method: 'PUT', headers: { ...headers, ...json }, body });
  show(4, 'Change it, encrypted', change, await change.text(), 200);

  const replay = await fetch(sent.url, sent.init);
  show(5, 'Replay the same envelope, as an eavesdropper would', replay, await replay.text(), 400);

  const retriable = { ...headers, ...json, 'idempotency-key': randomUUID() };
  const pay = (amount) => {
    const payment = JSON.stringify({ payee: 'Charles Babbage', amount });
    return client.fetch('/admin/payments', { method: 'POST', headers: retriable, body: payment });
  };
  const payment = await pay('12.50');
  show(6, 'Make a payment under an Idempotency-Key, encrypted', payment, await payment.text(), 201);

  const retry = await pay('12.50');
  show(7, 'The answer was lost: retry with the same key in a new envelope', retry, await retry.text(), 409);

  const changed = await pay('1250.00');
  show(8, 'Send another amount under the same key', changed, await changed.text(), 422);

  const payments = await client.fetch('/admin/payments', { headers });
  show(9, 'List the payments: there is one', payments, await payments.text(), 200);

  const signOut = await client.fetch('/auth/logout', { method: 'POST', headers });
  show(10, 'Sign out, encrypted', signOut, await signOut.text(), 204);

  const after = await fetch(`${base}/admin/profile`, { headers });
  show(11, 'Use the token again', after, await after.text(), 401);
}

build();
const { readCommandLine } = await import('../packages/plugin-kit/dist/options/command-line.js');
try {
  const { help } = readCommandLine(process.argv.slice(2), {
    options: { help: { type: 'boolean', short: 'h' } },
  }).values;
  if (help) {
    say('Starts a server in a temporary folder, and shows a sign-in, envelopes, a replay, a payment and its retry.');
    process.exit(0);
  }
} catch (error) {
  process.stderr.write(`The demo did not start. ${error.message}\n`);
  process.exit(2);
}
const folder = await mkdtemp(join(tmpdir(), 'sallyport-demo-'));
try {
  say('Starting a reference server with a temporary folder and a new key …');
  const { base, server } = await startServer(folder);
  say(`It listens on ${base}.\n`);
  try {
    await journey(base);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  say(
    failed
      ? 'A step failed: see ✗ above.'
      : 'Every step answered as expected. The server is stopped and its folder is deleted.',
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
