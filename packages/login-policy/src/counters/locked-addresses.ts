import type { TtlStore } from '@sallyport/ttl-store';
import type { LoginAccount } from '../login-account.js';
import { MAX_POLICY_SECONDS } from '../policy/index.js';
import { accountKey } from './login-counters.js';

/**
 * The maximum number of addresses, of which the newest are kept. With the defaults, the account-wide counter locks
 * after four.
 */
const MAX_ADDRESSES = 20;

/** Lost races after which an address is left out. The list is informative only. */
const MAX_ROUNDS = 5;

/**
 * The addresses from which an account was recently locked, or refused by the counter of the address. They serve
 * `explain` and `clear`, which may be called without an address. The list is informative: decisions use the counters'
 * records.
 */
export interface LockedAddresses {
  /** The newest lock first. */
  read(account: LoginAccount): Promise<readonly string[]>;
  /** A lock of the account and address began. */
  note(account: LoginAccount, address: string): Promise<void>;
  /**
   * The address itself is locked, and the account was refused. Writes only if the address is not in the list yet. A new
   * list is stored for `ttlMillis`, so that refused guesses at many names do not fill the store.
   */
  noteRefusal(account: LoginAccount, address: string, ttlMillis: number): Promise<void>;
}

export function createLockedAddresses(
  store: Pick<TtlStore, 'get' | 'compareAndSet'>,
  keyPrefix: string,
): LockedAddresses {
  const keyOf = (account: LoginAccount) => keyPrefix + accountKey('locked-addresses', account);
  const parse = (text: string | null) => (text === null ? [] : (JSON.parse(text) as string[]));
  const DAY_MILLIS = MAX_POLICY_SECONDS * 1000;

  /** @param ttlMillisOf null: nothing is written */
  async function put(
    account: LoginAccount,
    address: string,
    ttlMillisOf: (text: string | null) => number | null,
  ): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const text = await store.get(keyOf(account));
      const ttlMillis = ttlMillisOf(text);
      if (ttlMillis === null) return;
      const others = parse(text).filter((other) => other !== address);
      const noted = JSON.stringify([address, ...others].slice(0, MAX_ADDRESSES));
      if (await store.compareAndSet(keyOf(account), text, noted, ttlMillis)) return;
    }
  }

  return {
    async read(account) {
      return parse(await store.get(keyOf(account)));
    },

    note: (account, address) => put(account, address, () => DAY_MILLIS),

    noteRefusal: (account, address, ttlMillis) =>
      put(account, address, (text) => {
        if (text === null) return ttlMillis;
        return parse(text).includes(address) ? null : DAY_MILLIS;
      }),
  };
}
