import { networkKey } from '@sallyport/plugin-kit/addresses';
import { checkClear, checkClearAddress, requireIp } from './call-arguments.js';
import {
  type AccountGenerations,
  type CounterKind,
  type FailureCounters,
  ipCounter,
  isOn,
  type LockedAddresses,
} from './counters/index.js';
import type { KnownDevices } from './devices/index.js';
import type { LoginAccount } from './login-account.js';
import type { ValidOptions } from './options.js';
import { LOGIN_POLICY_DEFAULTS, type LoginPolicy } from './policy/index.js';

/** A lock that outlives a clear. */
export interface StillLocked {
  readonly counter: CounterKind;
  /** The counted address, IPv6 by its /64. Null if the counter counts all addresses. */
  readonly address: string | null;
  /** In milliseconds since 1970. */
  readonly lockedUntil: number;
}

/** The account whose counters to clear. */
export interface ClearInput {
  readonly username: string;
  /** In any case; default: the first configured terminal. */
  readonly terminal?: string | undefined;
}

/** The result of a clear. */
export interface ClearOutcome {
  /**
   * The locks that remain: those of addresses from which the name was recently locked or refused, and whose counter
   * over all names is locked. The newest address first. `clearAddress` ends such a lock.
   */
  readonly stillLocked: readonly StillLocked[];
}

interface ClearDependencies extends Pick<ValidOptions, 'onEvent'> {
  readonly counters: FailureCounters;
  readonly generations: AccountGenerations;
  readonly lockedAddresses: LockedAddresses;
  readonly devices: KnownDevices;
  readonly readPolicy: () => Promise<LoginPolicy>;
  readonly identify: (username: unknown, terminal?: unknown) => LoginAccount;
}

export function createClear(dependencies: ClearDependencies) {
  const { counters, generations, lockedAddresses, devices, readPolicy, identify, onEvent } = dependencies;

  /** A counter that is off has no lock. If the policy can't be read, all counters are on. */
  async function findLocks(account: LoginAccount): Promise<StillLocked[]> {
    const [policy, addresses] = await Promise.all([
      readPolicy().catch(() => LOGIN_POLICY_DEFAULTS),
      lockedAddresses.read(account),
    ]);
    const asked = addresses.map((address) => ipCounter(address, policy)).filter(isOn);
    if (asked.length === 0) return [];
    return (await counters.observe(asked, account)).flatMap(({ counter: { kind, address }, record }) =>
      record?.state === 'locked' ? { counter: kind, address, lockedUntil: record.endsAt } : [],
    );
  }

  return {
    async clear(input: ClearInput): Promise<ClearOutcome> {
      checkClear(input);
      const { username, terminal } = input;
      const account = identify(username, terminal);
      await Promise.all([generations.bump(account), devices.forget(account.username)]);
      await onEvent({ type: 'cleared', account });
      return { stillLocked: await findLocks(account) };
    },

    async clearAddress(input: { readonly clientIp: string }): Promise<void> {
      checkClearAddress(input);
      const address = networkKey(requireIp('loginPolicy.clearAddress: clientIp', input.clientIp));
      await counters.end(ipCounter(address, LOGIN_POLICY_DEFAULTS));
      await onEvent({ type: 'address-cleared', address });
    },
  };
}
