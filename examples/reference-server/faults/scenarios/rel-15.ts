import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { serverEntry } from '../../../../scripts/build.mjs';
import { freePort } from '../../../../scripts/free-port.mjs';
import { USUAL_REMEDY } from '../../../../scripts/pgbouncer-process.js';
import {
  type Driver,
  driversAndWays,
  POSTGRES_JS_OPTIONS,
  type PoolerSettings,
  poolerOf,
  type Way,
} from '../../../../scripts/pooler-ways.js';
import type { FaultSite } from '../audit-faults.js';
import type { Violation, ViolationKind } from '../history-checker.js';
import type { LoadClient } from '../load-client.js';
import { type Fleet, startFleet } from '../node.js';
import { type Finding, observe } from '../observed-run.js';
import { poolOfNode, watchPools } from '../pool-watch.js';
import { openPoolerRoute, type PoolerFault, type PoolerRoute, poolerFaults } from '../pooler-faults.js';
import { AUDIT_KEY } from '../tables.js';
import type { Counts, Scenario, Site } from './scenario.js';
import { underLoad } from './under-load.js';

const LEASE_SECONDS = 3;

/** Before and after a fault, in milliseconds. */
const PAUSE_MILLIS = 500;

const packagesServer = new URL('../dist/packages-server.js', import.meta.url);

/** What stands between the server and PostgreSQL, each in both modes. */
const serverPoolers: readonly (PoolerSettings & { readonly name: string })[] = (
  ['session', 'transaction'] as const
).flatMap((mode) => [
  { mode, name: `${mode}, defaults`, lines: ['default_pool_size = 40'] },
  {
    mode,
    name: `${mode}, parameters ignored`,
    lines: [`default_pool_size = ${mode === 'session' ? 40 : 3}`, USUAL_REMEDY],
  },
]);

export interface PoolerRun {
  /** Default: all of them. */
  readonly faults?: readonly PoolerFault[];
  readonly cells?: readonly (readonly [Driver, Way])[];
  readonly poolers?: readonly string[];
}

/**
 * REL-15: PgBouncer between PostgreSQL and the packages, with either driver, and between PostgreSQL and the server,
 * which refuses its start there, and meets a pooler only if one comes while it runs.
 */
export const rel15: Scenario = {
  name: 'rel-15',
  meaning: 'PgBouncer in both modes: drivers × poolers × faults; starts refused; a pooler that comes; --crashes',
  stores: ['postgres'],
  run: (site, counts) => runBehindPoolers(site, counts),
};

export async function runBehindPoolers(
  site: Site,
  counts: Pick<Counts, 'crashes'>,
  { faults = poolerFaults, cells = driversAndWays, poolers = serverPoolers.map(({ name }) => name) }: PoolerRun = {},
): Promise<Finding[]> {
  const findings: Finding[] = [];
  await meanwhile(site.databaseUrl, async (databaseUrl) => {
    for (const [driver, way] of cells) {
      findings.push(...(await runPackages({ ...site, databaseUrl }, counts, { driver, way, faults })));
    }
  });
  const chosen = serverPoolers.filter(({ name }) => poolers.includes(name));
  findings.push(...(await runServer(site, counts, { poolers: chosen, faults })));
  return findings;
}

/** A database of its own, for as long as `work` lasts: the packages have other tables. */
async function meanwhile(databaseUrl: string, work: (databaseUrl: string) => Promise<void>): Promise<void> {
  const url = new URL(databaseUrl);
  const name = `${decodeURIComponent(url.pathname.slice(1))}-packages`;
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false });
  await sql`create database ${sql(name)}`;
  try {
    await work(Object.assign(url, { pathname: `/${name}` }).href);
  } finally {
    await sql`drop database ${sql(name)} with (force)`;
    await sql.end();
  }
}

async function runPackages(
  site: Site,
  { crashes }: Pick<Counts, 'crashes'>,
  { driver, way, faults }: { readonly driver: Driver; readonly way: Way; readonly faults: readonly PoolerFault[] },
): Promise<Finding[]> {
  const { databaseUrl } = site;
  const findings: Finding[] = [];
  await onRoute(databaseUrl, async (route) => {
    await route.lead(poolerOf(way));
    const environment = {
      FAULT_DRIVER: driver,
      FAULT_DRIVER_OPTIONS: JSON.stringify(driver === 'postgres.js' ? POSTGRES_JS_OPTIONS[way] : {}),
    };
    await onFleet(route, { program: packagesServer, environment }, async (fleet) => {
      for (const fault of faults) {
        if (way === 'direct' && fault.name === 'pooler restarted') continue;
        const store = `${driver}, ${way}`;
        site.say(`${store}: ${fault.name}`);
        const pools = await watchPools(poolsOf(fleet, way === 'direct' ? databaseUrl : null));
        const run = { site, store, fault: fault.name, fleet, token: 'nobody' };
        const finding = await observeFault(run, async (client) => {
          const times = await fault.inject(faultSiteOf(site, fleet, crashes), route);
          // Until a write succeeds again.
          await client.submit();
          return { times };
        });
        findings.push({
          ...finding,
          measured: `${finding.measured}, pools ${pools.before}`,
          violations: [...finding.violations, ...(await pools.changed())],
        });
      }
    });
  });
  return findings;
}

/** By the addresses of the nodes. A pooler has backends of its own. */
const poolsOf = ({ nodes }: Fleet, databaseUrl: string | null) =>
  Object.fromEntries(nodes.map(({ origin }) => [origin, poolOfNode(origin, databaseUrl)]));

/** The start behind each pooler, then nodes between whom and PostgreSQL it comes, under each fault, and goes again. */
async function runServer(
  site: Site,
  { crashes }: Pick<Counts, 'crashes'>,
  given: { readonly poolers: typeof serverPoolers; readonly faults: readonly PoolerFault[] },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  await onRoute(site.databaseUrl, async (route) => {
    for (const { name, ...pooler } of given.poolers) {
      await route.lead(pooler);
      findings.push(refusalFinding(`server, ${name}`, await startBehind(route.url)));
    }
    await route.lead(null);
    await onFleet(route, { isShipped: true }, async (fleet) => {
      const token = await fleet.signIn();
      for (const { name, ...pooler } of given.poolers) {
        for (const fault of given.faults) {
          const store = `server, ${name}`;
          site.say(`${store}: it comes, ${fault.name}`);
          const run = { site, store, fault: `pooler comes, ${fault.name}`, fleet, token };
          const finding = await observeFault(run, async (client) => {
            await sleep(PAUSE_MILLIS);
            await route.lead(pooler);
            await sleep(PAUSE_MILLIS);
            const isKill = fault.name === 'kill -9 of a node';
            const times = isKill ? 1 : await fault.inject(faultSiteOf(site, fleet, crashes), route);
            const violations = isKill ? await killBehind(fleet) : [];
            await sleep(PAUSE_MILLIS);
            await route.lead(null);
            for (const node of fleet.nodes) if (!node.isRunning()) await node.start();
            await client.submit();
            return { times, violations };
          });
          findings.push(withoutDelays(finding));
        }
      }
    });
  });
  return findings;
}

/** The killed node can't start again. The other one goes on. */
async function killBehind({ nodes: [node] }: Fleet): Promise<Violation[]> {
  await node!.kill();
  const hasStarted = await node!.start().then(
    () => true,
    () => false,
  );
  return hasStarted ? [{ kind: 'start-not-refused', key: node!.origin, detail: 'it serves behind the pooler' }] : [];
}

interface Observed {
  readonly site: Site;
  readonly store: string;
  readonly fault: string;
  readonly fleet: Fleet;
  readonly token: string;
}

async function observeFault(
  { site, store, fault, fleet, token }: Observed,
  harm: (client: LoadClient) => ReturnType<Parameters<typeof underLoad>[1]>,
): Promise<Finding> {
  const { databaseUrl, rules } = site;
  const run = { scenario: 'REL-15', fault, store: 'postgres', fleet, databaseUrl, token, rules } as const;
  const finding = await observe(run, (client) => underLoad(client, () => harm(client)));
  return { ...finding, store, measured: countsOf(finding.violations) };
}

/** What a pooler may do to an acknowledged write. */
const HARMS: Readonly<Record<string, readonly ViolationKind[]>> = {
  lost: ['acknowledged-without-row', 'acknowledged-other-row'],
  twice: ['row-twice', 'acknowledged-twice'],
  'without record': ['acknowledged-without-audit-record'],
};

function countsOf(violations: readonly Violation[]): string {
  const counts = Object.entries(HARMS).map(
    ([name, kinds]) => `${violations.filter(({ kind }) => kinds.includes(kind)).length} ${name}`,
  );
  return counts.join(', ');
}

/** The server refuses to start behind a pooler. Behind one that comes later it may be late and refuse, but not lose. */
function withoutDelays(finding: Finding): Finding {
  const isDelay = ({ kind }: Violation) => kind === 'late-answer' || kind === 'refused';
  const delays = finding.violations.filter(isDelay);
  if (delays.length === 0) return finding;
  const told = new Set(delays.filter(({ kind }) => kind === 'refused').map(({ detail }) => detail));
  const late = delays.filter(({ kind }) => kind === 'late-answer').length;
  return {
    ...finding,
    measured: `${finding.measured}, ${late} late, ${delays.length - late} refused ${[...told].join(', ')}`.trim(),
    violations: finding.violations.filter((violation) => !isDelay(violation)),
  };
}

async function onRoute(databaseUrl: string, work: (route: PoolerRoute) => Promise<void>): Promise<void> {
  const route = await openPoolerRoute(databaseUrl);
  try {
    await work(route);
  } finally {
    await route.close();
  }
}

async function onFleet(
  { url }: PoolerRoute,
  options: Partial<Parameters<typeof startFleet>[0]>,
  work: (fleet: Fleet) => Promise<void>,
): Promise<void> {
  const shape = { databaseUrl: url, redisUrl: null, store: 'postgres', leaseSeconds: LEASE_SECONDS, nodes: 2 } as const;
  const fleet = await startFleet({ ...shape, ...options });
  try {
    await work(fleet);
  } finally {
    await fleet.close();
  }
}

const faultSiteOf = ({ databaseUrl, postgres: own }: Site, fleet: Fleet, crashes: number): FaultSite => ({
  ...{ databaseUrl, postgres: own, fleet, redis: null, disk: null },
  lockSeconds: [1],
  crashes: Math.min(crashes, 2),
});

/** Starts the shipped server there. Resolves to its exit status, null if it had to be killed, and what it said. */
async function startBehind(databaseUrl: string): Promise<{ readonly status: number | null; readonly said: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-behind-'));
  const env = {
    ...{ PATH: process.env.PATH, SERVICE_PROFILE: 'development', SERVICE_LOG_LEVEL: 'error' },
    ...{ SERVICE_PORT: String(await freePort()), SERVICE_DATA_DIR: folder },
    ...{ SERVICE_DATABASE_URL: databaseUrl, SERVICE_AUDIT_CHAIN_KEY: AUDIT_KEY },
  };
  const options = { env, timeout: 30_000, killSignal: 'SIGKILL' } as const;
  try {
    return await new Promise((resolve) => {
      execFile(process.execPath, [fileURLToPath(serverEntry)], options, (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ status, said: `${stdout}${stderr}` });
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function refusalFinding(store: string, { status, said }: Awaited<ReturnType<typeof startBehind>>): Finding {
  const named = /unsupported startup parameter: \w+|\w+ is [^;]+, although [^;]+ was asked for/.exec(said)?.[0];
  const isRefused = status === 1 && named !== undefined && said.includes('set SERVICE_DATABASE_URL');
  return {
    ...{ scenario: 'REL-15', store, fault: 'start', times: 1, keys: 0, attempts: 1, acknowledged: 0, submitted: 0 },
    ...{ unknown: 0, slowestMillis: 0, rows: 0 },
    measured: `exit status ${status}: ${named ?? 'no setting is named'}`,
    violations: isRefused ? [] : [{ kind: 'start-not-refused', key: store, detail: said.slice(0, 200) }],
  };
}
