import { createHash } from 'node:crypto';
import { countedAddress, type IpAddress } from '../ip-address.js';
import type { LoginAccount } from '../login-account.js';
import type { LoginPolicy } from '../policy/index.js';

/**
 * `subject` counts failures of a name, terminal and (with `failureIncludeIpEnabled`) address; `account` those of a name
 * and terminal from all addresses; `ip` those of an address on all names. Requirement LGN-6.
 */
export type CounterKind = 'subject' | 'account' | 'ip';

/** A counter that an attempt has to pass. */
export interface LoginCounter {
  readonly kind: CounterKind;
  /** The key of its record, without the prefix. */
  readonly key: string;
  /** How many failures lock it. */
  readonly limit: number;
  /** The address that it counts, IPv6 by its /64; null if it counts all addresses. */
  readonly address: string | null;
}

/**
 * The counters of an attempt, narrowest first. They are passed in this order, so an attempt that one of them refuses
 * takes no place in a wider one: of parallel guesses on one subject exactly its limit are verified.
 */
export function countersOf(account: LoginAccount, clientIp: IpAddress, policy: LoginPolicy): LoginCounter[] {
  const address = countedAddress(clientIp);
  return [
    subjectCounter(account, policy.failureIncludeIpEnabled ? address : null, policy),
    accountCounter(account, policy),
    ipCounter(address, policy),
  ].filter(isOn);
}

/** Requirement LGN-6: 0 turns a counter off. */
export function isOn({ limit }: LoginCounter): boolean {
  return limit > 0;
}

/** @param address null: failures from all addresses */
export function subjectCounter(account: LoginAccount, address: string | null, policy: LoginPolicy): LoginCounter {
  const key = digestKey('subject', [account.username, account.terminal, address]);
  return { kind: 'subject', key, limit: policy.failureCount, address };
}

export function accountCounter(account: LoginAccount, policy: LoginPolicy): LoginCounter {
  const key = digestKey('account', [account.username, account.terminal]);
  return { kind: 'account', key, limit: policy.accountFailureCount, address: null };
}

export function ipCounter(address: string, policy: LoginPolicy): LoginCounter {
  return { kind: 'ip', key: digestKey('ip', [address]), limit: policy.ipFailureCount, address };
}

/** The key of a record of which an account has one. */
export function accountKey(name: 'generation' | 'locked-addresses', account: LoginAccount): string {
  return digestKey(name, [account.username, account.terminal]);
}

/**
 * A digest of the values as JSON, which is different for different lists: ('a:web', 'x') is not ('a', 'web:x'). Every
 * key has the same length, and the store contains no names (nor passwords that were typed into the wrong field).
 */
function digestKey(name: string, values: readonly (string | null)[]): string {
  return `${name}:${createHash('sha256').update(JSON.stringify(values)).digest('base64url')}`;
}
