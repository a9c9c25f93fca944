import { fileURLToPath } from 'node:url';
import { runTransaction } from '@sallyport/plugin-kit/postgres';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { advisoryLockKey } from './advisory-lock.js';
import type { Database } from './database.js';
import { MIGRATION_JOURNAL, otherServerSchemas, readJournal } from './migration-journal.js';
import { type ChangedTables, changedTables, type PlannedObject, plannedObjects } from './planned-objects.js';
import { migrateQueue, queueObjects, queueSchemaOf, readQueueState } from './queue-tables.js';
import {
  collisionObstacles,
  otherSchemaObstacle,
  readRights,
  rightsObstacle,
  type SchemaObstacle,
} from './schema-obstacles.js';
import type { Executing, SchemaTarget } from './schema-target.js';

/** The folder of the migrations, written by drizzle-kit. */
export const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** Advisory lock for migrations. An arbitrary number, the same on every node ('SPRT' in ASCII). */
const MIGRATION_LOCK = 0x53505254;

/** Advisory lock for starts in empty schemas: of two at once, the second one sees the first ('SPRF' in ASCII). */
const FIRST_START_LOCK = 0x53505246;

/** The schema belongs to a later release, which may have changed what this one relies on. It was not modified. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
  constructor() {
    super(
      'The database was migrated by a newer release than this one. Start that release, or restore the backup from before it.',
    );
  }
}

/** The schema can't be migrated. It was not modified. The message names every obstacle. */
export class SchemaObstacleError extends Error {
  override readonly name = 'SchemaObstacleError';
  readonly obstacles: readonly SchemaObstacle[];
  constructor(obstacles: readonly SchemaObstacle[]) {
    super(obstacles.map(({ finding, fix }) => `${finding}; ${fix}`).join('. '));
    this.obstacles = obstacles;
  }
}

/** The applied migrations, the work of the next start, and the obstacles to it. */
export interface MigrationState {
  /**
   * The creation time of the last applied migration, in milliseconds since the Unix epoch. Null if none was applied.
   */
  readonly lastApplied: number | null;
  /** Number of migrations of this release. */
  readonly known: number;
  /** Number of migrations that are not yet applied. */
  readonly pending: number;
  /** The effect of the pending migrations on tables. */
  readonly tables: ChangedTables;
  /** The journal has a migration that is newer than the last one here. */
  readonly isNewer: boolean;
  /** Empty if the pending migrations can be applied. */
  readonly obstacles: readonly SchemaObstacle[];
  /** The schemas that must be created first. */
  readonly missingSchemas: readonly string[];
  /** Whether the tables of the notification queue are to be created or upgraded. */
  readonly isQueuePending: boolean;
}

export interface Migration {
  readonly statements: readonly string[];
  readonly hash: string;
  /** Milliseconds since the Unix epoch. */
  readonly madeAt: number;
}

/**
 * The migrations of a folder. drizzle-kit writes references to other tables, and types, with the schema `public`.
 * Without it they are found in the search path, like everything else.
 */
export function readMigrations(folder = migrationsFolder): readonly Migration[] {
  return readMigrationFiles({ migrationsFolder: folder }).map(({ sql: statements, hash, folderMillis }) => ({
    statements: statements.map((statement) => statement.replaceAll('"public".', '')),
    hash,
    madeAt: folderMillis,
  }));
}

/**
 * Applies the pending migrations in one transaction, with the schema and the journal: a failed start leaves nothing
 * (OPS-11). drizzle's own `migrate` creates schema and journal before its transaction begins, which needs the right to
 * create schemas even if there is nothing to create, and writes foreign keys to `public` only. Other nodes that start
 * at the same time wait.
 *
 * @param folder the migrations of another release, for tests
 */
export async function migrate(
  orm: Pick<Database['orm'], 'transaction'>,
  target: SchemaTarget,
  folder?: string,
): Promise<void> {
  return runTransaction(orm, async function migrateSchema(transaction) {
    const { schema } = target;
    await lockSchema(transaction, schema);
    let state = await readMigrationState(transaction, target, folder);
    if (state.lastApplied === null) {
      await lockFirstStart(transaction);
      state = await readMigrationState(transaction, target, folder);
    }
    if (state.isNewer) throw new SchemaTooNewError();
    if (state.obstacles.length > 0) throw new SchemaObstacleError(state.obstacles);
    for (const name of state.missingSchemas) await transaction.execute(sql`create schema ${sql.identifier(name)}`);
    await transaction.execute(sql`set local search_path to ${sql.identifier(schema)}`);
    const journal = sql.identifier(MIGRATION_JOURNAL);
    if (state.pending > 0) {
      await transaction.execute(
        sql`create table if not exists ${journal} (id serial primary key, hash text not null, created_at bigint)`,
      );
    }
    for (const { statements, hash, madeAt } of pendingOf(readMigrations(folder), state.lastApplied)) {
      for (const statement of statements) await transaction.execute(sql.raw(statement));
      await transaction.execute(sql`insert into ${journal} (hash, created_at) values (${hash}, ${madeAt})`);
    }
    if (state.isQueuePending) await migrateQueue(transaction, queueSchemaOf(schema));
  });
}

/** Keeps other starts and moves out of the schema until the transaction ends. */
export async function lockSchema(transaction: Executing, schema: string): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(${advisoryLockKey(MIGRATION_LOCK, schema)})`);
}

/** Keeps other starts out of every empty schema of the database. Taken after the locks of schemas. */
export async function lockFirstStart(transaction: Executing): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(${FIRST_START_LOCK}::bigint)`);
}

function pendingOf(known: readonly Migration[], lastApplied: number | null): readonly Migration[] {
  return known.filter(({ madeAt }) => madeAt > (lastApplied ?? 0));
}

/** Reads only the catalog and the journals. */
export async function readMigrationState(
  orm: Executing,
  { schema, hasQueue, isNew = false }: SchemaTarget,
  folder?: string,
): Promise<MigrationState> {
  const migrations = readMigrations(folder);
  const firstHash = migrations[0]?.hash ?? '';
  const journal = await readJournal(orm, schema, firstHash);
  const { lastApplied } = journal;
  const pending = pendingOf(migrations, lastApplied);
  const isNewer = lastApplied !== null && lastApplied > Math.max(...migrations.map(({ madeAt }) => madeAt));
  const tables = changedTables(pending.flatMap(({ statements }) => statements));
  const facts = { lastApplied, known: migrations.length, pending: pending.length, tables, isNewer };
  if (journal.obstacle !== null || isNewer) {
    const obstacles = journal.obstacle === null ? [] : [journal.obstacle];
    return { ...facts, obstacles, missingSchemas: [], isQueuePending: false };
  }

  const queueSchema = queueSchemaOf(schema);
  const queue = hasQueue ? await readQueueState(orm, queueSchema, lastApplied !== null) : null;
  const isQueuePending = queue?.isPending ?? false;
  const planned = new Map<string, readonly PlannedObject[]>();
  if (pending.length > 0) planned.set(schema, createdBy(pending, migrations));
  if (isQueuePending) {
    planned.set(queueSchema, [...(planned.get(queueSchema) ?? []), ...(queue?.isThere ? [] : queueObjects)]);
  }

  const obstacles: SchemaObstacle[] = [];
  if (lastApplied === null && !isNew) {
    const others = await otherServerSchemas(orm, schema, firstHash);
    if (others.length > 0) obstacles.push(otherSchemaObstacle(schema, others));
  }
  const missingSchemas: string[] = [];
  for (const [name, objects] of planned) {
    const rights = await readRights(orm, name);
    if (!rights.exists) missingSchemas.push(name);
    obstacles.push(...(await collisionObstacles(orm, name, objects, lastApplied !== null)));
    const lacking = rightsObstacle(name, rights);
    if (lacking !== null) obstacles.push(lacking);
  }
  return { ...facts, obstacles, missingSchemas, isQueuePending };
}

/** The objects that the pending migrations create. They may drop and recreate objects of applied ones. */
function createdBy(pending: readonly Migration[], known: readonly Migration[]): PlannedObject[] {
  const objectsOf = (migrations: readonly Migration[]) =>
    plannedObjects(migrations.flatMap(({ statements }) => statements));
  const own = new Set(objectsOf(known.filter((each) => !pending.includes(each))).map(({ name }) => name));
  return objectsOf(pending).filter(({ name }) => !own.has(name));
}
