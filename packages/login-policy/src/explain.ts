import { networkKey } from '@sallyport/plugin-kit/addresses';
import { checkExplain, requireIp } from './call-arguments.js';
import type { CounterSnapshot, FailureCounters, LockedAddresses } from './counters/index.js';
import {
  accountCounter,
  type CounterKind,
  deviceCounter,
  ipCounter,
  isOn,
  type LoginCounter,
  subjectCounter,
} from './counters/index.js';
import type { KnownDevices } from './devices/index.js';
import type { LoginAccount } from './login-account.js';
import type { ValidPolicy } from './policy/index.js';

export interface ExplainInput {
  readonly username: string;
  /** In any case; default: the first configured terminal. */
  readonly terminal?: string | undefined;
  /**
   * The address whose counters to report. Default: the latest 20 addresses from which the name was locked, or refused
   * by the counter of the address. Only locks of the latter counter are reported.
   */
  readonly clientIp?: string | undefined;
}

/** The state of a counter. Times are milliseconds of the server's clock. */
export type CounterReport = {
  readonly counter: CounterKind;
  /** The counted address, IPv6 by its /64. Null if the counter counts all addresses. */
  readonly address: string | null;
  /** The number of failures within the window that locks the counter. */
  readonly limit: number;
} & (
  | {
      readonly state: 'counting';
      readonly failures: number;
      /** Attempts whose password is being verified, or whose verification failed with an error within the last 60 s. */
      readonly inFlight: number;
      /** The time at which the counter returns to zero. Null if it is zero. */
      readonly windowEndsAt: number | null;
    }
  | { readonly state: 'locked'; readonly lockedUntil: number }
);

export interface LoginExplanation {
  /** The normalised name. */
  readonly username: string;
  readonly terminal: string;
  /** The end of the last of the reported locks, in milliseconds. Null without a lock. */
  readonly lockedUntil: number | null;
  /** The counters that are on, locked ones first. Those of devices are in `devices`. */
  readonly counters: readonly CounterReport[];
  /** The devices from which the owner has signed in before. */
  readonly devices: {
    /** The number of devices with a live token. */
    readonly known: number;
    /** The number of these that count as unknown for now, after too many failures. */
    readonly locked: number;
  };
}

interface ExplainDependencies {
  readonly counters: FailureCounters;
  readonly lockedAddresses: LockedAddresses;
  readonly devices: KnownDevices;
  readonly readPolicy: () => Promise<ValidPolicy>;
  readonly identify: (username: unknown, terminal?: unknown) => LoginAccount;
}

export function createExplain(dependencies: ExplainDependencies) {
  const { counters, lockedAddresses, devices, readPolicy, identify } = dependencies;

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

  async function reportDevices(account: LoginAccount): Promise<LoginExplanation['devices']> {
    const known = (await devices.list(account.username)).map(deviceCounter);
    const snapshots = known.length === 0 ? [] : await counters.observe(known, account);
    return { known: known.length, locked: snapshots.filter(({ record }) => record?.state === 'locked').length };
  }

  return async function explain(input: ExplainInput): Promise<LoginExplanation> {
    checkExplain(input);
    const { username, terminal, clientIp } = input;
    const account = identify(username, terminal);
    const address = clientIp === undefined ? null : networkKey(requireIp('loginPolicy.explain: clientIp', clientIp));
    const policy = await readPolicy();
    const addresses = address === null ? await lockedAddresses.read(account) : [address];
    const perAddress = policy.failureIncludeIpEnabled ? addresses : [null];
    const asked: LoginCounter[] = [
      ...perAddress.map((each) => subjectCounter(account, each, policy)),
      accountCounter(account, policy),
      ...addresses.map((each) => ipCounter(each, policy)),
    ];
    const [known, snapshots] = await Promise.all([
      reportDevices(account),
      counters.observe(asked.filter(isOn), account),
    ]);
    const reports = await Promise.all(snapshots.map(report));
    const locked = reports.filter((each) => each.state === 'locked');
    const isOfName = ({ counter }: CounterReport) => counter !== 'ip';
    const isRelevant = (each: CounterReport) =>
      each.state === 'counting' && (address !== null || each.address === null || (isOfName(each) && each.failures > 0));
    return {
      ...account,
      lockedUntil: locked.length === 0 ? null : Math.max(...locked.map(({ lockedUntil }) => lockedUntil)),
      counters: [...locked, ...reports.filter(isRelevant)],
      devices: known,
    };
  };
}
