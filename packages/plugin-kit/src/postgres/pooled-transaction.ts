import { type ClientPool, isPool, type PooledClient, primaryOf } from './database-client.js';

/** The transaction that drizzle passes to the work. */
type Work = (transaction: unknown) => Promise<void>;

/** The session of a drizzle database. It begins, commits and rolls back on its client. */
interface ClientSession {
  readonly client: ClientPool;
  transaction(work: Work): Promise<void>;
}

/** Runs a transaction on a separate client. */
export type PooledTransaction = (work: Work) => Promise<void>;

/**
 * Does what `database.transaction(…)` does over a pool of node-postgres, except that a lost connection leaves the pool
 * and does not end the process. drizzle sends `begin` outside of its `try`, so that the client is never released if
 * `begin` fails, and it releases a broken client like a working one.
 *
 * Null for another driver, for a single client, and if `transaction` or the session is wrapped.
 */
export function pooledTransactionOf(database: object): PooledTransaction | null {
  const session = sessionOf(primaryOf(database) as object);
  if (session === null) return null;
  return async (work) => {
    const client = await session.client.connect();
    client.on('error', ignore);
    let failure: readonly [unknown] | null = null;
    try {
      // A copy of the session, with its logger, cache and schema. Importing its class would load the driver.
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
      // If this is the error of the work itself, PostgreSQL has answered the rollback.
      release(client, failure !== null && error === failure[0] ? null : error);
      throw error;
    }
    release(client, null);
  };
}

/** A broken client keeps the listener, because its end may come later. */
function release(client: PooledClient, reason: unknown): void {
  if (reason === null) client.off('error', ignore);
  client.release(reason ?? undefined);
}

/** The statement that uses the broken connection rejects. */
function ignore(): void {}

function sessionOf(database: object): ClientSession | null {
  const { session } = database as { readonly session?: Partial<ClientSession> };
  if (typeof session !== 'object' || session === null || !isPool(session.client)) return null;
  if (isReplaced(database) || isReplaced(session)) return null;
  // A function that replaced the original one would call its own session, and so the pool.
  if (Object.values(session).some((value) => typeof value === 'function')) return null;
  return session as ClientSession;
}

function isReplaced(object: { readonly transaction?: unknown }): boolean {
  return object.transaction !== (Object.getPrototypeOf(object) as typeof object | null)?.transaction;
}
