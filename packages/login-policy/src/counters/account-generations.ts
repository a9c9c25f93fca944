import { randomUUID } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import type { LoginAccount } from '../login-account.js';
import { MAX_POLICY_SECONDS } from '../policy/index.js';
import { accountKey } from './login-counters.js';

/** No account of this name was cleared lately. */
export const NO_GENERATION = '';

/**
 * Longer than any record that a clear makes void can live: a window or lock of the longest length, begun by an attempt
 * that was in flight during the clear. So when the generation expires there is nothing left that could come back.
 */
const GENERATION_TTL_MILLIS = 2 * MAX_POLICY_SECONDS * 1000;

/** Requirement LGN-7: one key for each account that was cleared, whatever the number of its counters. */
export interface AccountGenerations {
  /** The generation of records that count; {@link NO_GENERATION} if the account wasn't cleared lately. */
  read(account: LoginAccount): Promise<string>;
  /** Makes every record of an earlier generation void, at once, by one write. */
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
 * Whether a clear has come since the record was made. Without a present generation none is void: the generation has
 * expired, and every record of before with it; those that are there were made after, and a lock among them holds. (If
 * a store loses the key before its time, what a clear had ended may refuse again for the rest of its life. The
 * other way round an eviction would unlock.)
 */
export function isVoid(recordGeneration: string, presentGeneration: string): boolean {
  return presentGeneration !== NO_GENERATION && recordGeneration !== presentGeneration;
}
