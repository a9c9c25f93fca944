import { runTransaction } from '@sallyport/plugin-kit/postgres';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.js';
import { MIGRATION_JOURNAL, readJournal } from './migration-journal.js';
import { lockFirstStart, lockSchema, readMigrations, SchemaObstacleError, SchemaTooNewError } from './migrations.js';
import { type PlannedObject, plannedObjects } from './planned-objects.js';
import { QUEUE_SESSION, SERVER_SESSION, sessionName } from './postgres-options.js';
import { queueNameOf, queueSchemaOf } from './queue-tables.js';
import { collisionObstacles, readRights, rightsObstacle } from './schema-obstacles.js';
import { type Executing, readTable, rowsOf } from './schema-target.js';

export interface SchemaMove {
  readonly from: string;
  readonly to: string;
  /**
   * Whether the notification queue is in the database. If it is in Redis, a queue in the database belongs to another
   * application.
   */
  readonly hasQueue: boolean;
  /** Whether to read only. It then takes no lock of a table. */
  readonly isDryRun: boolean;
  /** Whether to delete the messages in the queue, which does not move. */
  readonly discardsMessages: boolean;
}

export interface MovedSchema {
  /** The tables and types, such as `table "roles"`, by name. Empty if they were moved before. */
  readonly objects: readonly string[];
  /** The obstacles to the move. Empty, except in a dry run. */
  readonly blockers: readonly string[];
}

/** The move is refused. Nothing was changed. */
class SchemaMoveError extends Error {
  override readonly name = 'SchemaMoveError';
}

/** The time for which the move waits for a lock, in milliseconds. Other sessions wait behind it. */
const LOCK_TIMEOUT_MILLIS = 2000;

/**
 * Moves the tables of a server, with their indexes, sequences and rows, into another schema of the same database, in
 * one transaction (OPS-13). Everything else stays where it is, and nothing refers to a table by its schema. The tables
 * of the notification queue stay, because their functions contain the schema: the next start creates new ones.
 */
export async function moveSchema(orm: Pick<Database['orm'], 'transaction'>, move: SchemaMove): Promise<MovedSchema> {
  const { from, to, isDryRun } = move;
  return runTransaction(orm, async function moveTables(transaction) {
    await transaction.execute(sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MILLIS}`));
    // In the order of the names, so that two moves do not wait for each other.
    for (const schema of [...new Set([from, to])].sort()) await lockSchema(transaction, schema);
    await lockFirstStart(transaction);
    const own = await readOwnObjects(transaction, move);
    if (own.length === 0) return { objects: [], blockers: [] };

    const objects = await readMovable(transaction, from, own);
    const rights = await readRights(transaction, to);
    const lacking = rightsObstacle(to, rights);
    const collisions = await collisionObstacles(transaction, to, own, false);
    const blockers = [
      ...collisions.map(({ finding }) => `${finding}; name another schema`),
      ...(lacking === null ? [] : [`${lacking.finding}; ${lacking.fix}`]),
      ...(await sessionsOf(transaction, from)),
      ...(await waitingMessages(transaction, move)),
    ];
    const texts = objects.map(({ keyword, name }) => `${keyword} "${name}"`);
    if (isDryRun) return { objects: texts, blockers };
    if (blockers.length > 0) throw new SchemaMoveError(`${blockers.join('. ')}.`);

    if (!rights.exists) await transaction.execute(sql`create schema ${sql.identifier(to)}`);
    for (const { keyword, name } of objects) {
      const object = sql`${sql.identifier(from)}.${sql.identifier(name)}`;
      await transaction.execute(sql`alter ${sql.raw(keyword)} ${object} set schema ${sql.identifier(to)}`);
    }
    if (move.discardsMessages) await discardMessages(transaction, move);
    return { objects: texts, blockers: [] };
  });
}

/** The objects of the applied migrations, with their journal. Empty if all of them are already in the other schema. */
async function readOwnObjects(transaction: Executing, { from, to }: SchemaMove): Promise<PlannedObject[]> {
  const migrations = readMigrations();
  const firstHash = migrations[0]?.hash ?? '';
  const [source, target] = [
    await readJournal(transaction, from, firstHash),
    await readJournal(transaction, to, firstHash),
  ];
  for (const { obstacle } of [source, target]) if (obstacle !== null) throw new SchemaObstacleError([obstacle]);
  const { lastApplied } = source;
  if (target.lastApplied !== null && (from === to || lastApplied === null)) return [];
  if (lastApplied === null) throw new SchemaMoveError(`the schema "${from}" has no tables of this server.`);
  if (target.lastApplied !== null) {
    throw new SchemaMoveError(`both "${from}" and "${to}" have the tables of a server: name one without.`);
  }
  const isKnown = migrations.some(({ madeAt }) => madeAt === lastApplied);
  if (!isKnown) throw new SchemaTooNewError();
  const applied = migrations.filter(({ madeAt }) => madeAt <= lastApplied);
  const created = plannedObjects(applied.flatMap(({ statements }) => statements));
  return [...created, { name: MIGRATION_JOURNAL, kind: 'table' }];
}

interface MovableObject {
  /** After `alter`. */
  readonly keyword: string;
  readonly name: string;
}

/** The objects that do not move with a table, as indexes do. */
async function readMovable(
  transaction: Executing,
  schema: string,
  own: readonly PlannedObject[],
): Promise<MovableObject[]> {
  const namesOf = (kinds: readonly PlannedObject['kind'][]): SQL =>
    sql.join(
      ['', ...own.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name)].map((name) => sql`${name}`),
      sql`, `,
    );
  return rowsOf<MovableObject>(
    transaction,
    sql`select relname as name, case relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end as keyword
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = ${schema} and (relkind in ('r', 'p', 'v') and relname in (${namesOf(['table'])})
        or relkind = 'S' and relname in (${namesOf(['relation'])}))
      union all
      select typname, 'type' from pg_type join pg_namespace on pg_namespace.oid = typnamespace
      where nspname = ${schema} and typrelid = 0 and typname in (${namesOf(['type'])})
      order by 1`,
  );
}

/** A running server finds its tables by their schema alone: every request would fail. */
async function sessionsOf(transaction: Executing, schema: string): Promise<string[]> {
  const [server, queue] = [SERVER_SESSION, QUEUE_SESSION].map((name) => sessionName(name, schema));
  const rows = await rowsOf<{ place: string; count: number }>(
    transaction,
    sql`select coalesce(host(client_addr), 'this machine') as place, count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name in (${server}, ${queue}) group by 1 order by 1`,
  );
  if (rows.length === 0) return [];
  const places = rows.map(({ place, count }) => `${count} from ${place}`).join(', ');
  return [`servers of the schema "${schema}" are connected (${places}): stop them first`];
}

const UNDELIVERED = sql`state::text in ('waiting', 'active', 'delayed', 'waiting-children')`;

function jobsOf(schema: string): SQL {
  return sql`${sql.identifier(queueSchemaOf(schema))}."job" where queue = ${queueNameOf(schema)} and ${UNDELIVERED}`;
}

async function waitingMessages(transaction: Executing, move: SchemaMove): Promise<string[]> {
  const { from, discardsMessages } = move;
  if (discardsMessages || !(await isQueueThere(transaction, move))) return [];
  const [row] = await rowsOf<{ count: number }>(transaction, sql`select count(*)::int as count from ${jobsOf(from)}`);
  if (row === undefined || row.count === 0) return [];
  return [
    `messages wait in the queue, which does not move (${row.count}): let the server send them, or use --discard-messages`,
  ];
}

async function discardMessages(transaction: Executing, move: SchemaMove): Promise<void> {
  if (await isQueueThere(transaction, move)) await transaction.execute(sql`delete from ${jobsOf(move.from)}`);
}

async function isQueueThere(transaction: Executing, { from, hasQueue }: SchemaMove): Promise<boolean> {
  if (!hasQueue) return false;
  const table = await readTable(transaction, queueSchemaOf(from), 'job');
  return table?.mayRead === true && ['queue', 'state'].every((column) => table.names.includes(column));
}
