import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { PostgresProcess } from '../../../scripts/postgres-process.js';
import type { RedisProcess } from '../../../scripts/redis-process.js';
import type { Fleet } from './node.js';
import type { RedisWatch } from './redis-watch.js';
import type { SmallDisk } from './small-disk.js';
import type { Burst } from './writing-load.js';

/** What the faults of REL-12 act on. */
export interface FaultSite {
  readonly databaseUrl: string;
  /** Null: this PostgreSQL is shared. */
  readonly postgres: Pick<PostgresProcess, 'kill' | 'start'> | null;
  readonly fleet: Fleet;
  /** Redis keeps its data when it is stopped. Null: sessions are in PostgreSQL. */
  readonly redis: { readonly process: RedisProcess; readonly watch: RedisWatch } | null;
  /** The disk of the database's tables; null: it can't be filled. */
  readonly disk: SmallDisk | null;
  /** How long each lock lasts, in seconds. */
  readonly lockSeconds: readonly number[];
  /** How often PostgreSQL and nodes are killed. */
  readonly crashes: number;
}

export interface AuditFault {
  readonly name: string;
  /** Why this fault can't be injected here; null: it can. */
  unavailable(site: FaultSite): string | null;
  /** Injects the fault and removes it. Resolves to how often it was injected. Each time it asks for a burst. */
  inject(site: FaultSite, burst: Burst): Promise<number>;
  /** How often it is injected. */
  times(site: FaultSite): number;
  /** About how long it lasts, in milliseconds: the load is spread over it. */
  lasts(site: FaultSite): number;
}

/** Between two injections, and how long a service is away, in milliseconds. */
const PAUSE_MILLIS = 1000;
const AWAY_MILLIS = 3000;

const possible = () => null;

function lock(name: string, statement: string): AuditFault {
  return {
    name,
    unavailable: possible,
    lasts: ({ lockSeconds }) => lockSeconds.reduce((sum, seconds) => sum + seconds * 1000 + PAUSE_MILLIS, 0),
    times: ({ lockSeconds }) => lockSeconds.length,
    async inject({ databaseUrl, lockSeconds }, burst) {
      for (const seconds of lockSeconds) {
        const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice: () => {} });
        try {
          await sql.begin(async (transaction) => {
            await transaction.unsafe(statement);
            await burst();
            await transaction.unsafe(`select pg_sleep(${seconds})`);
          });
        } finally {
          await sql.end();
        }
        await sleep(PAUSE_MILLIS);
      }
      return lockSeconds.length;
    },
  };
}

const lockTable = (table: string) => lock(`${table} locked`, `lock table ${table} in access exclusive mode`);

/** The faults of REL-12, for nodes on PostgreSQL. The first is none. */
export const auditFaults: readonly AuditFault[] = [
  { name: 'no fault', unavailable: possible, lasts: () => 0, times: () => 0, inject: async () => 0 },
  lockTable('audit_records'),
  lockTable('audit_chain_heads'),
  lockTable('audit_pending'),
  lock('chain head locked', 'select * from audit_chain_heads for update'),
  {
    name: 'PostgreSQL stopped hard',
    unavailable: ({ postgres: own }) => (own === null ? 'this PostgreSQL is shared' : null),
    lasts: ({ crashes }) => crashes * (PAUSE_MILLIS + 2000),
    times: ({ crashes }) => crashes,
    async inject({ postgres: own, crashes }, burst) {
      for (let count = 0; count < crashes; count += 1) {
        await sleep(Math.random() * PAUSE_MILLIS);
        await burst();
        await own!.kill();
        await sleep(Math.random() * PAUSE_MILLIS);
        await own!.start();
      }
      return crashes;
    },
  },
  {
    name: 'kill -9 of a node',
    unavailable: possible,
    lasts: ({ crashes }) => crashes * (PAUSE_MILLIS + 3000),
    times: ({ crashes }) => crashes,
    async inject({ fleet, crashes }, burst) {
      for (let count = 0; count < crashes; count += 1) {
        const node = fleet.nodes[count % fleet.nodes.length]!;
        await sleep(Math.random() * PAUSE_MILLIS);
        await burst();
        await node.kill();
        await node.start();
      }
      return crashes;
    },
  },
  {
    name: 'Redis away',
    unavailable: ({ redis }) => (redis === null ? 'these nodes use no Redis' : null),
    lasts: () => AWAY_MILLIS + PAUSE_MILLIS,
    times: () => 1,
    async inject({ redis }, burst) {
      await sleep(Math.random() * PAUSE_MILLIS);
      await burst();
      await redis!.process.kill();
      redis!.watch.pause();
      await sleep(AWAY_MILLIS);
      await redis!.process.start();
      await redis!.watch.resume();
      return 1;
    },
  },
  {
    name: 'disk full',
    unavailable: ({ disk }) => (disk === null ? 'this process may not mount a small file system' : null),
    lasts: () => AWAY_MILLIS + PAUSE_MILLIS,
    times: () => 1,
    async inject({ disk }, burst) {
      await disk!.fill();
      await burst();
      await sleep(AWAY_MILLIS + PAUSE_MILLIS);
      await disk!.empty();
      return 1;
    },
  },
];
