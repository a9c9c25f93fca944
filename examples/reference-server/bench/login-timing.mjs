// `node bench/login-timing.mjs [pairs]`: whether time tells what an answer of the sign-in must not tell (ADM-3, LGN-3).
// For each pair the same server answers one request of either kind in turn, after a warm-up; printed are both medians
// and their ratio. Build first: `pnpm build`. It asserts nothing: a shared machine is no laboratory.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginPolicyParameters } from '@sallyport/login-policy';
import { buildApp } from '../dist/app.js';
import { readConfig } from '../dist/config.js';
import { developmentAccount, passwordToSend } from '../dist/features/administrators/development-account.js';

const PAIRS = Number(process.argv[2] ?? 300);
const WARM_UP = 20;

const right = passwordToSend(developmentAccount.password);
const wrong = 'f'.repeat(64);
const known = developmentAccount.username;
const unknown = 'nobody';
const LOCKED_FROM = '192.0.2.1';

const folder = await mkdtemp(join(tmpdir(), 'sallyport-timing-'));
const app = await buildApp(
  readConfig({
    SERVICE_PROFILE: 'development',
    SERVICE_LOG_LEVEL: 'silent',
    SERVICE_DATA_DIR: folder,
    SERVICE_AUTH_PASSWORD_BCRYPT_COST: '10',
    SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000000',
    SERVICE_FLOOD_GATE_MAX_REQUESTS: '10000000',
  }),
);

/** A fresh address for every guess, so that none is locked. */
let addresses = 0;
const freshAddress = () => `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;

async function signIn(username, password, remoteAddress = freshAddress()) {
  const payload = { username, password, terminal: 'web' };
  const began = performance.now();
  const { statusCode } = await app.inject({ method: 'POST', url: '/admin/auth/login', payload, remoteAddress });
  return { statusCode, millis: performance.now() - began };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function compare(name, status, one, other) {
  const times = [[], []];
  for (let pair = -WARM_UP; pair < PAIRS; pair += 1) {
    // Who comes first changes, so that neither always follows the other.
    for (const kind of pair % 2 === 0 ? [0, 1] : [1, 0]) {
      const { statusCode, millis } = await (kind === 0 ? one() : other());
      if (statusCode !== status) throw new Error(`${name}: ${statusCode} instead of ${status}`);
      if (pair >= 0) times[kind].push(millis);
    }
  }
  const [first, second] = times.map(median);
  const ratio = (first / second).toFixed(3);
  process.stdout.write(`${name.padEnd(40)} ${first.toFixed(3)} ms  ${second.toFixed(3)} ms  ratio ${ratio}\n`);
}

try {
  const change = { value: 0, version: 0, changedBy: 'login-timing' };
  await app.systemParameters.change({ key: loginPolicyParameters.accountFailureCount.key, ...change });
  for (const name of [known, unknown]) {
    for (let i = 0; i < 5; i += 1) await signIn(name, wrong, LOCKED_FROM);
  }
  process.stdout.write(`medians of ${PAIRS} pairs, BCrypt cost 10, embedded database\n`);
  await compare(
    'unknown name / wrong password',
    401,
    () => signIn(unknown, wrong),
    () => signIn(known, wrong),
  );
  await compare(
    'locked unknown / locked known',
    429,
    () => signIn(unknown, wrong, LOCKED_FROM),
    () => signIn(known, wrong, LOCKED_FROM),
  );
  await compare(
    'locked wrong / locked right',
    429,
    () => signIn(known, wrong, LOCKED_FROM),
    () => signIn(known, right, LOCKED_FROM),
  );
} finally {
  await app.close();
  await rm(folder, { recursive: true, force: true });
}
