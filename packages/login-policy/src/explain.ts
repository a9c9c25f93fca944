import type { FailureCounters, LockedAddresses, Sighting } from './counters/index.js';
import {
  accountCounter,
  type CounterKind,
  ipCounter,
  isOn,
  type LoginCounter,
  subjectCounter,
} from './counters/index.js';
import { countedAddress, parseIp } from './ip-address.js';
import type { LoginAccount } from './login-account.js';
import type { CheckedPolicy } from './policy/index.js';

export interface ExplainInput {
  readonly username: string;
  /** In any case; by default the first of the configured terminals. */
  readonly terminal?: string | undefined;
  /** Whose counters to look at. Without it: those of every address from which the name was locked lately, at most 20. */
  readonly clientIp?: string | undefined;
}

/** What a counter holds. Times are milliseconds of the server's clock. */
export type CounterReport = {
  readonly counter: CounterKind;
  /** The address that it counts, IPv6 by its /64; null if it counts all. */
  readonly address: string | null;
  /** How many failures within the window lock it. */
  readonly limit: number;
} & (
  | {
      readonly state: 'counting';
      readonly failures: number;
      /** Attempts whose password is being verified. They count until their outcome is known. */
      readonly inFlight: number;
      /** When the counter becomes zero by itself; null if it is. */
      readonly windowEndsAt: number | null;
    }
  | { readonly state: 'locked'; readonly lockedUntil: number }
);

export interface LoginExplanation {
  /** As it is counted: normalised. */
  readonly username: string;
  readonly terminal: string;
  /** When the last lock that is reported ends, in milliseconds; null if none holds. */
  readonly lockedUntil: number | null;
  /** The counters that are on: locked ones first. */
  readonly counters: readonly CounterReport[];
}

interface Parts {
  readonly counters: FailureCounters;
  readonly lockedAddresses: LockedAddresses;
  readonly readPolicy: () => Promise<CheckedPolicy>;
  readonly identify: (username: unknown, terminal?: unknown) => LoginAccount;
}

export function createExplain({ counters, lockedAddresses, readPolicy, identify }: Parts) {
  async function report(seen: Sighting): Promise<CounterReport> {
    const { kind, address, limit } = seen.counter;
    const about = { counter: kind, address, limit };
    if (seen.record?.state === 'locked') return { ...about, state: 'locked', lockedUntil: seen.record.endsAt };
    return {
      ...about,
      state: 'counting',
      ...(await counters.readTally(seen)),
      windowEndsAt: seen.record?.endsAt ?? null,
    };
  }

  /** The subject's counter of the address; or, where there is one for each address and none is named, of those that were locked. */
  async function subjectCounters(account: LoginAccount, address: string | null, policy: CheckedPolicy) {
    if (!policy.failureIncludeIpEnabled) return [subjectCounter(account, null, policy)];
    const addresses = address === null ? await lockedAddresses.read(account) : [address];
    return addresses.map((each) => subjectCounter(account, each, policy));
  }

  return async function explain({ username, terminal, clientIp }: ExplainInput): Promise<LoginExplanation> {
    const account = identify(username, terminal);
    const parsed = clientIp === undefined ? null : parseIp(clientIp);
    if (clientIp !== undefined && parsed === null) throw new TypeError('clientIp must be an IP address');
    const address = parsed === null ? null : countedAddress(parsed);
    const policy = await readPolicy();
    const asked: LoginCounter[] = [
      ...(await subjectCounters(account, address, policy)),
      accountCounter(account, policy),
      ...(address === null ? [] : [ipCounter(address, policy)]),
    ];
    const reports = await Promise.all((await counters.observe(asked.filter(isOn), account)).map(report));
    const locked = reports.filter((each) => each.state === 'locked');
    const isNews = (each: CounterReport) =>
      each.state === 'counting' && (address !== null || each.address === null || each.failures > 0);
    return {
      ...account,
      lockedUntil: locked.length === 0 ? null : Math.max(...locked.map(({ lockedUntil }) => lockedUntil)),
      counters: [...locked, ...reports.filter(isNews)],
    };
  };
}
