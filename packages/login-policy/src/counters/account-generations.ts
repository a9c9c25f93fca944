import { randomUUID } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import type { LoginAccount } from '../login-account.js';
import { MAX_POLICY_SECONDS } from '../policy/index.js';
import { accountKey } from './login-counters.js';

/** The account was not cleared recently. */
export const NO_GENERATION = '';

/**
 * Longer than the life of any record that a clear makes void. Such a record lives at most a window and a lock of the
 * longest length, if an attempt was in flight during the clear. So no void record outlives the generation.
 */
const GENERATION_TTL_MILLIS = 2 * MAX_POLICY_SECONDS * 1000;

/** One key per cleared account, for any number of counters. */
export interface AccountGenerations {
  /** The generation of valid records. {@link NO_GENERATION} if the account was not cleared recently. */
  read(account: LoginAccount): Promise<string>;
  /** Makes every record of an earlier generation void, by one write. */
  bump(account: LoginAccount): Promise<void>;
}

export function createAccountGenerations(store: Pick<TtlStore, 'get' | 'set'>, keyPrefix: string): AccountGenerations {
  return {
    async read(account) {
      return (await store.get(keyPrefix + accountKey('generation', account))) ?? NO_GENERATION;
    },
    async bump(account) {
      await store.set(keyPrefix + accountKey('generation', account), randomUUID(), GENERATION_TTL_MILLIS);
    },
  };
}

/**
 * Whether the account was cleared after the record was made. Without a current generation no record is void, because
 * records from before the clear have expired by then. If a store loses the key early, cleared records count again until
 * they expire. That is the safe choice: otherwise an eviction would unlock.
 */
export function isVoid(recordGeneration: string, currentGeneration: string): boolean {
  return currentGeneration !== NO_GENERATION && recordGeneration !== currentGeneration;
}
