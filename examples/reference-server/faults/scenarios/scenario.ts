import type { PostgresProcess } from '../../../../scripts/postgres-process.js';
import type { RedisCluster } from '../../../../scripts/redis-cluster.js';
import type { RedisProcess } from '../../../../scripts/redis-process.js';
import type { Rules } from '../history-checker.js';
import type { StoreName } from '../node.js';
import type { Finding } from '../observed-run.js';
import type { KillPoint } from '../server/kill-point.js';

/** The services of one run, and its progress output. */
export interface Site {
  /** An empty PostgreSQL database, used only by this scenario and store. */
  readonly databaseUrl: string;
  /** The PostgreSQL server, which the scenario may stop; null if it is shared. */
  readonly postgres: Pick<PostgresProcess, 'kill' | 'start'> | null;
  /** Null if there is no Redis. */
  readonly redis: Pick<RedisProcess, 'port' | 'url'> | null;
  readonly redisCluster?: RedisCluster | null;
  readonly store: StoreName;
  /** Overrides of the rules, where the machine's speed is not under test. */
  readonly rules?: Partial<Rules>;
  /** Whether time limits are checked. Default true; false if the machine is shared with other work. */
  readonly isTimed?: boolean;
  say(line: string): void;
}

/** The Redis URL for the nodes' volatile state if Redis is the store under test, else null for the database. */
export function redisUrlFor({ store, redis }: Pick<Site, 'store' | 'redis'>): string | null {
  return store === 'redis' ? (redis?.url ?? null) : null;
}

/** The same for the shipped server, which always keeps its idempotency records in the database. */
export function volatileStateOf({ store, redis, redisCluster }: Pick<Site, 'store' | 'redis' | 'redisCluster'>) {
  const isCluster = store === 'redis-cluster';
  return { redisUrl: isCluster ? redisCluster!.url : redisUrlFor({ store, redis }), isCluster };
}

/** How often and how long to inject faults, from the command line. */
export interface Counts {
  /** Kills at random times. */
  readonly kills: number;
  /** Kills or pauses at each kill point. */
  readonly atEachPoint: number;
  /** The kill points to use. Default: every point that applies. */
  readonly points?: readonly KillPoint[];
  readonly rounds: number;
  /** Crashes of PostgreSQL, or graceful stops of nodes. */
  readonly crashes: number;
  /** Keys whose clients hang up. */
  readonly keys: number;
  /** The duration of a fault or a load. */
  readonly seconds: number;
  /** The duration of the longest load. */
  readonly minutes: number;
  /** The duration of an attack by moved clocks. */
  readonly hours: number;
  /** Sessions that are opened before each loss. */
  readonly sessions: number;
  /** Records of sessions in a store with which a node starts. */
  readonly storedSessions: number;
  /** The share of pictures that a captcha reader reads. */
  readonly readerPercent: number;
}

/** Short counts for `all` and the test suite: they check that everything works, but cannot find rare faults. */
export const SHORT_COUNTS: Counts = {
  kills: 1,
  atEachPoint: 1,
  rounds: 1,
  crashes: 1,
  keys: 1,
  seconds: 3,
  minutes: 0,
  // Twelve minutes: a window and a lock, and the beginning of the next, so that an attack that a lock ends goes on.
  hours: 0.2,
  // Five accounts with all of their endings.
  sessions: 80,
  storedSessions: 1000,
  readerPercent: 3,
};

export interface Scenario {
  /** The requirement or hostile case in lower case, as given on the command line. */
  readonly name: string;
  readonly meaning: string;
  readonly stores: readonly StoreName[];
  run(site: Site, counts: Counts): Promise<readonly Finding[]>;
}
