import { DEFAULT_SCHEMA, LATEST_SCHEMA_VERSION, runMigrations } from 'bullmq';
import { type SQL, sql } from 'drizzle-orm';
import type { PlannedObject } from './planned-objects.js';
import { DEFAULT_DATABASE_SCHEMA, type Executing, readTable, rowsOf } from './schema-target.js';

/** BullMQ's journal of its migrations. */
const QUEUE_JOURNAL = 'migration';

/**
 * The schema of the notification queue's tables, which is that of the server. If that is `public`, they have a separate
 * schema, as in earlier releases.
 */
export function queueSchemaOf(schema: string): string {
  return schema === DEFAULT_DATABASE_SCHEMA ? DEFAULT_SCHEMA : schema;
}

/** The name of the notification queue, without its schema. */
export const QUEUE_NAME = 'notifications';

/**
 * BullMQ's channels of LISTEN and NOTIFY and its advisory locks belong to the whole database, and contain the name of
 * the queue. Queues in two schemas therefore have two names (OPS-11).
 */
export function queueNameOf(schema: string): string {
  return schema === DEFAULT_DATABASE_SCHEMA ? QUEUE_NAME : `${QUEUE_NAME}@${schema}`;
}

const kinds = {
  table: `
    dedup dedup_next event job job_dependency job_log meta metrics migration rate_limit relay_inbox relay_node
    relay_retained relay_subscription scheduler
  `,
  relation: `
    dedup_expire_idx dedup_job_idx dep_child_idx dep_parent_status_idx event_seq job_active_idx
    job_delayed_idx job_finished_idx job_parent_idx job_ready_idx job_scheduler_idx job_seq
    job_waiting_children_idx relay_inbox_node_idx relay_mid_seq relay_node_lease_idx relay_node_registered_idx
    relay_retained_expiry_idx relay_subscription_endpoint_idx relay_subscription_root_idx scheduler_next_idx
  `,
  type: 'dep_status job_state',
} as const;

/**
 * The objects that BullMQ's migrations create. It does not export their text, so a test compares the names with the
 * catalog.
 */
export const queueObjects: readonly PlannedObject[] = (['table', 'relation', 'type'] as const).flatMap((kind) =>
  kinds[kind]
    .trim()
    .split(/\s+/)
    .map((name) => ({ name, kind })),
);

export interface QueueState {
  /** The tables exist, and belong to this server. */
  readonly isThere: boolean;
  /** BullMQ has migrations to apply. */
  readonly isPending: boolean;
}

/**
 * @param schema the schema of the queue
 * @param isServerThere whether the server has been migrated; otherwise, tables of a queue belong to another application
 */
export async function readQueueState(orm: Executing, schema: string, isServerThere: boolean): Promise<QueueState> {
  const table = await readTable(orm, schema, QUEUE_JOURNAL);
  if (!isServerThere || !table?.names.includes('version')) return { isThere: false, isPending: true };
  if (!table.mayRead) return { isThere: true, isPending: true };
  const journal = sql`${sql.identifier(schema)}.${sql.identifier(QUEUE_JOURNAL)}`;
  const [row] = await rowsOf<{ version: number | null }>(orm, sql`select max(version)::int as version from ${journal}`);
  return { isThere: true, isPending: (row?.version ?? 0) < LATEST_SCHEMA_VERSION };
}

/**
 * Applies BullMQ's migrations within the transaction, in a schema that exists. BullMQ itself would begin a transaction,
 * and `create schema if not exists`, which PostgreSQL refuses to a role that must not create any schema, even if this
 * one exists. The search path of the transaction is changed to that schema.
 */
export async function migrateQueue(transaction: Executing, schema: string): Promise<void> {
  const client = {
    async query<Row>(text: string, parameters: readonly unknown[] = []) {
      if (/^(?:BEGIN|COMMIT|ROLLBACK|CREATE SCHEMA\b.*)$/.test(text)) return { rows: [] };
      return { rows: (await rowsOf(transaction, statementOf(text, parameters))) as Row[] };
    },
  };
  await runMigrations(client, schema);
}

/**
 * A statement with `$1`, `$2` and so on. Without parameters a text may have several statements, and bodies with `$1`.
 */
function statementOf(text: string, parameters: readonly unknown[]): SQL {
  if (parameters.length === 0) return sql.raw(text);
  const pieces = text.split(/\$(\d+)/);
  return sql.join(
    pieces.map((piece, index) => (index % 2 === 0 ? sql.raw(piece) : sql`${parameters[Number(piece) - 1]}`)),
  );
}
