import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { redisUrlFor, type Site } from './scenarios/scenario.js';

const preload = new URL('dist/skewed-clock.js', import.meta.url);

/** The functions of PostgreSQL that tell the time, with their volatility. */
const CLOCK_FUNCTIONS = {
  now: 'stable',
  transaction_timestamp: 'stable',
  statement_timestamp: 'stable',
  clock_timestamp: 'volatile',
} as const;

/**
 * The clocks of the nodes and of their stores, which the harness advances together, so that a day takes minutes. Timers
 * are not affected. A moment in which the clocks differ is shorter than the requests of one step are apart.
 */
export interface MovedClock {
  /** For the nodes: loads their moved clock. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds since 1970, as the nodes and their store see it. */
  now(): number;
  advance(millis: number): Promise<void>;
  close(): Promise<void>;
}

/** Prepares the stores of a site. Call it before the nodes start. */
export async function createMovedClock(site: Pick<Site, 'databaseUrl' | 'store' | 'redis'>): Promise<MovedClock> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-clock-'));
  const file = join(folder, 'moved-millis');
  await writeFile(file, '0');
  const database = await movePostgres(site.databaseUrl);
  const redisUrl = redisUrlFor(site);
  const redis = redisUrl === null ? null : moveRedis(redisUrl);
  let movedMillis = 0;
  return {
    environment: { NODE_OPTIONS: `--import=${preload.href}`, FAULT_CLOCK_FILE: file },
    now: () => Date.now() + movedMillis,
    async advance(millis) {
      movedMillis += millis;
      await Promise.all([database.set(movedMillis), redis?.age(millis)]);
      // Renaming is atomic: a node never reads a partly written file.
      await writeFile(`${file}.new`, String(movedMillis));
      await rename(`${file}.new`, file);
    },
    async close() {
      await Promise.all([database.close(), redis?.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Renames the functions that tell the time, in this database alone, and puts others in their places. A schema of its
 * own would not do: the server sets its search path, and `pg_catalog` comes first.
 */
async function movePostgres(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`create schema faults`;
  await sql`create table faults.moved_clock (by_amount interval not null)`;
  await sql`insert into faults.moved_clock values (interval '0')`;
  await sql`set allow_system_table_mods = on`;
  for (const [clock, volatility] of Object.entries(CLOCK_FUNCTIONS)) {
    await sql.unsafe(`alter function pg_catalog.${clock}() rename to real_${clock}`);
    await sql.unsafe(`create function pg_catalog.${clock}() returns timestamptz language sql ${volatility} as
      'select pg_catalog.real_${clock}() + (select by_amount from faults.moved_clock)'`);
  }
  return {
    set: (millis: number) => sql`update faults.moved_clock set by_amount = ${millis} * interval '1 millisecond'`,
    close: () => sql.end(),
  };
}

/**
 * ARGV: milliseconds. The locks of the message queue, whose keys begin with a brace, belong to timers. The mark of the
 * nonces stays: an older one would be a loss (RPL-6).
 */
const AGE = `
local cursor = '0'
repeat
  local found = redis.call('SCAN', cursor, 'COUNT', 1000)
  cursor = found[1]
  for _, key in ipairs(found[2]) do
    local remaining = redis.call('PTTL', key)
    if remaining >= 0 and string.sub(key, 1, 1) ~= '{' and not string.find(key, 'replay:mark', 1, true) then
      if remaining > tonumber(ARGV[1]) then redis.call('PEXPIRE', key, remaining - ARGV[1])
      else redis.call('DEL', key) end
    end
  end
until cursor == '0'
`;

/** Redis has no clock that can be moved, so the remaining lifetime of every key is shortened. */
function moveRedis(url: string) {
  const client = new Redis(url);
  return {
    age: (millis: number) => client.eval(AGE, 0, millis),
    close: async () => client.disconnect(),
  };
}
