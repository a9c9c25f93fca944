// `node bench/login-timing.mjs [pairs]`: measures whether response times of the sign-in reveal what its answers must
// not (ADM-3, LGN-3). After a warm-up, the same server answers one request of each kind per pair. The script prints
// both medians, their ratio, and in how many pairs the first was slower. Build first: `pnpm build`. It asserts nothing,
// because timings on a shared machine are unreliable.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginPolicyParameters } from '@sallyport/login-policy';
import { buildApp } from '../dist/app.js';
import { readConfig } from '../dist/config/config.js';
import { developmentAccount, passwordToSend } from '../dist/modules/administrators/development-account.js';
import { compareTimes } from './paired-times.mjs';

const PAIRS = Number(process.argv[2] ?? 300);

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

/** Each guess has a new address, so that none is locked. */
let addresses = 0;
const freshAddress = () => `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;

async function signIn(username, password, remoteAddress = freshAddress()) {
  const payload = { username, password, terminal: 'web' };
  const began = performance.now();
  const { statusCode } = await app.inject({ method: 'POST', url: '/admin/auth/login', payload, remoteAddress });
  return { statusCode, millis: performance.now() - began };
}

const compare = (...comparison) => compareTimes(PAIRS, ...comparison);

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
