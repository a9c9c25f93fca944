import { randomUUID } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import type { LoginAccount } from '../login-account.js';
import { MAX_POLICY_SECONDS } from '../policy/index.js';
import { accountKey } from './login-counters.js';

/** The account was not cleared lately. */
export const NO_GENERATION = '';

/**
 * Longer than the life of any record that a clear makes void: at most a window and then a lock of the longest length,
 * by an attempt that was in flight during the clear. So no void record outlives the generation.
 */
const GENERATION_TTL_MILLIS = 2 * MAX_POLICY_SECONDS * 1000;

/** One key per cleared account, whatever the number of its counters. */
export interface AccountGenerations {
  /** The generation of valid records; {@link NO_GENERATION} if the account wasn't cleared lately. */
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
 * Whether the account was cleared after the record was made. Without a current generation no record is void: those from
 * before the clear have expired with it. (If a store loses the key early, records that were cleared count again for the
 * rest of their life. That is the safe choice: otherwise an eviction would unlock.)
 */
export function isVoid(recordGeneration: string, currentGeneration: string): boolean {
  return currentGeneration !== NO_GENERATION && recordGeneration !== currentGeneration;
}
