// `node bench/app-login-timing.mjs [pairs]`: measures whether response times reveal which mobile numbers have a user
// (APP-1, APP-3). After a warm-up, the same server answers one request of each kind per pair. The script prints both
// medians, their ratio, and in how many pairs the first was slower. Build first: `pnpm build`. It asserts nothing,
// because timings on a shared machine are unreliable.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loginPolicyParameters } from '@sallyport/login-policy';
import { buildApp } from '../dist/app.js';
import { readConfig } from '../dist/config/config.js';
import { smsParameters } from '../dist/modules/one-time-codes/parameters.js';
import { compareTimes, WARM_UP } from './paired-times.mjs';

const PAIRS = Number(process.argv[2] ?? 300);
const PASSWORD = 'a'.repeat(64);
const WRONG = 'f'.repeat(64);

const folder = await mkdtemp(join(tmpdir(), 'sallyport-timing-'));
const app = await buildApp(
  readConfig({
    SERVICE_PROFILE: 'development',
    SERVICE_LOG_LEVEL: 'silent',
    SERVICE_DATA_DIR: folder,
    SERVICE_AUTH_PASSWORD_BCRYPT_COST: '10',
    SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000000',
    SERVICE_RATE_LIMIT_APP_LOGIN_MAX_REQUESTS: '1000000',
    SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000',
    SERVICE_FLOOD_GATE_MAX_REQUESTS: '10000000',
  }),
);

let addresses = 0;
/** Returns a new address for every request, so that none is locked or rate-limited. */
const freshAddress = () => `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
let numbers = 13_800_000_000;
const freshMobile = () => `+86${++numbers}`;

async function post(url, payload, headers = {}) {
  const began = performance.now();
  const response = await app.inject({ method: 'POST', url, payload, headers, remoteAddress: freshAddress() });
  return { response, statusCode: response.statusCode, millis: performance.now() - began };
}
const signIn = (credentials) => post('/app/auth/login', { ...credentials, terminal: 'app' });
const send = (mobile) => post('/app/auth/sendSmsCode', { mobile });

async function nextCode(mobile) {
  const read = async () => (await app.inject(`/dev/sms-outbox?mobile=${encodeURIComponent(mobile)}`)).json().data;
  const before = (await read()).length;
  await send(mobile);
  for (;;) {
    const messages = await read();
    if (messages.length > before) return messages[0].code;
    await sleep(5);
  }
}

/** Adds a user, with or without a password. */
async function addUser(withPassword) {
  const mobile = freshMobile();
  const { response } = await signIn({ mobile, smsCode: await nextCode(mobile) });
  if (withPassword) {
    await sleep(1100);
    const headers = { authorization: `Bearer ${response.json().data.token}` };
    const payload = { newPassword: PASSWORD, smsCode: await nextCode(mobile) };
    await app.inject({ method: 'PUT', url: '/app/profile/password', headers, payload });
  }
  return mobile;
}

const compare = (...comparison) => compareTimes(PAIRS, ...comparison);

try {
  const set = ({ key }, value) =>
    app.systemParameters.change({ key, value, version: 0, changedBy: 'app-login-timing' });
  await set(loginPolicyParameters.accountFailureCount, 0);
  await set(loginPolicyParameters.failureCount, 100);
  await set(smsParameters.resendSeconds, 1);
  await set(smsParameters.overallHourlyLimit, 10_000_000);
  await set(smsParameters.regionHourlyLimit, 10_000_000);
  await set(smsParameters.ipHourlyLimit, 100_000);
  await set(smsParameters.captchaAfter, 100_000);
  await set(smsParameters.mobileCaptchaAfter, 1000);
  await set(smsParameters.ipWrongDailyLimit, 100_000);
  await set(smsParameters.overallWrongDailyLimit, 1_000_000);
  const known = await addUser(true);
  const codesOnly = await addUser(false);
  // Both kinds have requested a code before, so that they differ only in having a user.
  const users = [];
  const strangers = [];
  for (let i = -WARM_UP; i < PAIRS; i += 1) {
    users.push(await addUser(false));
    strangers.push(freshMobile());
    await nextCode(strangers.at(-1));
  }
  await sleep(1100);

  process.stdout.write(`medians of ${PAIRS} pairs, BCrypt cost 10, embedded database\n`);
  const byPassword = (mobile) => () => signIn({ mobile, password: WRONG });
  await compare('password: unknown number / known', 401, () => byPassword(freshMobile())(), byPassword(known));
  await compare(
    'password: unknown number / user without one',
    401,
    () => byPassword(freshMobile())(),
    byPassword(codesOnly),
  );
  const next =
    (list, index = { at: 0 }) =>
    () =>
      list[index.at++ % list.length];
  for (const list of [users, strangers]) for (const mobile of list) await send(mobile);
  await sleep(1100);
  const byCode = (nextOf) => () => signIn({ mobile: nextOf(), smsCode: '000000' });
  await compare('code: unknown number / known', 401, byCode(next(strangers)), byCode(next(users)));
  const [stranger, user] = [next(strangers), next(users)];
  await compare(
    'sendSmsCode: unknown number / known',
    202,
    () => send(stranger()),
    () => send(user()),
  );
} finally {
  await app.close();
  await rm(folder, { recursive: true, force: true });
}
