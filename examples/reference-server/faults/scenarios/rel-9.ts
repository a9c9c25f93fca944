import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openGateway, type TestGateway } from '../message-gateway.js';
import { checkMessages, type MessageState } from '../messages-checker.js';
import { type ServerProcess, startServer } from '../server-process.js';
import { startWorkers, type WorkerCrew } from '../worker-process.js';
import { redisUrlFor, type Scenario, type Site } from './scenario.js';

const WORKERS = 2;
const LEASE_SECONDS = 1;

/** The message during which the worker is killed, and others queued behind it. */
const NUMBERS_A_ROUND = 3;

/** In every third round the message's second worker is killed as well. */
const TWICE_EVERY = 3;

/** The limit for every message to reach a final state, in milliseconds. */
const REST_LIMIT_MILLIS = 120_000;

/** The validity of the last round's codes, in seconds, and how long the gateway refuses them, in milliseconds. */
const SHORT_VALID_SECONDS = 3;
const REFUSAL_MILLIS = 5000;

const parameters = {
  'app.auth.sms.resend-seconds': 1,
  'app.auth.sms.valid-seconds': 3600,
  'app.auth.sms.ip-hourly-limit': 100_000,
  'app.auth.sms.captcha-after': 100_000,
  'app.auth.sms.mobile-captcha-after': 1000,
  'app.auth.sms.mobile-daily-limit': 1000,
  'app.auth.sms.region-hourly-limit': 1_000_000,
  'app.auth.sms.overall-hourly-limit': 1_000_000,
  'app.auth.sms.low-use-percent': 0,
};

/** REL-9: workers are killed after the gateway receives a message and before it answers. */
export const rel9: Scenario = {
  name: 'rel-9',
  meaning: 'notification workers killed between send and acknowledgement; --kills 20',
  stores: ['postgres', 'redis'],
  async run(site, { kills }) {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-faults-'));
    const gateway = await openGateway();
    const environment = environmentOf(site, folder, gateway.url);
    const server = await startServer(environment);
    const workers = startWorkers(environment, WORKERS);
    try {
      const token = String((await server.signIn()).body.data?.token);
      for (const [key, value] of Object.entries(parameters)) await setParameter(server, token, key, value);
      for (let round = 1; round <= kills; round += 1) {
        site.say(`kill ${round} of ${kills}`);
        await killAfterSend(server, gateway, workers, round);
        // Wait, so that the next round's kill cannot interrupt a message of this round a second time.
        await untilRest(server, token);
      }
      await untilRest(server, token);
      await sendTooLate(server, gateway, token);
      const messages = await untilRest(server, token);
      const signIn = (mobile: string, smsCode: string) =>
        server.call('/app/auth/login', { method: 'POST', body: { mobile, smsCode, terminal: 'app' } });
      return [await checkMessages({ store: site.store, kills, messages, requests: gateway.requests, signIn })];
    } finally {
      await workers.close();
      await server.kill();
      await gateway.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

function environmentOf(site: Site, folder: string, gatewayUrl: string): Record<string, string> {
  const { databaseUrl } = site;
  const redisUrl = redisUrlFor(site);
  return {
    SERVICE_PROFILE: 'development',
    SERVICE_DATA_DIR: folder,
    SERVICE_DATABASE_URL: databaseUrl,
    SERVICE_NOTIFICATION_WORKER: 'separate',
    SERVICE_NOTIFICATION_LEASE_SECONDS: String(LEASE_SECONDS),
    SERVICE_NOTIFICATION_GATEWAY_URL: gatewayUrl,
    SERVICE_NOTIFICATION_GATEWAY_BODY: '{"mobile":"{{mobile}}","code":"{{code}}"}',
    SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000000',
    SERVICE_RATE_LIMIT_APP_LOGIN_MAX_REQUESTS: '1000000',
    ...(redisUrl !== null && {
      SERVICE_REDIS_URL: redisUrl,
      SERVICE_REDIS_KEY_PREFIX: `faults-${randomBytes(6).toString('hex')}:`,
    }),
  };
}

async function setParameter(server: ServerProcess, token: string, key: string, value: number): Promise<void> {
  const path = `/admin/system-parameters/${key}`;
  const { version } = (await server.call(path, { token })).body.data ?? {};
  const { status } = await server.call(path, { method: 'PUT', token, body: { value, version } });
  if (status !== 200) throw new Error(`${key} could not be set: ${status}`);
}

let lastNumber = 13_700_000_000;

const freshNumbers = () => Array.from({ length: NUMBERS_A_ROUND }, () => `+86${++lastNumber}`);

async function askForCode(server: ServerProcess, mobile: string): Promise<void> {
  const { status, body } = await server.call('/app/auth/sendSmsCode', { method: 'POST', body: { mobile } });
  if (status !== 202) throw new Error(`no code was sent: ${status} ${body.code}`);
}

/** Kills every worker after a message reaches the gateway and before the answer. */
async function killAfterSend(
  server: ServerProcess,
  gateway: TestGateway,
  workers: WorkerCrew,
  round: number,
): Promise<void> {
  const [mobile, ...others] = freshNumbers() as [string, ...string[]];
  let left = round % TWICE_EVERY === 0 ? 2 : 1;
  const killed = new Promise<void>((resolve) => {
    gateway.answer = ({ body }) => {
      if (left === 0 || body.mobile !== mobile) return 200;
      left -= 1;
      workers.killAll();
      if (left === 0) resolve();
      return 'silence';
    };
  });
  await askForCode(server, mobile);
  await Promise.all(others.map((other) => askForCode(server, other)));
  await killed;
  // Request a newer code for one number while its older code may still be sent a second time.
  await sleep(1000);
  await askForCode(server, round % 2 === 0 ? mobile : others[0]!);
}

/** Lets codes expire while the gateway refuses them. The gateway accepts requests again afterwards. */
async function sendTooLate(server: ServerProcess, gateway: TestGateway, token: string): Promise<void> {
  await setParameter(server, token, 'app.auth.sms.valid-seconds', SHORT_VALID_SECONDS);
  gateway.answer = () => 503;
  await Promise.all(freshNumbers().map((mobile) => askForCode(server, mobile)));
  await sleep(REFUSAL_MILLIS);
  gateway.answer = () => 200;
}

const PENDING = ['queued', 'sending', 'retrying'];

async function untilRest(server: ServerProcess, token: string): Promise<MessageState[]> {
  for (const deadline = Date.now() + REST_LIMIT_MILLIS; ; await sleep(250)) {
    const messages = await listMessages(server, token);
    if (!messages.some(({ state }) => PENDING.includes(state))) return messages;
    if (Date.now() > deadline) return messages;
  }
}

async function listMessages(server: ServerProcess, token: string): Promise<MessageState[]> {
  const found: MessageState[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await server.call(`/admin/notifications?size=200&page=${page}`, { token });
    const items = body.data as unknown as MessageState[];
    found.push(...items);
    if (items.length < 200) return found;
  }
}
