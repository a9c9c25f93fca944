import type { PostgresProcess } from '../../../../scripts/postgres-process.js';
import type { RedisCluster } from '../../../../scripts/redis-cluster.js';
import type { RedisProcess } from '../../../../scripts/redis-process.js';
import type { Rules } from '../history-checker.js';
import type { StoreName } from '../node.js';
import type { Finding } from '../observed-run.js';
import type { KillPoint } from '../server/kill-point.js';

/** The services of one run of a scenario, and where it says how far it is. */
export interface Site {
  /** An empty PostgreSQL database, of this scenario and store alone. */
  readonly databaseUrl: string;
  /** The server of that database, to be stopped; null where it is shared with others. */
  readonly postgres: Pick<PostgresProcess, 'kill' | 'start'> | null;
  /** Null where there is none. */
  readonly redis: Pick<RedisProcess, 'port' | 'url'> | null;
  readonly redisCluster?: RedisCluster | null;
  readonly store: StoreName;
  /** Rules that differ from the requirements: where the machine's speed is not what is tested. */
  readonly rules?: Partial<Rules>;
  /** Whether limits of time are held against the service. Default true; false where others use the machine as well. */
  readonly isTimed?: boolean;
  say(line: string): void;
}

/** Where the nodes keep their volatile state: in Redis where that is the store in question, else in the database. */
export function redisUrlFor({ store, redis }: Pick<Site, 'store' | 'redis'>): string | null {
  return store === 'redis' ? (redis?.url ?? null) : null;
}

/** The same for the server as it is shipped, which keeps its idempotency records in the database in any case. */
export function volatileStateOf({ store, redis, redisCluster }: Pick<Site, 'store' | 'redis' | 'redisCluster'>) {
  const isCluster = store === 'redis-cluster';
  return { redisUrl: isCluster ? redisCluster!.url : redisUrlFor({ store, redis }), isCluster };
}

/** How much of it, as the command line says. */
export interface Counts {
  /** Kills at random moments. */
  readonly kills: number;
  /** Kills, or pauses, at each named point. */
  readonly atEachPoint: number;
  /** At these points alone. Default: at all where it makes sense. */
  readonly points?: readonly KillPoint[];
  readonly rounds: number;
  /** Hard stops of PostgreSQL; graceful stops of nodes. */
  readonly crashes: number;
  /** Keys of clients that hang up. */
  readonly keys: number;
  /** How long a fault, or a load, lasts. */
  readonly seconds: number;
  /** How long the longest load lasts. */
  readonly minutes: number;
}

/** Too little to find what is rare, and enough to see that everything holds: for `all`, and for the test suite. */
export const SHORT_COUNTS: Counts = {
  kills: 1,
  atEachPoint: 1,
  rounds: 1,
  crashes: 1,
  keys: 1,
  seconds: 3,
  minutes: 0,
};

export interface Scenario {
  /** The requirement or hostile case in lower case: what the command line calls it. */
  readonly name: string;
  readonly meaning: string;
  readonly stores: readonly StoreName[];
  run(site: Site, counts: Counts): Promise<readonly Finding[]>;
}
