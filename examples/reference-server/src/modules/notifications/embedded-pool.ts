import type { PGlite, Transaction } from '@electric-sql/pglite';
import { DEFAULT_SCHEMA, type PgPool, type PgPoolClient, type PgQueryable, runMigrations } from 'bullmq';

/**
 * Presents the embedded database to BullMQ as a `pg.Pool`, with the tables of its queues. PGlite has one connection, so
 * all clients of the pool share it; it queues concurrent queries itself.
 */
export async function openEmbeddedPool(client: PGlite): Promise<PgPool> {
  // Use PGlite's own transaction: other queries would join one that is begun by hand.
  await client.transaction(async (transaction) => {
    await runMigrations(migrationClient(transaction), DEFAULT_SCHEMA);
  });
  // After `public`, so that none of our names resolves differently.
  await client.exec(`set search_path to public, ${DEFAULT_SCHEMA}`);
  const { query } = queriesOf(client);
  const pool = {
    query,
    connect: async () => poolClient(client),
    end: async () => {},
    on: () => pool,
    removeAllListeners: () => pool,
    /** There is no network connection to keep alive. */
    options: { keepAlive: true },
  };
  return pool;
}

/** A text with several statements is sent without parameters and returns its last result. */
function queriesOf(target: Pick<PGlite | Transaction, 'query' | 'exec'>): PgQueryable {
  return {
    async query<Row>(text: string, params?: readonly unknown[]) {
      if (params !== undefined && params.length > 0) {
        const { rows, affectedRows } = await target.query<Row>(text, [...params]);
        return { rows, rowCount: affectedRows ?? null };
      }
      const last = (await target.exec(text)).at(-1);
      return { rows: (last?.rows ?? []) as Row[], rowCount: last?.affectedRows ?? null };
    },
  };
}

type Listener = (...event: never[]) => void;

function poolClient(client: PGlite): PgPoolClient {
  const ends = new Map<unknown, () => void>();
  const removeAllListeners = () => {
    for (const end of ends.values()) end();
    ends.clear();
    return self;
  };
  const self: PgPoolClient = {
    query: queriesOf(client).query,
    on(event: string, listener: Listener) {
      if (event === 'notification') {
        const notify = listener as (message: { channel: string; payload: string }) => void;
        ends.set(
          listener,
          client.onNotification((channel, payload) => notify({ channel, payload })),
        );
      }
      return self;
    },
    removeListener(_event, listener) {
      ends.get(listener)?.();
      ends.delete(listener);
      return self;
    },
    removeAllListeners,
    release: () => void removeAllListeners(),
  };
  return self;
}

/** The transaction has begun already and ends with its owner. */
function migrationClient(transaction: Transaction): PgQueryable {
  const { query } = queriesOf(transaction);
  return {
    query: (text, params) =>
      /^(?:BEGIN|COMMIT|ROLLBACK)$/.test(text) ? Promise.resolve({ rows: [] }) : query(text, params),
  };
}
