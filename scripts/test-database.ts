import { createHash, randomUUID } from 'node:crypto';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { inject } from 'vitest';

/** A database for one test file, on the PostgreSQL of the test run. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** A separate pool, as of another process. */
  connect(options?: postgres.Options<Record<string, never>>): PostgresJsDatabase & { $client: postgres.Sql };
  /** Closes the pools, and terminates all other connections. */
  drop(): Promise<void>;
}

/**
 * What a database of several test files begins with. It is made once in a run, and stays on a server of
 * `TEST_DATABASE_URL` for the next one.
 */
export interface TestTemplate {
  /** Templates with the same key are the same. */
  readonly key: string;
  /** Fills an empty database, and leaves no connection to it. */
  readonly fill: (url: string) => Promise<void>;
}

/** In seconds. */
const MAX_IDLE = 3;

const templates = new Map<string, Promise<string>>();

/** Creates it empty, or as a copy of a template. */
export async function createTestDatabase(template?: TestTemplate): Promise<TestDatabase> {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const source = template === undefined ? '' : ` template ${await prepare(template)} strategy file_copy`;
  await connectToServer().unsafe(`create database ${name}${source}`);
  const url = urlOf(name);
  const pools: postgres.Sql[] = [];

  return {
    name,
    url,
    connect(options = {}) {
      const pool = postgres(url, { max: 5, fetch_types: false, onnotice: () => {}, ...options });
      pools.push(pool);
      return drizzle(pool);
    },
    async drop() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
      await connectToServer().unsafe(`drop database ${name} with (force)`);
    },
  };
}

const urlOf = (name: string) => Object.assign(new URL(inject('databaseUrl')), { pathname: `/${name}` }).href;

/** The name of the database with the template's tables. The first process that needs it creates it. */
function prepare({ key, fill }: TestTemplate): Promise<string> {
  const name = `template_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
  const prepared = templates.get(name) ?? createTemplate(name, fill);
  templates.set(name, prepared);
  return prepared;
}

/** On a connection of its own, so that its lock is released with it. */
async function createTemplate(name: string, fill: TestTemplate['fill']): Promise<string> {
  const server = postgres(inject('databaseUrl'), { max: 1, fetch_types: false });
  try {
    await server`select pg_advisory_lock(hashtext(${name}))`;
    const [existing] = await server`select 1 from pg_database where datname = ${name}`;
    if (existing !== undefined) return name;
    // It gets its name once it is whole.
    const draft = `draft_${randomUUID().replaceAll('-', '')}`;
    await server.unsafe(`create database ${draft}`);
    await fill(urlOf(draft));
    await server.unsafe(`alter database ${draft} rename to ${name}`);
    return name;
  } finally {
    await server.end();
  }
}

/**
 * For the databases of all files of this process: PostgreSQL takes almost as long for a connection as for a database.
 * It is closed when it has been idle, so that it keeps no process.
 */
let server: postgres.Sql | null = null;

function connectToServer(): postgres.Sql {
  server ??= postgres(inject('databaseUrl'), { max: 2, idle_timeout: MAX_IDLE, fetch_types: false });
  return server;
}
