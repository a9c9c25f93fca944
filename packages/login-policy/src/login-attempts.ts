import {
  type CounterSnapshot,
  countersOf,
  createAccountGenerations,
  createFailureCounters,
  createLockedAddresses,
  type Refusal,
  type Reservation,
} from './counters/index.js';
import {
  LoginIpRefusedError,
  LoginLockedError,
  LoginNameRefusedError,
  type LoginRefusal,
  LoginTerminalRefusedError,
} from './errors.js';
import { createExplain, type ExplainInput, type LoginExplanation } from './explain.js';
import { parseIp } from './ip-address.js';
import { type LoginAccount, type LoginSubject, normaliseTerminal, normaliseUsername } from './login-account.js';
import { type LoginPolicyOptions, readLoginPolicyOptions, type ValidOptions } from './options.js';
import { createPolicyReader, type ValidPolicy } from './policy/index.js';
import { type IsFailure, type Judgement, judge, settle, type Verified } from './verification.js';

/** Options of one attempt. */
export interface AttemptOptions<Result> {
  /** Asked before the engine's `isFailure`; where it answers undefined, that one is asked. Requirement ADP-6. */
  readonly isFailure?: IsFailure<Result> | undefined;
}

/** The engine, for use without Fastify. */
export interface LoginAttempts {
  /**
   * Runs `verify` if the policy lets the attempt through, and counts its outcome. `verify` checks the captcha, looks up
   * the account and verifies the password, with the same work for unknown names. Requirement ADP-6:
   * - It failed if it resolves to anything falsy, an empty array, or an object whose `ok`, `success` or `valid` is
   *   false. The failure is counted, and `attempt` resolves to null.
   * - It failed if it rejects with an error whose `statusCode` or `status` is 4xx other than 408 and 429. The failure
   *   is counted, and `attempt` rejects with that error.
   * - Any other rejection leaves the outcome open. The attempt keeps its place for 60 s (at most until its window
   *   ends), the error is logged at `error`, and `attempt` rejects with it.
   * - Any other result is a success: the failures of this subject are forgotten, and `attempt` resolves to it.
   *
   * `isFailure` overrides each of these rules.
   *
   * Rejects without running `verify` with `LoginTerminalRefusedError` (400), `LoginNameRefusedError` (400),
   * `LoginIpRefusedError` (403), `LoginLockedError` (429), `LoginPolicyUnavailableError` (503), or the store's
   * `StoreUnavailableError` (503). Answer 400 to a form without a password, and don't call `attempt` for it.
   */
  attempt<Result>(
    subject: LoginSubject,
    verify: () => Promise<Result>,
    options?: AttemptOptions<Result>,
  ): Promise<Verified<Result> | null>;

  /**
   * Forgets all failures and locks of a name and terminal, from all addresses, by one write. Counters of an address
   * over all names stay. `terminal` in any case; default: the first configured one. Requirement LGN-7.
   */
  clear(input: { readonly username: string; readonly terminal?: string | undefined }): Promise<void>;

  /** The counters of a name, and until when they refuse it. Only reads. Requirement LGN-10. */
  explain(input: ExplainInput): Promise<LoginExplanation>;
}

/** @throws LoginPolicySetupError naming every fault of the options */
export function createLoginAttempts(options: LoginPolicyOptions): LoginAttempts {
  return openLoginAttempts(readLoginPolicyOptions(options));
}

export function openLoginAttempts(options: ValidOptions): LoginAttempts {
  const { store, keyPrefix, policy, terminals, onEvent, isFailure, log, now } = options;
  const readPolicy = createPolicyReader(policy);
  const generations = createAccountGenerations(store, keyPrefix);
  const lockedAddresses = createLockedAddresses(store, keyPrefix);
  const counters = createFailureCounters({ store, keyPrefix, generations, lockedAddresses, now });

  let hasWarned = false;

  /** The terminal is mostly a literal of the application. Once: where it is not, any client could fill the log. */
  function warnOfTerminal(): void {
    if (hasWarned) return;
    hasWarned = true;
    log?.warn?.({ terminals }, 'A terminal was refused that is not in the option terminals of the login policy');
  }

  function identify(username: unknown, terminal: unknown): LoginAccount | LoginRefusal {
    const knownTerminal = normaliseTerminal(terminal, terminals);
    if (knownTerminal === null) {
      warnOfTerminal();
      return new LoginTerminalRefusedError();
    }
    const name = normaliseUsername(username);
    return name === null ? new LoginNameRefusedError() : { username: name, terminal: knownTerminal };
  }

  function identifyOrThrow(username: unknown, terminal: unknown = terminals[0]): LoginAccount {
    const account = identify(username, terminal);
    if (account instanceof Error) throw account;
    return account;
  }

  async function refuse(subject: LoginSubject, error: LoginRefusal): Promise<never> {
    await onEvent({ type: 'refused', subject, error });
    throw error;
  }

  async function refuseLocked(
    subject: LoginSubject,
    account: LoginAccount,
    refusals: readonly Refusal[],
  ): Promise<never> {
    await announceLocks(subject, account, refusals);
    const millis = Math.max(...refusals.map(({ endsAt }) => endsAt)) - now();
    return refuse(subject, new LoginLockedError(Math.max(1, Math.ceil(millis / 1000))));
  }

  async function announceLocks(
    subject: LoginSubject,
    account: LoginAccount,
    refusals: readonly Refusal[],
  ): Promise<void> {
    for (const { counter, endsAt, beganLock } of refusals) {
      if (beganLock) await onEvent({ type: 'locked', subject, account, counter: counter.kind, lockedUntil: endsAt });
    }
  }

  /** LGN-5. Reserves a place in every counter, or in none. */
  async function reserve(
    snapshots: readonly CounterSnapshot[],
    account: LoginAccount,
    policy: ValidPolicy,
  ): Promise<{ places: Reservation[] } | { refused: Refusal }> {
    const places: Reservation[] = [];
    try {
      for (const snapshot of snapshots) {
        const verdict = await counters.reserve(snapshot, account, policy);
        if ('refused' in verdict) {
          await Promise.all(places.map(counters.release));
          return verdict;
        }
        places.push(verdict.reserved);
      }
    } catch (error) {
      await releaseAll(places);
      throw error;
    }
    return { places };
  }

  /** After an error, which the caller rethrows. A place that can't be released stays counted until its window ends. */
  async function releaseAll(places: readonly Reservation[]): Promise<void> {
    await Promise.allSettled(places.map(counters.release));
  }

  async function recordFailure(
    subject: LoginSubject,
    account: LoginAccount,
    places: readonly Reservation[],
    policy: ValidPolicy,
  ): Promise<void> {
    const outcomes = await Promise.all(places.map((place) => counters.fail(place, account, policy)));
    await onEvent({ type: 'failed', subject, account, failures: outcomes[0]?.tally.failures ?? 0 });
    await announceLocks(
      subject,
      account,
      outcomes.flatMap(({ lock }) => lock ?? []),
    );
  }

  /** A place that can't be kept for a while stays taken until its window ends. */
  async function recordUnclear(places: readonly Reservation[], error: unknown): Promise<void> {
    await Promise.allSettled(places.map(counters.keep));
    log?.error({ err: error }, 'The verification of a sign-in broke off; the attempt keeps its place for 60 s');
  }

  /**
   * Forgets the failures of the subject: they were its owner's typing errors. Those of the account and of the address
   * stay. Otherwise an attacker could reset the counter of his address with an account of his own, and a botnet would
   * get a new account-wide limit each time the owner signs in.
   */
  async function recordSuccess(places: readonly Reservation[]): Promise<void> {
    const isSubject = ({ counter }: Reservation) => counter.kind === 'subject';
    await Promise.all(places.map((place) => (isSubject(place) ? counters.endWindow(place) : counters.release(place))));
  }

  return {
    async attempt<Result>(subject: LoginSubject, verify: () => Promise<Result>, own: AttemptOptions<Result> = {}) {
      const account = identify(subject.username, subject.terminal);
      if (account instanceof Error) return refuse(subject, account);
      const address = typeof subject.clientIp === 'string' ? parseIp(subject.clientIp) : null;
      if (address === null) throw new TypeError('clientIp must be an IP address, such as request.clientIp');

      const policy = await readPolicy();
      if (policy.ipWhitelistEnabled && !policy.admits(address)) return refuse(subject, new LoginIpRefusedError());

      const snapshots = await counters.observe(countersOf(account, address, policy), account);
      const locks = snapshots.flatMap(({ counter, record }) =>
        record?.state === 'locked' ? { counter, endsAt: record.endsAt, beganLock: false } : [],
      );
      if (locks.length > 0) return refuseLocked(subject, account, locks);

      const verdict = await reserve(snapshots, account, policy);
      if ('refused' in verdict) return refuseLocked(subject, account, [verdict.refused]);

      const outcome = await settle(verify);
      let judgement: Judgement;
      try {
        judgement = judge(outcome, [own.isFailure, isFailure]);
      } catch (error) {
        log?.error({ err: error }, 'isFailure did not decide; the attempt is counted as a failure');
        await recordFailure(subject, account, verdict.places, policy);
        throw 'error' in outcome ? outcome.error : error;
      }
      if (judgement === 'failed') await recordFailure(subject, account, verdict.places, policy);
      if (judgement === 'unclear') await recordUnclear(verdict.places, outcome.error);
      if (judgement === 'irrelevant') await releaseAll(verdict.places);
      if (judgement === 'passed') await recordSuccess(verdict.places);
      if ('error' in outcome) throw outcome.error;
      return judgement === 'passed' ? (outcome.result as Verified<Result>) : null;
    },

    async clear({ username, terminal }) {
      const account = identifyOrThrow(username, terminal);
      await generations.bump(account);
      await onEvent({ type: 'cleared', account });
    },

    explain: createExplain({ counters, lockedAddresses, readPolicy, identify: identifyOrThrow }),
  };
}
