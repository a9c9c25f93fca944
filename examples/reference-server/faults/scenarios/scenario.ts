import type { StoreName } from '../node.js';
import type { Finding } from '../observed-run.js';
import type { KillPoint } from '../server/kill-point.js';

/** The services of one run of a scenario, and where it says how far it is. */
export interface Site {
  /** An empty PostgreSQL database, of this scenario and store alone. */
  readonly databaseUrl: string;
  /** Null where there is none: only scenarios on other stores run. */
  readonly redisUrl: string | null;
  readonly store: StoreName;
  say(line: string): void;
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
  /** Keys of clients that hang up. */
  readonly keys: number;
}

export interface Scenario {
  /** The requirement or hostile case in lower case: what the command line calls it. */
  readonly name: string;
  readonly meaning: string;
  readonly stores: readonly StoreName[];
  run(site: Site, counts: Counts): Promise<readonly Finding[]>;
}
