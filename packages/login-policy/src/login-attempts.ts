import {
  countersOf,
  createAccountGenerations,
  createFailureCounters,
  createLockedAddresses,
  type Refusal,
  type Reservation,
  type Sighting,
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
import { type LoginAccount, normaliseTerminal, normaliseUsername } from './login-account.js';
import { checkOptions, type LoginPolicyOptions } from './options.js';
import { type CheckedPolicy, createPolicyReader } from './policy/index.js';

/** Who tries to sign in, as submitted. */
export interface LoginSubject {
  readonly username: string;
  readonly terminal: string;
  /** The client's address, from a source that a client can't write: `request.clientIp` of @sallyport/client-ip. */
  readonly clientIp: string;
}

/** What a verification yields when it didn't fail. */
export type Verified<Result> = Exclude<Result, null | undefined | false | 0 | '' | 0n>;

/** The engine, for use without Fastify. */
export interface LoginAttempts {
  /**
   * Runs `verify` if the policy lets the attempt through, and counts its outcome. `verify` does the captcha, the look-up
   * and the password, alike for names that exist and names that don't, and
   * - resolves to who has signed in: the attempt is given back, and this subject's failures are forgotten;
   * - resolves to null (or anything falsy): it is a failure, and `attempt` resolves to null;
   * - rejects: nothing was learnt about the password (a captcha refused, a database away), so the attempt is given
   *   back, and `attempt` rejects with that error. Never reject over a wrong password: it would not be counted.
   *
   * Rejects without running `verify` with `LoginTerminalRefusedError` (400), `LoginNameRefusedError` (400),
   * `LoginIpRefusedError` (403), `LoginLockedError` (429), `LoginPolicyUnavailableError` (503), or the store's
   * `StoreUnavailableError` (503). Call it for a complete form only: no password is no attempt, but a 400 of yours.
   */
  attempt<Result>(subject: LoginSubject, verify: () => Promise<Result>): Promise<Verified<Result> | null>;

  /**
   * Forgets all failures and locks of a name and terminal, from all addresses, at once and by one write. Those of an
   * address over all names stay. `terminal` in any case, by default the first of the configured ones. Requirement LGN-7.
   */
  clear(input: { readonly username: string; readonly terminal?: string | undefined }): Promise<void>;

  /** Which counters hold what about a name, and which refuse it until when. Changes nothing. Requirement LGN-10. */
  explain(input: ExplainInput): Promise<LoginExplanation>;
}

/** @throws LoginPolicySetupError naming every bad option. */
export function createLoginAttempts(given: LoginPolicyOptions): LoginAttempts {
  const { store, keyPrefix, policy, terminals, onEvent, now } = checkOptions(given);
  const readPolicy = createPolicyReader(policy);
  const generations = createAccountGenerations(store, keyPrefix);
  const lockedAddresses = createLockedAddresses(store, keyPrefix);
  const counters = createFailureCounters({ store, keyPrefix, generations, lockedAddresses, now });

  function identify(username: unknown, terminal: unknown): LoginAccount | LoginRefusal {
    const knownTerminal = normaliseTerminal(terminal, terminals);
    if (knownTerminal === null) return new LoginTerminalRefusedError();
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

  /** LGN-5. All counters take the attempt, or none does. */
  async function reserve(
    sightings: readonly Sighting[],
    account: LoginAccount,
    policy: CheckedPolicy,
  ): Promise<{ places: Reservation[] } | { refused: Refusal }> {
    const places: Reservation[] = [];
    try {
      for (const seen of sightings) {
        const verdict = await counters.reserve(seen, account, policy);
        if ('refused' in verdict) {
          await Promise.all(places.map(counters.release));
          return verdict;
        }
        places.push(verdict.reserved);
      }
    } catch (error) {
      await giveBack(places);
      throw error;
    }
    return { places };
  }

  /** If that can't be done either, the attempt stays counted until its window ends; the error that led here is the one to tell. */
  async function giveBack(places: readonly Reservation[]): Promise<void> {
    await Promise.allSettled(places.map(counters.release));
  }

  async function recordFailure(
    subject: LoginSubject,
    account: LoginAccount,
    places: readonly Reservation[],
    policy: CheckedPolicy,
  ): Promise<null> {
    const outcomes = await Promise.all(places.map((place) => counters.fail(place, account, policy)));
    await onEvent({ type: 'failed', subject, account, failures: outcomes[0]?.tally.failures ?? 0 });
    await announceLocks(
      subject,
      account,
      outcomes.flatMap(({ lock }) => lock ?? []),
    );
    return null;
  }

  /**
   * Forgets the failures of the subject, which the right password explains as its owner's. Those of the account and of
   * the address stay: otherwise whoever has one account could, between guesses at others, wipe his address clean with
   * it, and a botnet would have a fresh account-wide ceiling each time the owner signs in.
   */
  async function recordSuccess(places: readonly Reservation[]): Promise<void> {
    const isSubject = ({ counter }: Reservation) => counter.kind === 'subject';
    await Promise.all(places.map((place) => (isSubject(place) ? counters.endWindow(place) : counters.release(place))));
  }

  return {
    async attempt<Result>(subject: LoginSubject, verify: () => Promise<Result>) {
      const account = identify(subject.username, subject.terminal);
      if (account instanceof Error) return refuse(subject, account);
      const address = typeof subject.clientIp === 'string' ? parseIp(subject.clientIp) : null;
      if (address === null) throw new TypeError('clientIp must be an IP address, such as request.clientIp');

      const policy = await readPolicy();
      if (policy.ipWhitelistEnabled && !policy.admits(address)) return refuse(subject, new LoginIpRefusedError());

      const sightings = await counters.observe(countersOf(account, address, policy), account);
      const locks = sightings.flatMap(({ counter, record }) =>
        record?.state === 'locked' ? { counter, endsAt: record.endsAt, beganLock: false } : [],
      );
      if (locks.length > 0) return refuseLocked(subject, account, locks);

      const verdict = await reserve(sightings, account, policy);
      if ('refused' in verdict) return refuseLocked(subject, account, [verdict.refused]);

      let result: Result;
      try {
        result = await verify();
      } catch (error) {
        await giveBack(verdict.places);
        throw error;
      }
      if (!result) return recordFailure(subject, account, verdict.places, policy);
      await recordSuccess(verdict.places);
      return result as Verified<Result>;
    },

    async clear({ username, terminal }) {
      const account = identifyOrThrow(username, terminal);
      await generations.bump(account);
      await onEvent({ type: 'cleared', account });
    },

    explain: createExplain({ counters, lockedAddresses, readPolicy, identify: identifyOrThrow }),
  };
}
