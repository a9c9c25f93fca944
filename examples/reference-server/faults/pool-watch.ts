import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Violation } from './history-checker.js';

/** The pool of one node, in words that are equal where the counts are. */
export type ReadPool = () => Promise<string>;

export interface PoolWatch {
  /** The counts before the fault. */
  readonly before: string;
  /** Waits until the counts are back, and names the pools where they are not. */
  changed(): Promise<Violation[]>;
}

const PAUSE_MILLIS = 200;

/** Connections are opened one after the other, and a machine may be busy. */
const EQUAL_READINGS = 3;

/** How long clients may take to come back, in milliseconds. */
const PATIENCE_MILLIS = 20_000;

/** Reads the counts of the pools at rest. A client that is not released after a fault stays counted. */
export async function watchPools(
  pools: Readonly<Record<string, ReadPool>>,
  patienceMillis = PATIENCE_MILLIS,
): Promise<PoolWatch> {
  const watched = await Promise.all(
    Object.entries(pools).map(async ([name, read]) => ({ name, read, before: await stable(read, patienceMillis) })),
  );
  return {
    before: [...new Set(watched.map(({ before }) => before))].join(' and '),
    async changed() {
      const found = watched.map(async ({ name, read, before }) => {
        const after = await until(read, (counts) => counts === before, patienceMillis);
        if (after === before) return [];
        return [{ kind: 'pool-not-restored', key: name, detail: `${after}, before ${before}` } satisfies Violation];
      });
      return (await Promise.all(found)).flat();
    },
  };
}

/**
 * Reads the counts that a node of the packages gives of its pool. With an address of PostgreSQL itself, it also reads
 * the number of backends that PostgreSQL has for it.
 */
export function poolOfNode(origin: string, databaseUrl: string | null): ReadPool {
  return async () => {
    const response = await fetch(`${origin}/pool`);
    const counts = Object.entries((await response.json()) as object).map(([name, count]) => `${count} ${name}`);
    if (databaseUrl !== null) counts.push(`${await countBackends(databaseUrl, new URL(origin).port)} backends`);
    return counts.join(', ');
  };
}

async function countBackends(databaseUrl: string, port: string): Promise<number> {
  const client = postgres(databaseUrl, { max: 1, fetch_types: false });
  try {
    const [found] = await client<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = ${`node-${port}`}`;
    return found!.count;
  } finally {
    await client.end();
  }
}

/** The counts once they have settled. */
function stable(read: ReadPool, patienceMillis: number): Promise<string> {
  let [last, equal] = ['', 0];
  return until(
    read,
    (counts) => {
      equal = counts === last ? equal + 1 : 1;
      last = counts;
      return equal >= EQUAL_READINGS;
    },
    patienceMillis,
  );
}

/** Reads until it is right or time is over. Resolves to the last counts. */
async function until(read: ReadPool, isRight: (counts: string) => boolean, patienceMillis: number): Promise<string> {
  const deadline = performance.now() + patienceMillis;
  for (;;) {
    const counts = await read().catch((error: unknown) => `no counts: ${(error as Error).message}`);
    if (isRight(counts) || performance.now() > deadline) return counts;
    await sleep(PAUSE_MILLIS);
  }
}
