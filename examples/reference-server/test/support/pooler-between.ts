import { type PoolMode, startPgbouncerProcess } from '../../../../scripts/pgbouncer-process.js';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { startFaultProxy } from '../../faults/fault-proxy.js';

/** A way to a database of its own, that leads to PostgreSQL at first and to a pooler later. */
export interface PoolerBetween {
  readonly own: TestDatabase;
  /** The database by the way. */
  readonly url: string;
  /** Later connections meet the pooler. */
  leadToPooler(): void;
  /** Later connections meet PostgreSQL again. Those to the pooler stay. */
  leadToPostgres(): void;
  /** Every connection is cut, and meets the pooler when it is made again. */
  redirectToPooler(): void;
  redirectToPostgres(): void;
}

/** @param ends takes what ends it all, in the order of the starts */
export async function openPoolerBetween(
  ends: (() => Promise<unknown>)[],
  mode: PoolMode,
  ...settings: readonly string[]
): Promise<PoolerBetween> {
  const portOf = (url: string) => Number(new URL(url).port);
  const own = await createTestDatabase();
  ends.push(own.drop);
  const pooler = await startPgbouncerProcess(own.url, mode, ...settings);
  ends.push(pooler.stop);
  const proxy = await startFaultProxy(portOf(own.url));
  ends.push(proxy.close);
  return {
    own,
    url: Object.assign(new URL(own.url), { port: String(proxy.port) }).href,
    leadToPooler: () => proxy.leadTo(portOf(pooler.url)),
    leadToPostgres: () => proxy.leadTo(portOf(own.url)),
    redirectToPooler: () => proxy.redirect(portOf(pooler.url)),
    redirectToPostgres: () => proxy.redirect(portOf(own.url)),
  };
}
