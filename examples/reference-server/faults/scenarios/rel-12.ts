import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { createRedisProcess, type RedisProcess } from '../../../../scripts/redis-process.js';
import { type AuditFault, auditFaults, type FaultSite } from '../audit-faults.js';
import { lastRecord } from '../audit-log-reader.js';
import { AFTER_LEASE_MILLIS, checkChain, judgeCell, untilServing } from '../audited-cell.js';
import { noteAccounts, requestsOfEach, setLoadParameters } from '../audited-fleet.js';
import { openDiskFor } from '../database-disk.js';
import type { Violation } from '../history-checker.js';
import { type Fleet, startFleet } from '../node.js';
import type { Finding } from '../observed-run.js';
import { checkRows } from '../reconciled-rows.js';
import { type RedisWatch, startRedisWatch } from '../redis-watch.js';
import { type Ask, installShadow, lastShadow } from '../shadow.js';
import type { SmallDisk } from '../small-disk.js';
import { type AccountNames, createAccountNames } from '../state-changes.js';
import { checkContents } from '../stored-contents.js';
import { prepareWritingLoad, readWritingOperations, untriedOperations } from '../writing-load.js';
import { type LoadContext, loadEnvironment } from '../writing-operations.js';
import { runEmbedded } from './rel-12-embedded.js';
import type { Counts, Scenario, Site } from './scenario.js';

const LEASE_SECONDS = 5;

/** How long everything may take to be at rest and in the chain again, in milliseconds: far longer than two sweeps. */
const REST_LIMIT_MILLIS = 60_000;

/** REL-12: every kind of change, while the audit log can't be written in each way. */
export const rel12: Scenario = {
  name: 'rel-12',
  meaning:
    'every kind of change: tables of the log locked, kills, Redis away, disk full; --seconds, --crashes, --rounds',
  stores: ['redis', 'postgres', 'embedded'],
  run: (site, counts) => (site.store === 'embedded' ? runEmbedded(site, counts) : runOnServices(site, counts)),
};

/** One lock of one second, and longer ones. */
const lockSeconds = ({ seconds }: Pick<Counts, 'seconds'>) => [...new Set([1, Math.min(3, seconds), seconds])];

/** Runs the faults, all of them by default, on two nodes. */
export async function runOnServices(
  site: Site,
  counts: Counts,
  faults: readonly AuditFault[] = auditFaults,
): Promise<Finding[]> {
  const disk = await openDiskFor(site);
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-redis-data-'));
  try {
    const redis = site.store === 'redis' ? await startKeepingRedis(folder) : null;
    try {
      return await runOnDisk(site, counts, faults, { disk: disk?.disk ?? null, redis });
    } finally {
      await redis?.kill();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
    await disk?.close();
  }
}

interface Services {
  readonly disk: SmallDisk | null;
  readonly redis: RedisProcess | null;
}

async function runOnDisk(
  site: Site,
  counts: Counts,
  faults: readonly AuditFault[],
  { disk, redis }: Services,
): Promise<Finding[]> {
  const fleet = await startFleet({
    databaseUrl: site.databaseUrl,
    redisUrl: redis?.url ?? null,
    store: 'postgres',
    leaseSeconds: LEASE_SECONDS,
    nodes: 2,
    isShipped: true,
    environment: loadEnvironment,
  });
  const ask = askPostgres(site.databaseUrl);
  const watch = redis && (await startRedisWatch(redis.url, fleet.keyPrefix));
  try {
    const names = createAccountNames();
    const origin = fleet.nodes[0]!.origin;
    const token = await fleet.signIn();
    await noteAccounts(ask, names);
    await installShadow(ask);
    await setLoadParameters(origin, token);
    const faultSite: FaultSite = {
      databaseUrl: site.databaseUrl,
      postgres: site.postgres,
      fleet,
      redis: redis && { process: redis, watch: watch! },
      disk,
      lockSeconds: lockSeconds(counts),
      crashes: counts.crashes,
    };
    const context = { origin, token };
    const untried = untriedOperations(await readWritingOperations(origin));
    const findings: Finding[] = [];
    // What was stored before the first cell, such as the session of the harness.
    watch?.take();
    for (const fault of faults) {
      const reason = fault.unavailable(faultSite);
      site.say(reason === null ? fault.name : `${fault.name}: NOT RUN, ${reason}`);
      if (reason !== null) continue;
      const cell = { site, faultSite, fault, ask, watch, names, context, counts, fleet };
      findings.push(await runCell(cell, findings.length === 0 ? untried : []));
    }
    return findings;
  } finally {
    watch?.close();
    await fleet.close();
  }
}

/** Redis with its data in a file, synced before each answer, so that a stop loses nothing. */
async function startKeepingRedis(folder: string): Promise<RedisProcess> {
  const redis = await createRedisProcess('--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder);
  await redis.start();
  return redis;
}

/** Each statement has its own connection: PostgreSQL is stopped in between. */
function askPostgres(databaseUrl: string): Ask {
  return async function ask<Row>(statement: string): Promise<readonly Row[]> {
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    try {
      return (await sql.unsafe(statement)) as unknown as readonly Row[];
    } finally {
      await sql.end();
    }
  };
}

interface CellRun {
  readonly site: Site;
  readonly faultSite: FaultSite;
  readonly fault: AuditFault;
  readonly ask: Ask;
  readonly watch: RedisWatch | null;
  readonly names: AccountNames;
  readonly context: LoadContext;
  readonly counts: Counts;
  readonly fleet: Fleet;
}

async function runCell(run: CellRun, known: readonly Violation[]): Promise<Finding> {
  const { site, faultSite, fault, ask, watch, names, context, counts, fleet } = run;
  await untilRest(ask);
  const after = { shadow: await lastShadow(ask), record: await lastRecord(ask) };
  const origins = fleet.nodes.map(({ origin }) => origin);
  const giveUpMillis = 3 * (fleet.leaseMillis + AFTER_LEASE_MILLIS);
  const load = await prepareWritingLoad({ origins, context, each: requestsOfEach(counts), giveUpMillis });
  let times = 0;
  await load.send(
    async (burst) => {
      times = await fault.inject(faultSite, burst);
    },
    { lastsMillis: fault.lasts(faultSite), bursts: fault.times(faultSite) },
  );
  const violations = [
    ...known,
    ...fleet.nodes.filter((node) => !node.isRunning()).map(endedNode),
    ...(await untilServing(origins, context.token, REST_LIMIT_MILLIS)),
    ...(await untilRest(ask)),
    ...(await checkOwnLog(site.databaseUrl)),
    ...(await checkContents(context.origin, context.token, load.uploads)),
  ];
  const cell = { fault: fault.name, times, store: site.store, load, leaseMillis: fleet.leaseMillis, after, names };
  return judgeCell(ask, { ...cell, values: watch?.take() ?? [], violations });
}

const endedNode = ({ origin }: { origin: string }): Violation => ({
  kind: 'node-ended',
  key: origin,
  detail: 'though nobody stopped it',
});

/** Waits until no statement of the nodes waits, and every record is in the chain. */
async function untilRest(ask: Ask): Promise<Violation[]> {
  const deadline = performance.now() + REST_LIMIT_MILLIS;
  let quiet = 0;
  for (;;) {
    const [found] = await ask<{ pending: number; busy: number }>(`
      select (select count(*) from audit_pending)::int as pending,
        (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and state <> 'idle' and state_change < now() - interval '300 milliseconds')::int as busy`);
    quiet = found!.pending + found!.busy === 0 ? quiet + 1 : 0;
    if (quiet === 3) return [];
    if (performance.now() > deadline) {
      return [{ kind: 'audit-record-waits', key: 'audit_pending', detail: `${found!.pending}, ${found!.busy} busy` }];
    }
    await sleep(300);
  }
}

async function checkOwnLog(databaseUrl: string): Promise<Violation[]> {
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    return [...(await checkChain(drizzle(sql))), ...(await checkRows(drizzle(sql))).found];
  } finally {
    await sql.end();
  }
}
