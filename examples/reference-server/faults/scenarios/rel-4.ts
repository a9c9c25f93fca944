import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { developmentAccount, passwordToSend } from '../../src/modules/administrators/index.js';
import { type ApiAnswer, type ApiRequest, callApi, callFor } from '../api-client.js';
import type { Violation } from '../history-checker.js';
import type { Finding } from '../observed-run.js';
import { readServiceKey, sealGet } from '../sealed-copy.js';
import { cheapProofs, solvedCaptcha } from '../solved-captcha.js';
import type { Scenario, Site } from './scenario.js';
import { type SharedFleet, setParameters, startSharedFleet, uploadText } from './shared-fleet.js';
import { codeFor } from './sms-code.js';

const COPIES = 50;

/** The limit for a changed parameter to apply on every node, in milliseconds (SYS-3). */
const EVERYWHERE_MILLIS = 2000;

/** High limits, so that the rate limit refuses none of the copies. */
const parameters = {
  'admin.auth.login.failure-count': 100,
  'admin.auth.login.account-failure-count': 0,
  'admin.auth.login.ip-failure-count': 0,
  'app.auth.sms.resend-seconds': 1,
  'app.auth.sms.max-attempts': 20,
  'app.auth.sms.mobile-daily-limit': 100,
  'app.auth.sms.ip-hourly-limit': 100_000,
  'app.auth.sms.overall-hourly-limit': 1_000_000,
  'app.auth.sms.captcha-after': 100_000,
  'app.auth.sms.mobile-captcha-after': 1000,
  'app.auth.sms.region-hourly-limit': 1_000_000,
  'app.auth.sms.low-use-percent': 0,
  ...cheapProofs,
};

/** Parallel copies of one request, of which exactly one may take effect. */
interface Race {
  /** Creates a single-use object, and returns the request that uses it. */
  prepare(): Promise<{ readonly path: string; readonly request?: ApiRequest }>;
  isDone(answer: ApiAnswer): boolean;
  /** The number of rows created, if the request creates any. It must be one. */
  effects?(path: string, request: ApiRequest): Promise<number>;
}

/** REL-4: parallel copies of a request are sent to two nodes on one store. Exactly one takes effect. */
export const rel4: Scenario = {
  name: 'rel-4',
  meaning: `${COPIES} parallel copies over two nodes of an envelope, a key, a code, a captcha, a ticket, a first sign-in`,
  stores: ['postgres', 'redis', 'redis-cluster'],
  async run(site, { rounds }) {
    const shared = await startSharedFleet(site);
    try {
      return await raceCopies(site, shared, rounds);
    } finally {
      await shared.close();
    }
  },
};

/** Runs the scenario on nodes that are already running. Afterwards every administrator sign-in needs a captcha. */
export async function raceCopies(site: Site, shared: SharedFleet, rounds: number): Promise<Finding[]> {
  const sql = postgres(site.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await setParameters(shared.origins[0], shared.token, parameters);
    await sleep(EVERYWHERE_MILLIS);
    const findings: Finding[] = [];
    for (const [what, race] of Object.entries(races(shared, sql))) {
      site.say(`${COPIES} copies of one ${what}, ${rounds} rounds`);
      findings.push(await run(site, shared, what, race, rounds));
    }
    return findings;
  } finally {
    await sql.end();
  }
}

async function run(site: Site, { origins }: SharedFleet, what: string, race: Race, rounds: number): Promise<Finding> {
  const violations: Violation[] = [];
  const counts = { acknowledged: 0, rows: 0, slowestMillis: 0 };
  for (let round = 1; round <= rounds; round += 1) {
    const { path, request = {} } = await race.prepare();
    const answers = await Promise.all(
      Array.from({ length: COPIES }, (_, index) => callApi(origins[index % 2]!, path, request)),
    );
    const done = answers.filter(race.isDone).length;
    const rows = (await race.effects?.(path, request)) ?? done;
    counts.acknowledged += done;
    counts.rows += rows;
    counts.slowestMillis = Math.max(counts.slowestMillis, ...answers.map(({ millis }) => millis));
    const detail = `${done} told done, ${rows} effects; ${JSON.stringify(tally(answers))}`;
    const key = `${what} ${round}`;
    if (done > 1 || rows > 1) violations.push({ kind: 'effect-twice', key, detail });
    if (done === 0 || rows === 0) violations.push({ kind: 'effect-never', key, detail });
  }
  return {
    scenario: 'REL-4',
    store: site.store,
    fault: `${COPIES} copies: ${what}`,
    times: rounds,
    keys: rounds,
    attempts: rounds * COPIES,
    submitted: 0,
    unknown: 0,
    ...counts,
    slowestMillis: Math.round(counts.slowestMillis),
    violations,
  };
}

function tally(answers: readonly ApiAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) counts[`${status} ${code}`] = (counts[`${status} ${code}`] ?? 0) + 1;
  return counts;
}

const isOk = ({ status }: ApiAnswer) => status === 200;

function races({ origins: [origin], token }: SharedFleet, sql: postgres.Sql): Record<string, Race> {
  const captchaSwitch = (isOn: boolean) => setParameters(origin, token, { 'admin.auth.captcha.enabled': isOn });
  const usersOf = async (mobile: string) => (await sql`select 1 from app_users where mobile = ${mobile}`).length;
  const appSignIn = (mobile: string, smsCode: string) => ({
    path: '/app/auth/login',
    request: { body: { mobile, smsCode, terminal: 'app' } },
  });
  const administrator = {
    username: developmentAccount.username,
    password: passwordToSend(developmentAccount.password),
    terminal: 'web',
  };

  return {
    envelope: {
      async prepare() {
        const key = await readServiceKey(origin);
        return sealGet(key, '/admin/profile', token, key.serverTime);
      },
      isDone: isOk,
    },
    'idempotency key': {
      async prepare() {
        const body = { payee: `race ${randomUUID()}`, amount: '1.00' };
        return { path: '/admin/payments', request: { token, body, headers: { 'idempotency-key': randomUUID() } } };
      },
      isDone: ({ status }) => status === 201,
      effects: async (_path, { body }) =>
        (await sql`select 1 from payments where payee = ${(body as { payee: string }).payee}`).length,
    },
    'first sign-in': {
      async prepare() {
        const mobile = freshNumber();
        return appSignIn(mobile, await codeFor(origin, mobile));
      },
      isDone: isOk,
      effects: (_path, { body }) => usersOf((body as { mobile: string }).mobile),
    },
    'SMS code': {
      async prepare() {
        const mobile = freshNumber();
        const first = appSignIn(mobile, await codeFor(origin, mobile));
        await callFor(200, origin, first.path, first.request);
        return appSignIn(mobile, await codeFor(origin, mobile));
      },
      isDone: isOk,
    },
    ticket: {
      async prepare() {
        const id = await uploadText(origin, token);
        const body = { purpose: 'storage:download', resource: id };
        const { ticket } = await callFor(201, origin, '/auth/tickets', { token, body });
        return { path: `/public/storage/download?id=${id}&ticket=${ticket}` };
      },
      isDone: isOk,
    },
    // This race is last, because every later sign-in needs a captcha.
    captcha: {
      async prepare() {
        const { enabled } = await callFor(200, origin, '/admin/auth/captcha');
        if (!enabled) {
          await captchaSwitch(true);
          await sleep(EVERYWHERE_MILLIS);
        }
        const captcha = await solvedCaptcha(origin, 'login');
        return { path: '/admin/auth/login', request: { body: { ...administrator, ...captcha } } };
      },
      isDone: isOk,
    },
  };
}

let lastNumber = 13_600_000_000;

const freshNumber = () => `+86${++lastNumber}`;
