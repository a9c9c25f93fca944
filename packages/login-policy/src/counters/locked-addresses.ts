import type { TtlStore } from '@sallyport/ttl-store';
import type { LoginAccount } from '../login-account.js';
import { MAX_POLICY_SECONDS } from '../policy/index.js';
import { accountKey } from './login-counters.js';

/** The newest that are kept. The account-wide counter locks after four of them, as the defaults are. */
const MOST_ADDRESSES = 20;

/** Nobody waits for this list, so a race is not run for ever. */
const MAX_ROUNDS = 5;

/**
 * From which addresses an account was locked lately, for `explain`, which is asked for a name and knows no address.
 * A note, and nothing decides by it: the counters' records do.
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
        const noted = JSON.stringify([address, ...others].slice(0, MOST_ADDRESSES));
        if (await store.compareAndSet(keyOf(account), text, noted, MAX_POLICY_SECONDS * 1000)) return;
      }
    },
  };
}
