/** A client of a pool of node-postgres. */
export interface PooledClient {
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
  release(error?: unknown): void;
}

/** A pool of node-postgres. */
export interface ClientPool {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly totalCount: number;
  connect(): Promise<PooledClient>;
  listenerCount(event: 'error' | 'connect' | 'acquire'): number;
  query(statement: string): Promise<{ readonly rows: readonly unknown[] }>;
}

/** `instanceof` can't be used, because the application may have another copy of the driver, or none. */
export function isPool(client: unknown): client is ClientPool {
  if (typeof client !== 'object' || client === null) return false;
  const { connect, totalCount } = client as Partial<ClientPool>;
  return typeof connect === 'function' && typeof totalCount === 'number';
}

/**
 * The client of postgres.js or the pool of node-postgres. Null for anything else.
 *
 * @param database a drizzle database, or the client itself
 */
export function clientOf(database: object): object | null {
  const client = (database as { readonly $client?: unknown }).$client ?? database;
  return typeof client === 'function' || isPool(client) ? client : null;
}

/**
 * The primary of a database that drizzle's `withReplicas(…)` has made; any other value itself. The replicas lag behind
 * it, so that a read there may miss what was committed before.
 */
export function primaryOf(database: unknown): unknown {
  return (Object(database) as { readonly $primary?: unknown }).$primary ?? database;
}
