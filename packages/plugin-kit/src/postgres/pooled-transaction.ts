import { type ClientPool, isPool, type PooledClient } from './database-client.js';

/** What drizzle passes to the work. */
type Work = (transaction: unknown) => Promise<void>;

/** The session of a drizzle database. It begins, commits and rolls back on its client. */
interface ClientSession {
  readonly client: ClientPool;
  transaction(work: Work): Promise<void>;
}

/** Runs a transaction on a client of its own. */
export type PooledTransaction = (work: Work) => Promise<void>;

/**
 * What `database.transaction(…)` does over a pool of node-postgres, except that a lost connection leaves the pool, and
 * does not end the process. drizzle sends `begin` outside of its `try`, so if that fails, the client is never released;
 * and it releases one that is broken as if it were sound.
 *
 * Null for another driver, a single client, and where something has wrapped `transaction` or the session.
 */
export function pooledTransactionOf(database: object): PooledTransaction | null {
  const session = sessionOf((database as { readonly $primary?: object }).$primary ?? database);
  if (session === null) return null;
  return async (work) => {
    const client = await session.client.connect();
    client.on('error', ignore);
    let failure: readonly [unknown] | null = null;
    try {
      // The session as it is, with its logger, cache and schema. Its class would have to be loaded with the driver.
      const bound: ClientSession = Object.assign(Object.create(Object.getPrototypeOf(session)), session, { client });
      await bound.transaction(async (transaction) => {
        try {
          await work(transaction);
        } catch (error) {
          failure = [error];
          throw error;
        }
      });
    } catch (error) {
      // With the error of the work itself, PostgreSQL has answered the rollback.
      release(client, failure !== null && error === failure[0] ? null : error);
      throw error;
    }
    release(client, null);
  };
}

/** A broken one keeps the listener, since its end may come later. */
function release(client: PooledClient, reason: unknown): void {
  if (reason === null) client.off('error', ignore);
  client.release(reason ?? undefined);
}

/** The statement that meets it rejects. */
function ignore(): void {}

function sessionOf(database: object): ClientSession | null {
  const { session } = database as { readonly session?: Partial<ClientSession> };
  if (typeof session !== 'object' || session === null || !isPool(session.client)) return null;
  if (isReplaced(database) || isReplaced(session)) return null;
  // A function that was put on it calls the session that it knows, and so the pool.
  if (Object.values(session).some((value) => typeof value === 'function')) return null;
  return session as ClientSession;
}

function isReplaced(object: { readonly transaction?: unknown }): boolean {
  return object.transaction !== (Object.getPrototypeOf(object) as typeof object | null)?.transaction;
}
