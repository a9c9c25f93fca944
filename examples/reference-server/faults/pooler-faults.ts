import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { startPgbouncerProcess } from '../../../scripts/pgbouncer-process.js';
import type { PoolerSettings } from '../../../scripts/pooler-ways.js';
import { auditFaults, type FaultSite } from './audit-faults.js';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';

/** A way to PostgreSQL that may lead through a pooler, and that can be cut. */
export interface PoolerRoute {
  /** The address for the nodes: of a proxy. */
  readonly url: string;
  readonly proxy: FaultProxy;
  /** Puts a pooler between, or takes it away (null). Open connections are reset. */
  lead(pooler: PoolerSettings | null): Promise<void>;
  /** Stops the pooler, and starts it again a second later. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const AWAY_MILLIS = 1000;

/** By default PgBouncer refuses its clients for 15 s after PostgreSQL could not be reached. */
const RETRY_SOON = 'server_login_retry = 1';

export async function openPoolerRoute(databaseUrl: string): Promise<PoolerRoute> {
  const direct = Number(new URL(databaseUrl).port);
  const proxy = await startFaultProxy(direct);
  let settings: PoolerSettings | null = null;
  let pooler: Awaited<ReturnType<typeof startPgbouncerProcess>> | null = null;

  async function start(): Promise<void> {
    if (settings !== null) {
      pooler = await startPgbouncerProcess(databaseUrl, settings.mode, ...settings.lines, RETRY_SOON);
    }
    proxy.redirect(pooler === null ? direct : Number(new URL(pooler.url).port));
  }

  async function stop(): Promise<void> {
    await pooler?.stop();
    pooler = null;
  }

  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: `${proxy.port}` }).href,
    proxy,
    async lead(next) {
      settings = next;
      const before = pooler;
      pooler = null;
      await start();
      await before?.stop();
    },
    async restart() {
      await stop();
      await sleep(AWAY_MILLIS);
      await start();
    },
    async close() {
      await proxy.close();
      await stop();
    },
  };
}

export interface PoolerFault {
  readonly name: string;
  /** Resolves to how often it was injected. */
  inject(site: FaultSite, route: PoolerRoute): Promise<number>;
}

/** How often connections are cut, and the pause between, in milliseconds. */
const CUTS = 3;
const PAUSE_MILLIS = 400;

async function repeatedly(work: () => unknown): Promise<number> {
  for (let count = 0; count < CUTS; count += 1) {
    await sleep(PAUSE_MILLIS);
    await work();
  }
  return CUTS;
}

/** Of the faults under which every kind of change is made, those that say nothing of a pooler. */
const SHARED = ['no fault', 'audit_pending locked', 'PostgreSQL stopped hard', 'kill -9 of a node'];

export const poolerFaults: readonly PoolerFault[] = [
  ...SHARED.map((name) => auditFaults.find((fault) => fault.name === name)!).map(({ name, inject }) => ({
    name,
    inject: (site: FaultSite) => inject(site, () => sleep(PAUSE_MILLIS)),
  })),
  { name: 'connections cut', inject: (_site, { proxy }) => repeatedly(() => proxy.resetConnections(0.5)) },
  {
    name: 'backends ended',
    inject: ({ databaseUrl }) =>
      repeatedly(async () => {
        const sql = postgres(databaseUrl, { max: 1, fetch_types: false });
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and random() < 0.5`;
        await sql.end();
      }),
  },
  {
    name: 'pooler restarted',
    async inject(_site, { restart }) {
      await restart();
      return 1;
    },
  },
];
