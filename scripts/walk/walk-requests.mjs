// How far a request goes through the built server: files with a call, and moves from package to package and from room
// to room (a folder of a package) between two calls.
import { fork } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build, serverEntry } from '../build.mjs';
import { freePort } from '../free-port.mjs';

/** The first ones fill what the server caches. */
const WARM_RUNS = 2;
/** The one with the fewest calls counts: a timer of the server may fall into a run. */
const COUNTED_RUNS = 5;
/** What follows the response, such as its line in the log, belongs to the request. */
const SETTLE_MILLIS = 150;
/** The server keeps a finding of its health for a second. Monitors ask less often. */
const HEALTH_REST_MILLIS = 1500;
const START_LIMIT_MILLIS = 120_000;

/**
 * @typedef {object} Walk
 * @property {number} files with at least one call
 * @property {number} moves from package to package
 * @property {number} roomMoves from room to room, those from package to package included
 * @property {string[][]} calls in their order: package, room, file, function
 */

/**
 * A health check, a sign-in of an administrator and an encrypted payment of the server in development.
 * @returns {Promise<Record<'health check' | 'sign-in' | 'encrypted payment', Walk>>}
 */
export async function walkRequests() {
  build();
  const data = mkdtempSync(join(tmpdir(), 'walk-'));
  const port = await freePort();
  const inherited = Object.entries(process.env).filter(([name]) => !/^SERVICE_|^VITEST|^NODE_ENV$/.test(name));
  const server = fork(fileURLToPath(serverEntry), [], {
    execArgv: ['--import', new URL('./trace-calls.mjs', import.meta.url).href],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...Object.fromEntries(inherited),
      SERVICE_PROFILE: 'development',
      SERVICE_PORT: `${port}`,
      SERVICE_DATA_DIR: data,
      SERVICE_LOG_LEVEL: 'error',
      SERVICE_CONSOLE_ENABLED: 'false',
      SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
      SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000',
    },
  });
  try {
    const base = `http://127.0.0.1:${port}`;
    await untilHealthy(server, base);
    const { token, signIn } = await signInTo(base);
    return {
      'health check': await walk(server, () => fetch(`${base}/actuator/health`), HEALTH_REST_MILLIS),
      'sign-in': await walk(server, signIn),
      'encrypted payment': await walk(server, await paymentTo(base, token)),
    };
  } finally {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    if (server.exitCode === null) await ended;
    rmSync(data, { recursive: true, force: true });
  }
}

async function untilHealthy(server, base) {
  for (const deadline = Date.now() + START_LIMIT_MILLIS; ; await sleep(100)) {
    if ((await fetch(`${base}/actuator/health`).catch(() => null))?.ok) return;
    if (server.exitCode !== null || Date.now() > deadline) throw new Error('the reference server did not start');
  }
}

async function walk(server, send, restMillis = 20) {
  const runs = [];
  for (let run = 0; run < WARM_RUNS + COUNTED_RUNS; run++) {
    await sleep(restMillis);
    server.send('begin');
    const response = await send();
    await sleep(SETTLE_MILLIS);
    const ended = once(server, 'message');
    server.send('end');
    const [{ calls }] = await ended;
    if (!response.ok) throw new Error(`${response.url} was answered with ${response.status}`);
    if (run >= WARM_RUNS) runs.push(calls);
  }
  const [calls] = runs.sort((one, other) => one.length - other.length);
  return {
    files: new Set(calls.map(([owner, , file]) => `${owner}/${file}`)).size,
    moves: movesBetween(calls, ([owner]) => owner),
    roomMoves: movesBetween(calls, ([owner, room]) => `${owner}/${room}`),
    calls,
  };
}

function movesBetween(calls, placeOf) {
  return calls.filter((call, index) => index > 0 && placeOf(call) !== placeOf(calls[index - 1])).length;
}

async function signInTo(base) {
  const password = createHash('sm3').update('sallyport-dev').digest('hex');
  const body = JSON.stringify({ username: 'admin', password, terminal: 'web' });
  const signIn = () =>
    fetch(`${base}/admin/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { data } = await (await signIn()).json();
  return { token: data.token, signIn };
}

/** A payment, sealed by the client that the package ships. Its key is loaded by a first one. */
async function paymentTo(base, token) {
  const { createEnvelopeClient } = await import('../../packages/envelope-crypto/dist/client/index.js');
  const client = createEnvelopeClient({ baseUrl: base, requireEncryption: true });
  const pay = () =>
    client.fetch('/admin/payments', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify({ payee: 'Ann', amount: '12.00' }),
    });
  await pay();
  return pay;
}
