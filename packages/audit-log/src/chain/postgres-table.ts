// Longer than 300 lines: a table and the statement that creates it stand in one file, to be compared.
import type { Json } from '@sallyport/masking';
import { readOptions } from '@sallyport/plugin-kit/options';
import { databaseRule, ensureTables, tableRule } from '@sallyport/plugin-kit/postgres';
import {
  bigint,
  doublePrecision,
  getTableConfig,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';
import { type SQLWrapper, sql } from 'drizzle-orm/sql';
import { AuditSetupError } from '../errors.js';
import type { Checkpoint } from '../notes/index.js';
import type { AuditExtra, AuditOutcome } from '../records/index.js';
import type { AuditDatabase, DrizzleQueries } from './audit-database.js';
import { isIndexedOutcome } from './indexed-outcomes.js';
import type { KeyedCheckpoint } from './keyed-checkpoint.js';

const hasTarget = (column: SQLWrapper) => sql`${column} is not null`;

/** The cut in the form that the head of a chain stores. */
export type StoredCut = Pick<Checkpoint, 'sequence' | 'note'> | KeyedCheckpoint;

/**
 * A table of records with your own name, for the option `table` and your own schema.
 *
 * @example
 * ```ts
 * export const table = audit.defineAuditRecords('shop_audit');
 * export const heads = audit.defineAuditChainHeads('shop_audit_heads');
 * export const pending = audit.defineAuditPending('shop_audit_pending');
 * export const deliveries = audit.defineAuditDeliveries('shop_audit_deliveries');
 * export const signedHeads = audit.defineAuditSignedHeads('shop_audit_signed_heads');
 * ```
 */
export function defineAuditRecords(name: string) {
  return pgTable(
    name,
    {
      sequence: bigint('sequence', { mode: 'number' }).primaryKey(),
      id: uuid('id').notNull().unique(`${name}_id_unique`),
      occurredAt: timestamp('occurred_at', { withTimezone: true }).notNull(),
      actor: text('actor'),
      action: text('action').notNull(),
      target: text('target'),
      outcome: text('outcome').$type<AuditOutcome>().notNull(),
      reason: text('reason'),
      durationMillis: doublePrecision('duration_millis').notNull(),
      parameters: jsonb('parameters').$type<Json>().notNull(),
      // Text and not inet, because inet refuses a port or a zone, which a proxy may write.
      clientIp: text('client_ip'),
      extra: jsonb('extra').$type<AuditExtra>().notNull(),
      previous: text('previous').notNull(),
      mac: text('mac').notNull(),
      keyId: text('key_id').notNull(),
    },
    (table) => [
      index(`${name}_occurred_at_index`).on(table.occurredAt),
      index(`${name}_client_ip_index`).on(table.clientIp),
      index(`${name}_actor_index`).on(table.actor),
      index(`${name}_action_index`).on(table.action),
      // Partial, because lists have no target.
      index(`${name}_target_index`).on(table.target).where(hasTarget(table.target)),
      // Partial, so that a success costs nothing, as most records are. These outcomes are short enough for a B-tree.
      index(`${name}_outcome_index`)
        .on(table.outcome, table.sequence, table.action)
        .where(isIndexedOutcome(table.outcome)),
      // A hash index, because a B-tree refuses long texts, and no column bounds this one.
      index(`${name}_request_id_index`).using('hash', sql`(${table.extra} ->> 'requestId')`),
    ],
  );
}

/**
 * A table of chain heads with your own name, for the option `heads`.
 *
 * @example
 * ```ts
 * export const table = audit.defineAuditRecords('shop_audit');
 * export const heads = audit.defineAuditChainHeads('shop_audit_heads');
 * export const pending = audit.defineAuditPending('shop_audit_pending');
 * ```
 */
export function defineAuditChainHeads(name: string) {
  return pgTable(name, {
    /** The name of the table of records whose chain this is. */
    chain: text('chain').primaryKey(),
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    mac: text('mac').notNull(),
    /** The signed checkpoint of the last row that retention deleted. */
    cut: jsonb('cut').$type<StoredCut>(),
  });
}

/**
 * A table of pending records with your own name, for the option `pending`.
 *
 * @example
 * ```ts
 * export const table = audit.defineAuditRecords('shop_audit');
 * export const heads = audit.defineAuditChainHeads('shop_audit_heads');
 * export const pending = audit.defineAuditPending('shop_audit_pending');
 * ```
 */
export function defineAuditPending(name: string) {
  return pgTable(name, {
    id: uuid('id').primaryKey(),
    /** The columns of the record, in the form that the mac covers. */
    record: text('record').notNull(),
    mac: text('mac').notNull(),
    keyId: text('key_id').notNull(),
    /** By the clock of the database, because the clock of a node may be wrong. */
    writtenAt: timestamp('written_at', { withTimezone: true }).notNull().defaultNow(),
  });
}

/**
 * A table of delivery cursors with your own name, for the option `deliveries`. One row for each destination, with its
 * position in the log and the node that sends to it.
 *
 * @example
 * ```ts
 * export const heads = audit.defineAuditChainHeads('shop_audit_heads');
 * export const pending = audit.defineAuditPending('shop_audit_pending');
 * export const deliveries = audit.defineAuditDeliveries('shop_audit_deliveries');
 * ```
 */
export function defineAuditDeliveries(name: string) {
  return pgTable(
    name,
    {
      /** The name of the table of records that is delivered. */
      chain: text('chain').notNull(),
      destination: text('destination').notNull(),
      /** The sequence of the last record that the destination acknowledged. 0 before the first. */
      sequence: bigint('sequence', { mode: 'number' }).notNull(),
      /** The mac of that record. Null: not compared. */
      mac: text('mac'),
      /** The delivery that holds the lease. */
      owner: uuid('owner'),
      /** The end of the lease, by the clock of the database. */
      leaseUntil: timestamp('lease_until', { withTimezone: true }),
      /** The time at which the destination acknowledged the last record. */
      deliveredAt: timestamp('delivered_at', { withTimezone: true }),
    },
    (table) => [primaryKey({ name: `${name}_pk`, columns: [table.chain, table.destination] })],
  );
}

/**
 * A table of signed heads with your own name, for the option `signedHeads`.
 *
 * @example
 * ```ts
 * export const pending = audit.defineAuditPending('shop_audit_pending');
 * export const deliveries = audit.defineAuditDeliveries('shop_audit_deliveries');
 * export const signedHeads = audit.defineAuditSignedHeads('shop_audit_signed_heads');
 * ```
 */
export function defineAuditSignedHeads(name: string) {
  return pgTable(name, {
    /** The name of the table of records whose chain this is. */
    chain: text('chain').primaryKey(),
    /** The newest checkpoint of the chain, which the next one continues. */
    note: text('note').notNull(),
  });
}

export type AuditRecordsTable = ReturnType<typeof defineAuditRecords>;
export type AuditChainHeadsTable = ReturnType<typeof defineAuditChainHeads>;
export type AuditPendingTable = ReturnType<typeof defineAuditPending>;
export type AuditDeliveriesTable = ReturnType<typeof defineAuditDeliveries>;
export type AuditSignedHeadsTable = ReturnType<typeof defineAuditSignedHeads>;

/** The drizzle table `audit_records`. Export it from your schema and drizzle-kit migrates it. */
export const auditRecords = defineAuditRecords('audit_records');

/** The drizzle table `audit_chain_heads`, one row for each table of records. */
export const auditChainHeads = defineAuditChainHeads('audit_chain_heads');

/** The drizzle table `audit_pending`: records that were committed with a change and are not in the chain yet. */
export const auditPending = defineAuditPending('audit_pending');

/** The drizzle table `audit_deliveries`, with the position of each destination in the log. */
export const auditDeliveries = defineAuditDeliveries('audit_deliveries');
/** The drizzle table `audit_signed_heads`, one row for each table of records: its newest checkpoint. */
export const auditSignedHeads = defineAuditSignedHeads('audit_signed_heads');

/** The tables of a log. `defineAuditRecords(name)` and similar functions make tables of another name. */
export interface AuditTables {
  /** The table of records. Default `auditRecords`, named `audit_records`. */
  readonly table?: AuditRecordsTable;
  /** The chain heads. Default `auditChainHeads`, named `audit_chain_heads`. Several tables of records may share it. */
  readonly heads?: AuditChainHeadsTable;
  /** The pending records. Default `auditPending`, named `audit_pending`. One for each table of records. */
  readonly pending?: AuditPendingTable;
  /**
   * The table of delivery cursors. Default `auditDeliveries`, named `audit_deliveries`. Several tables of
   * records may share one. The delivery moves its rows, and retention reads them.
   */
  readonly deliveries?: AuditDeliveriesTable;
  /** The newest checkpoints. Default `auditSignedHeads`, named `audit_signed_heads`. Several logs may share it. */
  readonly signedHeads?: AuditSignedHeadsTable;
}

export const AUDIT_TABLE_DEFAULTS = {
  table: auditRecords,
  heads: auditChainHeads,
  pending: auditPending,
  deliveries: auditDeliveries,
  signedHeads: auditSignedHeads,
} as const satisfies Required<AuditTables>;

export const tableRules = {
  table: tableRule('defineAuditRecords', AUDIT_TABLE_DEFAULTS.table),
  heads: tableRule('defineAuditChainHeads', AUDIT_TABLE_DEFAULTS.heads),
  pending: tableRule('defineAuditPending', AUDIT_TABLE_DEFAULTS.pending),
  deliveries: tableRule('defineAuditDeliveries', AUDIT_TABLE_DEFAULTS.deliveries),
  signedHeads: tableRule('defineAuditSignedHeads', AUDIT_TABLE_DEFAULTS.signedHeads),
};

/**
 * Creates the tables and indexes that don't exist, for applications without drizzle-kit. Any number of nodes may call
 * it at once: the lock prevents the race of `if not exists`. Rejects with AuditSetupError for bad parameters.
 *
 * @example
 * ```ts
 * const client = postgres(DATABASE_URL, { fetch_types: false, onnotice: () => {} });
 * const database = drizzle(client);
 * await createAuditTables(database);
 * ```
 */
export async function createAuditTables(
  database: Pick<AuditDatabase, 'execute'>,
  tables: AuditTables = {},
): Promise<void> {
  const given = readOptions<Required<AuditTables> & { readonly database: Pick<DrizzleQueries, 'execute'> }>(
    { subject: 'createAuditTables', SetupError: AuditSetupError },
    { ...tables, database },
    { ...tableRules, database: databaseRule<Pick<DrizzleQueries, 'execute'>>('execute') },
  );
  const { table, heads, pending, deliveries, signedHeads } = given;
  const { name } = getTableConfig(table);
  const indexOn = (what: string, columns: string, where = sql``) =>
    sql`create index if not exists ${sql.identifier(`${name}_${what}_index`)} on ${table} ${sql.raw(columns)}${where};`;
  const ofTargets = sql` where ${hasTarget(sql.identifier('target'))}`;
  const ofIndexedOutcomes = sql` where ${isIndexedOutcome(sql.identifier('outcome'))}`;
  await ensureTables(
    given.database,
    'audt_log',
    sql`
      create table if not exists ${table} (
        "sequence" bigint primary key not null,
        "id" uuid not null,
        "occurred_at" timestamp with time zone not null,
        "actor" text,
        "action" text not null,
        "target" text,
        "outcome" text not null,
        "reason" text,
        "duration_millis" double precision not null,
        "parameters" jsonb not null,
        "client_ip" text,
        "extra" jsonb not null,
        "previous" text not null,
        "mac" text not null,
        "key_id" text not null,
        constraint ${sql.identifier(`${name}_id_unique`)} unique ("id")
      );
      ${indexOn('occurred_at', 'using btree ("occurred_at")')}
      ${indexOn('client_ip', 'using btree ("client_ip")')}
      ${indexOn('actor', 'using btree ("actor")')}
      ${indexOn('action', 'using btree ("action")')}
      ${indexOn('target', 'using btree ("target")', ofTargets)}
      ${indexOn('outcome', 'using btree ("outcome", "sequence", "action")', ofIndexedOutcomes)}
      ${indexOn('request_id', `using hash (("extra" ->> 'requestId'))`)}
      create table if not exists ${heads} (
        "chain" text primary key not null,
        "sequence" bigint not null,
        "mac" text not null,
        "cut" jsonb
      );
      create table if not exists ${pending} (
        "id" uuid primary key not null,
        "record" text not null,
        "mac" text not null,
        "key_id" text not null,
        "written_at" timestamp with time zone default now() not null
      );
      create table if not exists ${deliveries} (
        "chain" text not null,
        "destination" text not null,
        "sequence" bigint not null,
        "mac" text,
        "owner" uuid,
        "lease_until" timestamp with time zone,
        "delivered_at" timestamp with time zone,
        constraint ${sql.identifier(`${getTableConfig(deliveries).name}_pk`)} primary key ("chain", "destination")
      );
      create table if not exists ${signedHeads} (
        "chain" text primary key not null,
        "note" text not null
      );
    `,
  );
}
