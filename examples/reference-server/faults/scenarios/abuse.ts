import bcrypt from 'bcryptjs';
import postgres from 'postgres';
import { type Property, settings } from '../../src/config/settings.js';
import { createCaptchaDesk } from '../abuse/captcha-desk.js';
import { type Clock, movedClock, realClock } from '../abuse/clock.js';
import { codeCast } from '../abuse/code-cast.js';
import { createHttpClient } from '../abuse/http-client.js';
import { passwordCast } from '../abuse/password-cast.js';
import { runAbuse } from '../abuse/run-abuse.js';
import { createStage } from '../abuse/stage.js';
import { openGateway, type TestGateway } from '../message-gateway.js';
import { createMovedClock } from '../moved-clock.js';
import { startFleet } from '../node.js';
import type { Finding } from '../observed-run.js';
import { shipped } from '../shipped-settings.js';
import { openVolatileStore, type VolatileStore } from '../volatile-store.js';
import { type Scenario, type Site, volatileStateOf } from './scenario.js';

/** The limits that the harness raises for other scenarios. Here they are as shipped. */
const SHIPPED: readonly Property[] = [
  'rate-limit.max-requests',
  'rate-limit.login.max-requests',
  'rate-limit.captcha.max-requests',
  'flood-gate.max-requests',
];

/** Enough numbers for a day behind one address, and some for a run of minutes. */
const CARRIER_USERS = 3000;
const CARRIER_USERS_A_MINUTE = 2;

/**
 * Minutes from one sign-in of an owner under attack to the next: once an hour, all day and night. A short run has him
 * sign in more often, so that it sees something; but not more than ten times a day, after which a number whose messages
 * a stranger uses up gets one in 30 minutes.
 */
const OWNER_EVERY = 60;
const OWNER_EVERY_SHORTLY = 8;
const MINUTES_OF_SHORT_RUN = 72;

/**
 * Requests at once. A minute of a moved clock lasts a second or two: its requests must not all wait in the server,
 * which refuses with 503 what waits for a second.
 */
const MAX_IN_FLIGHT = 24;

const LEASE_SECONDS = 10;

const HASHES_TIMED = 5;

/**
 * LGN-11 to LGN-13, OTC-1 to OTC-3, CAP-1, CAP-2: attackers and honest users at default settings, on two nodes that
 * share their stores. `--hours` by moved clocks, with cheap hashes, so that a day takes minutes; then `--minutes` by
 * the real clock, with hashes of the default cost.
 */
export const abuse: Scenario = {
  name: 'abuse',
  meaning: 'guessers, pumpers, code thieves, captcha readers; --hours 25 --minutes 10 --reader-percent 3',
  stores: ['postgres', 'redis'],
  async run(site, { hours, minutes, readerPercent }) {
    const findings: Finding[] = [];
    const options = { readerShare: readerPercent / 100 };
    if (hours > 0) findings.push(await runMoved(site, Math.round(hours * 60), options));
    try {
      if (minutes > 0) findings.push(await runReal(await withNewDatabase(site), minutes, options));
    } catch (error) {
      // The run before took long: its findings must not be lost.
      process.exitCode = 1;
      site.say(`BROKE OFF: ${(error as Error).stack}`);
    }
    return findings;
  },
};

interface AbuseOptions {
  readonly readerShare: number;
}

async function runMoved(site: Site, minutes: number, options: AbuseOptions): Promise<Finding> {
  const moved = await createMovedClock(site);
  try {
    return await attackFleet(site, movedClock(moved), minutes, options, moved.environment);
  } finally {
    await moved.close();
  }
}

function runReal(site: Site, minutes: number, options: AbuseOptions): Promise<Finding> {
  return attackFleet(site, realClock(), minutes, options, shipped('auth.password.bcrypt-cost'));
}

/** The run before has changed the clock of its database. */
async function withNewDatabase(site: Site): Promise<Site> {
  const url = new URL(site.databaseUrl);
  const name = `${url.pathname.slice(1)}-real`;
  const sql = postgres(site.databaseUrl, { max: 1 });
  try {
    await sql`create database ${sql(name)}`;
  } finally {
    await sql.end();
  }
  return { ...site, databaseUrl: Object.assign(url, { pathname: `/${name}` }).href };
}

async function attackFleet(
  site: Site,
  clock: Clock,
  minutes: number,
  { readerShare }: AbuseOptions,
  environment: Environment,
): Promise<Finding> {
  const gateway = await openGateway();
  try {
    return await attackNodes({ site, clock, minutes, readerShare, environment, gateway });
  } finally {
    // Also if the nodes did not start: an open gateway keeps the process alive.
    await gateway.close();
  }
}

interface AttackedNodes extends AbuseOptions {
  readonly site: Site;
  readonly clock: Clock;
  readonly minutes: number;
  readonly environment: Environment;
  readonly gateway: TestGateway;
}

async function attackNodes(attacked: AttackedNodes): Promise<Finding> {
  const { site, clock, minutes, readerShare, environment, gateway } = attacked;
  const fleet = await startFleet({
    databaseUrl: site.databaseUrl,
    ...volatileStateOf(site),
    store: 'postgres',
    leaseSeconds: LEASE_SECONDS,
    nodes: 2,
    isShipped: true,
    environment: { ...shipped(...SHIPPED), ...throughGateway(gateway), ...environment },
  });
  const store = openVolatileStore(site, fleet.keyPrefix);
  const client = createHttpClient(MAX_IN_FLIGHT);
  try {
    const origins = fleet.nodes.map(({ origin }) => origin);
    const stage = createStage({
      origins,
      client,
      token: await fleet.signIn(),
      clock,
      gateway,
      captchas: (call) => createCaptchaDesk(call, (key) => readText(store, key)),
    });
    const ownerEvery = minutes < MINUTES_OF_SHORT_RUN ? OWNER_EVERY_SHORTLY : OWNER_EVERY;
    const carrierUsers = Math.min(CARRIER_USERS, CARRIER_USERS_A_MINUTE * minutes);
    const casts = [await passwordCast(stage, origins[0]!), codeCast(stage, { readerShare, carrierUsers, ownerEvery })];
    return await runAbuse({
      site,
      cast: { attacks: casts.flatMap(({ attacks }) => attacks), honest: casts.flatMap(({ honest }) => honest) },
      clock,
      minutes,
      pids: fleet.nodes.map((node) => node.pid()),
      messages: () => gateway.requests.length,
      hashSeconds: timeOneHash(),
    });
  } finally {
    client.close();
    await store.close();
    await fleet.close();
  }
}

type Environment = Readonly<Record<string, string>>;

/** Clients are told apart by the address that the proxy before the nodes writes: here, the harness itself. */
function throughGateway({ url }: TestGateway): Environment {
  return {
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    SERVICE_NOTIFICATION_GATEWAY_URL: url,
    SERVICE_NOTIFICATION_GATEWAY_BODY: '{"mobile":"{{mobile}}","code":"{{code}}"}',
  };
}

/** What the engine of the captchas keeps under a key. */
async function readText(store: VolatileStore, key: string): Promise<string | null> {
  const value = await store.read(`captcha:${key}`);
  return value === null ? null : ((JSON.parse(value) as { readonly text?: string }).text ?? null);
}

/** The time of a comparison at the default cost on this machine, in seconds: the shortest, since others use it, too. */
function timeOneHash(): number {
  const hash = bcrypt.hashSync('a password', settings['auth.password.bcrypt-cost'].default);
  const times = Array.from({ length: HASHES_TIMED }, () => {
    const began = performance.now();
    bcrypt.compareSync('a password', hash);
    return (performance.now() - began) / 1000;
  });
  return Math.min(...times);
}
