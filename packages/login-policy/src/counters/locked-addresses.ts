import type { TtlStore } from '@sallyport/ttl-store';
import type { LoginAccount } from '../login-account.js';
import { MAX_POLICY_SECONDS } from '../policy/index.js';
import { accountKey } from './login-counters.js';

/** The newest ones are kept. With the defaults, the account-wide counter locks after four. */
const MAX_ADDRESSES = 20;

/** Lost races after which an address is left out: the list is informative only. */
const MAX_ROUNDS = 5;

/**
 * The addresses from which an account was locked lately, for `explain`, which may be asked without an address. The list
 * is informative: decisions use the counters' records.
 */
export interface LockedAddresses {
  read(account: LoginAccount): Promise<readonly string[]>;
  note(account: LoginAccount, address: string): Promise<void>;
}

export function createLockedAddresses(
  store: Pick<TtlStore, 'get' | 'compareAndSet'>,
  keyPrefix: string,
): LockedAddresses {
  const keyOf = (account: LoginAccount) => keyPrefix + accountKey('locked-addresses', account);
  const parse = (text: string | null) => (text === null ? [] : (JSON.parse(text) as string[]));

  return {
    async read(account) {
      return parse(await store.get(keyOf(account)));
    },

    async note(account, address) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const text = await store.get(keyOf(account));
        const others = parse(text).filter((other) => other !== address);
        const noted = JSON.stringify([address, ...others].slice(0, MAX_ADDRESSES));
        if (await store.compareAndSet(keyOf(account), text, noted, MAX_POLICY_SECONDS * 1000)) return;
      }
    },
  };
}
