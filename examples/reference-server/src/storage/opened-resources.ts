import type { IdempotencyStore } from '@sallyport/idempotency';
import type { TtlStore } from '@sallyport/ttl-store';
import type { Cluster, Redis } from 'ioredis';
import type { Database } from './database.js';

/**
 * The resources that the server opens before it starts serving. Tests may share them between servers. The opener closes
 * them.
 */
export interface Resources {
  readonly database: Database;
  readonly redis: Redis | Cluster | null;
  readonly stores: Stores;
  /** Warnings for the operator, for the log. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** The stores of volatile state (OPS-9). */
export interface Stores {
  readonly sessions: TtlStore;
  readonly nonces: TtlStore;
  /**
   * The witness for the nonces in Redis, which must not lose its data together with them. Null if there is no second
   * store.
   */
  readonly nonceWitness: TtlStore | null;
  /**
   * Whether no nonce was ever stored. Only tests set it: a database without tables may have been lost while the private
   * key was kept (RPL-6). The first start therefore takes a second longer.
   */
  readonly noncesAreNew: boolean;
  /** The rate-limit counters that several nodes share. Null if each process counts in memory. */
  readonly rateLimits: TtlStore | null;
  /** Always in the database, because only there a record commits together with its write (IDM-7). */
  readonly idempotency: IdempotencyStore;
}
