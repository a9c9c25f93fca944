import type { CounterSnapshot, FailureCounters, LockedAddresses } from './counters/index.js';
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
import type { ValidPolicy } from './policy/index.js';

export interface ExplainInput {
  readonly username: string;
  /** In any case; default: the first configured terminal. */
  readonly terminal?: string | undefined;
  /** The address whose counters to report. Default: the latest 20 addresses from which the name was locked. */
  readonly clientIp?: string | undefined;
}

/** The state of a counter. Times are milliseconds of the server's clock. */
export type CounterReport = {
  readonly counter: CounterKind;
  /** The address that it counts, IPv6 by its /64; null if it counts all addresses. */
  readonly address: string | null;
  /** How many failures within the window lock it. */
  readonly limit: number;
} & (
  | {
      readonly state: 'counting';
      readonly failures: number;
      /** Attempts whose password is being verified, or whose verification broke off within the last 60 s. */
      readonly inFlight: number;
      /** When the counter returns to zero; null if it is zero. */
      readonly windowEndsAt: number | null;
    }
  | { readonly state: 'locked'; readonly lockedUntil: number }
);

export interface LoginExplanation {
  /** Normalised. */
  readonly username: string;
  readonly terminal: string;
  /** When the last of the reported locks ends, in milliseconds; null without a lock. */
  readonly lockedUntil: number | null;
  /** The counters that are on, locked ones first. */
  readonly counters: readonly CounterReport[];
}

interface ExplainDependencies {
  readonly counters: FailureCounters;
  readonly lockedAddresses: LockedAddresses;
  readonly readPolicy: () => Promise<ValidPolicy>;
  readonly identify: (username: unknown, terminal?: unknown) => LoginAccount;
}

export function createExplain({ counters, lockedAddresses, readPolicy, identify }: ExplainDependencies) {
  async function report(snapshot: CounterSnapshot): Promise<CounterReport> {
    const { kind, address, limit } = snapshot.counter;
    const about = { counter: kind, address, limit };
    const { record } = snapshot;
    if (record?.state === 'locked') return { ...about, state: 'locked', lockedUntil: record.endsAt };
    return {
      ...about,
      state: 'counting',
      ...(await counters.readTally(snapshot)),
      windowEndsAt: record?.endsAt ?? null,
    };
  }

  /** The subject's counter. If there is one per address and none is given: those of the addresses locked lately. */
  async function subjectCounters(account: LoginAccount, address: string | null, policy: ValidPolicy) {
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
    const isRelevant = (each: CounterReport) =>
      each.state === 'counting' && (address !== null || each.address === null || each.failures > 0);
    return {
      ...account,
      lockedUntil: locked.length === 0 ? null : Math.max(...locked.map(({ lockedUntil }) => lockedUntil)),
      counters: [...locked, ...reports.filter(isRelevant)],
    };
  };
}
