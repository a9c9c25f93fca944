import { and, eq, sql } from 'drizzle-orm/sql';
import {
  type AuditChainHeadsTable,
  type AuditDeliveriesTable,
  type AuditRecordsTable,
  chainName,
  type DrizzleQueries,
  rowsOf,
} from '../chain/index.js';

/** The last record that a destination acknowledged. */
export interface Cursor {
  readonly sequence: number;
  /** Null before the first record, or if it was set by hand. It is then not compared. */
  readonly mac: string | null;
}

/** The lag of a destination behind the log. */
export interface Lag {
  /** The last record that the destination acknowledged. */
  readonly sequence: number;
  /** The number of records that the destination has not acknowledged. */
  readonly lagRecords: number;
  /** The age of the oldest of them, by the clock of the database. 0 if there is none. */
  readonly lagSeconds: number;
  /** Milliseconds since 1970. Null if there was none. */
  readonly lastDeliveredAt: number | null;
}

export interface DeliveryCursorOptions {
  readonly database: DrizzleQueries;
  readonly table: AuditRecordsTable;
  readonly heads: AuditChainHeadsTable;
  readonly deliveries: AuditDeliveriesTable;
  readonly destination: string;
  /** A UUID of this delivery. */
  readonly owner: string;
  readonly leaseSeconds: number;
}

export interface DeliveryCursor {
  /** Takes or renews the lease. Null if another node has it. */
  acquire(): Promise<Cursor | null>;
  /** Renews the lease. False if it is lost. */
  renew(): Promise<boolean>;
  /** Moves the cursor and renews the lease. False if the lease is lost, or if the cursor was moved otherwise. */
  advance(from: Cursor, to: Cursor): Promise<boolean>;
  /** Ends the lease, so that another node takes over at its next attempt. */
  release(): Promise<void>;
  readLag(): Promise<Lag>;
}

/**
 * The row of one destination, with its cursor and the lease of the sending node. Every statement is its own
 * transaction, and times are those of the database. A node that stops blocks the others for `leaseSeconds` at most, and
 * a node that has lost its lease can't move the cursor.
 */
export function createDeliveryCursor(options: DeliveryCursorOptions): DeliveryCursor {
  const { database, table, heads, deliveries, destination, owner, leaseSeconds } = options;
  const chain = chainName(table);
  const leaseUntil = sql`statement_timestamp() + ${leaseSeconds}::double precision * interval '1 second'`;
  const isOwn = and(eq(deliveries.chain, chain), eq(deliveries.destination, destination), eq(deliveries.owner, owner));

  return {
    async acquire() {
      const result = await database.execute(sql`
        insert into ${deliveries} as held ("chain", "destination", "sequence", "owner", "lease_until")
        values (${chain}, ${destination}, 0, ${owner}::uuid, ${leaseUntil})
        on conflict ("chain", "destination") do update
          set "owner" = excluded."owner", "lease_until" = excluded."lease_until"
          where held."owner" = excluded."owner"
            or held."lease_until" is null or held."lease_until" <= statement_timestamp()
        returning "sequence"::text, "mac"
      `);
      const [row] = rowsOf<{ readonly sequence: string; readonly mac: string | null }>(result);
      return row === undefined ? null : { sequence: Number(row.sequence), mac: row.mac };
    },
    async renew() {
      const renewed = await database
        .update(deliveries)
        .set({ leaseUntil: leaseUntil as never })
        .where(isOwn)
        .returning({ sequence: deliveries.sequence });
      return renewed.length > 0;
    },
    async advance(from, { sequence, mac }) {
      const moved = await database
        .update(deliveries)
        .set({ sequence, mac, leaseUntil: leaseUntil as never, deliveredAt: sql`statement_timestamp()` as never })
        .where(and(isOwn, eq(deliveries.sequence, from.sequence)))
        .returning({ sequence: deliveries.sequence });
      return moved.length > 0;
    },
    async release() {
      await database.update(deliveries).set({ owner: null, leaseUntil: null }).where(isOwn);
    },
    async readLag() {
      const result = await database.execute(sql`
        with cursor as (
          select coalesce(max("sequence"), 0) as "sequence", max("delivered_at") as "at" from ${deliveries}
          where "chain" = ${chain} and "destination" = ${destination}
        ), oldest as (
          select "occurred_at" from ${table}
          where "sequence" > (select "sequence" from cursor) order by "sequence" limit 1
        )
        select
          cursor."sequence"::text as "sequence",
          extract(epoch from cursor."at")::double precision * 1000 as "deliveredAt",
          (select "sequence" from ${heads} where "chain" = ${chain})::text as "end",
          extract(epoch from statement_timestamp() - (select "occurred_at" from oldest))::double precision as "seconds"
        from cursor
      `);
      const [row] = rowsOf<{
        readonly sequence: string;
        readonly deliveredAt: number | null;
        readonly end: string | null;
        readonly seconds: number | null;
      }>(result);
      const sequence = Number(row?.sequence ?? 0);
      return {
        sequence,
        lagRecords: Math.max(0, Number(row?.end ?? 0) - sequence),
        lagSeconds: Math.max(0, row?.seconds ?? 0),
        lastDeliveredAt: row?.deliveredAt == null ? null : Math.round(row.deliveredAt),
      };
    },
  };
}

/** The destination that is furthest behind in a log. */
export interface SlowestDelivery extends Pick<Cursor, 'sequence'> {
  readonly destination: string;
}

/**
 * The destination that has acknowledged the fewest records. Null if the log is not delivered. Retention keeps the
 * records after its cursor.
 */
export async function readSlowestDelivery(
  queries: Pick<DrizzleQueries, 'select'>,
  deliveries: AuditDeliveriesTable,
  chain: string,
): Promise<SlowestDelivery | null> {
  const [row] = await queries
    .select({ destination: deliveries.destination, sequence: deliveries.sequence })
    .from(deliveries)
    .where(eq(deliveries.chain, chain))
    .orderBy(deliveries.sequence)
    .limit(1);
  return row ?? null;
}
