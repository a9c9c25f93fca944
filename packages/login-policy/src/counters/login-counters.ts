import { createHash } from 'node:crypto';
import { type IpAddress, networkKey } from '@sallyport/plugin-kit/addresses';
import type { LoginAccount } from '../login-account.js';
import type { LoginPolicy } from '../policy/index.js';
import type { CounterRecord, CountingRecord } from './counter-record.js';

/**
 * `subject` counts failures of a name, terminal and (with `failureIncludeIpEnabled`) address; `account` those of a name
 * and terminal from all addresses; `ip` those of an address on all names. `device` counts those that were made with one
 * device token.
 */
export type CounterKind = 'subject' | 'account' | 'ip' | 'device';

/** A counter that an attempt has to pass. */
export interface LoginCounter {
  readonly kind: CounterKind;
  /** The key of its record, without the prefix. */
  readonly key: string;
  /** The number of failures that locks the counter. */
  readonly limit: number;
  /** The address that it counts, IPv6 by its /64; null if it counts all addresses. */
  readonly address: string | null;
}

/** The state of a counter at the time of a read. */
export interface CounterSnapshot {
  readonly counter: LoginCounter;
  /** The account's generation, for a new record. */
  readonly generation: string;
  /** The text in the store, even if it is void. Null if the key is absent. */
  readonly text: string | null;
  /** Null if the record is absent or void, which means counting with zero failures. */
  readonly record: CounterRecord | null;
}

/** The place of an attempt in a window. */
export interface Reservation {
  readonly counter: LoginCounter;
  readonly text: string;
  readonly record: CountingRecord;
}

/**
 * Requirement LGN-12: the number of failures with one token after which it counts as unknown for the time of a lock. A
 * stolen token therefore allows this many guesses in addition to those of strangers.
 */
const MAX_DEVICE_FAILURES = 5;

/** The counters of an attempt. */
export interface AttemptCounters {
  /** The counter of every attempt, which is the lock of the interface document. */
  readonly subject: LoginCounter;
  /** The counter that an attempt from a known device passes instead of the wide ones. Null without a device token. */
  readonly device: LoginCounter | null;
  /** The counters that strangers can fill: of the account over all addresses, and of the address over all accounts. */
  readonly wide: readonly LoginCounter[];
}

/** @param deviceDigest the digest of the attempt's device token, known or not */
export function countersOf(
  account: LoginAccount,
  clientIp: IpAddress,
  deviceDigest: string | null,
  policy: LoginPolicy,
): AttemptCounters {
  const address = networkKey(clientIp);
  return {
    subject: subjectCounter(account, policy.failureIncludeIpEnabled ? address : null, policy),
    device: deviceDigest === null ? null : deviceCounter(deviceDigest),
    wide: [accountCounter(account, policy), ipCounter(address, policy)].filter(isOn),
  };
}

/** 0 turns a counter off. */
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

/** The digest of the token names the counter, which is the same for all terminals of the audience. */
export function deviceCounter(digest: string): LoginCounter {
  return { kind: 'device', key: digestKey('device', [digest]), limit: MAX_DEVICE_FAILURES, address: null };
}

/** The key of the record of a name's devices. */
export function devicesKey(username: string, audience: string): string {
  return digestKey('devices', [username, audience]);
}

/** The key of a record that each account has once. */
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
