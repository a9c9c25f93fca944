import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { createTurns } from './change-turns.js';
import { CHANGE_TURNS, ENDING_TURNS, MAX_CONNECTIONS } from './connection-limits.js';
import type { Database } from './database.js';
import { migrate } from './migrations.js';
import { postgresOptions, SERVER_SESSION } from './postgres-options.js';
import { prepareStatements } from './prepared-statements.js';
import { type MovedSchema, moveSchema, type SchemaMove } from './schema-move.js';
import { DEFAULT_DATABASE_SCHEMA, type SchemaTarget } from './schema-target.js';
import { CONNECT_DIRECTLY, proveSettings, proveWholeSessions, type ReliedOn } from './session-proof.js';
import { requireOwnSessions, watchSessions } from './session-watch.js';

/** The server aborts a statement after this time. By then no client waits for it. */
const STATEMENT_TIMEOUT_MILLIS = 5000;

/**
 * The server ends an idle transaction after this time, for example of a stopped node, and releases its locks. An end of
 * sessions may wait for such a lock, for example of the row of an account, and has to be answered within two seconds
 * (TOK-13).
 */
const IDLE_TRANSACTION_MILLIS = 1000;

/** The time for which the start waits for PostgreSQL, in milliseconds. Another program at its port may never answer. */
const START_LIMIT_MILLIS = 5000;

/** PostgreSQL can't be used. The message does not contain the address, which may hold a password. */
class PostgresUnusableError extends Error {
  override readonly name = 'PostgresUnusableError';
  constructor(cause: unknown) {
    super(`PostgreSQL at SERVICE_DATABASE_URL could not be used: ${reasonOf(cause)}`, { cause });
  }
}

const START_IT = 'check that it is running, and correct host and port';

/** The remedies, by the code of the socket, of the driver, or of PostgreSQL. */
const FIXES: Readonly<Record<string, string>> = {
  ECONNREFUSED: START_IT,
  CONNECT_TIMEOUT: START_IT,
  ETIMEDOUT: START_IT,
  EHOSTUNREACH: START_IT,
  ENOTFOUND: 'correct the host',
  EAI_AGAIN: 'correct the host, or check the name service',
  '28P01': 'correct user and password',
  '28000': 'correct user and password, or allow this machine in pg_hba.conf',
  '3D000': 'create the database, or correct its name',
  '42501': 'grant the role that right, or use one that owns the database',
  '53300': 'raise max_connections, or end other clients',
  '57P03': 'wait until it accepts connections',
};

/**
 * A connection refused at several addresses has a code and no message. A failed statement has its reason in its cause.
 */
function reasonOf(cause: unknown): string {
  const { message, code } = ((cause as Error).cause ?? cause) as Error & { code?: string };
  const reason = message || code || 'unknown reason';
  // The message of PgBouncer. PostgreSQL refuses a parameter with another message.
  const fix = reason.startsWith('unsupported startup parameter') ? CONNECT_DIRECTLY : FIXES[code ?? ''];
  return fix === undefined ? reason : `${reason}; ${fix}`;
}

/**
 * Connects to PostgreSQL, proves that the sessions have the required settings, and applies pending migrations.
 *
 * @param target default: the schema `public`, with the notification queue
 */
export async function openPostgres(url: string, target: Partial<SchemaTarget> = {}): Promise<Database> {
  const { schema = DEFAULT_DATABASE_SCHEMA, hasQueue = true, isNew = false } = target;
  let settings: ProvedSettings;
  try {
    settings = await withinDeadline(proveSessions(url, schema), START_LIMIT_MILLIS, noAnswer);
    // Done only after the proof, so that nothing is migrated through a refused pooler.
    await migratePostgres(url, { schema, hasQueue, isNew });
  } catch (error) {
    throw new PostgresUnusableError(error);
  }
  const watch = watchSessions(async () => void (await proveSessions(url, schema)));
  const onclose = () => watch.endConnection();
  const client = connect(url, schema, { max: MAX_CONNECTIONS.writing, session: {}, onclose });
  // Connected when the first session is ended.
  const endingClient = connect(url, schema, { max: MAX_CONNECTIONS.ending, session: {}, onclose });
  // A pool of its own: reads don't wait behind writes that wait for a lock.
  const readingClient = connect(url, schema, { max: MAX_CONNECTIONS.reading, session: READ_ONLY, onclose });
  return {
    orm: drizzle(requireOwnSessions(prepareStatements(client), watch, settings.writing)),
    ending: drizzle(requireOwnSessions(prepareStatements(endingClient), watch, settings.writing)),
    turns: createTurns(CHANGE_TURNS),
    endingTurns: createTurns(ENDING_TURNS),
    reading: drizzle(requireOwnSessions(prepareStatements(readingClient), watch, settings.reading)),
    client,
    embedded: null,
    folder: null,
    name: 'PostgreSQL',
    async close() {
      await Promise.all([client, endingClient, readingClient].map((each) => each.end({ timeout: 5 })));
    },
  };
}

/**
 * A statement that its request has given up ends soon after, and frees its connection. PostgreSQL also counts the time
 * in which this process stands still between two packets of a statement.
 */
const READ_ONLY = { default_transaction_read_only: true, statement_timeout: 4000 };

const noAnswer = () => new Error(`no answer in time; ${START_IT}`);

interface ProvedSettings {
  readonly writing: ReliedOn;
  readonly reading: ReliedOn;
}

/** Uses its own connections: one like those of the handle that can write, and one like those of the other. */
async function proveSessions(url: string, schema: string): Promise<ProvedSettings> {
  const clients = [connect(url, schema, { max: 1, session: {} }), connect(url, schema, { max: 1, session: READ_ONLY })];
  const [writing, reading] = clients as [postgres.Sql, postgres.Sql];
  try {
    const settings = { writing: await proveSettings(writing), reading: await proveSettings(reading) };
    await proveWholeSessions([writing, reading]);
    return settings;
  } finally {
    await Promise.all(clients.map((client) => client.end({ timeout: 0 })));
  }
}

function connect(
  url: string,
  schema: string,
  {
    max,
    session,
    onclose,
  }: {
    readonly max: number;
    readonly session: { readonly default_transaction_read_only?: boolean; readonly statement_timeout?: number };
    readonly onclose?: () => void;
  },
) {
  const own = {
    statement_timeout: STATEMENT_TIMEOUT_MILLIS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MILLIS,
    ...session,
  };
  const options = { max, applicationName: SERVER_SESSION, session: own };
  return postgres(url, { ...postgresOptions(schema, options), ...(onclose && { onclose }) });
}

async function migratePostgres(url: string, target: SchemaTarget): Promise<void> {
  await withSession(url, target.schema, (orm) => migrate(orm, target));
}

/** Moves the tables of a server. Rejects with the error of PostgreSQL. */
export function movePostgresSchema(url: string, move: SchemaMove): Promise<MovedSchema> {
  return withSession(url, move.from, (orm) => moveSchema(orm, move));
}

/** The statements of a migration have no time limit. */
async function withSession<Result>(
  url: string,
  schema: string,
  work: (orm: Pick<Database['orm'], 'transaction'>) => Promise<Result>,
): Promise<Result> {
  const client = postgres(url, postgresOptions(schema, { max: 1, applicationName: 'sallyport-migrations' }));
  try {
    await withinDeadline(client`select 1`, START_LIMIT_MILLIS, noAnswer);
    return await work(drizzle(client));
  } finally {
    await client.end({ timeout: 5 });
  }
}
