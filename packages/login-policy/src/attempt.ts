import { type IpAddress, networkKey } from '@sallyport/plugin-kit/addresses';
import { checkAttemptOptions, checkSubject, checkVerify, requireIp } from './call-arguments.js';
import {
  type CounterSnapshot,
  countersOf,
  type FailureCounters,
  type LockedAddresses,
  type Refusal,
  type Reservation,
} from './counters/index.js';
import type { KnownDevices } from './devices/index.js';
import { LoginIpRefusedError, LoginLockedError, type LoginRefusal } from './errors.js';
import type { LoginAccount, LoginSubject } from './login-account.js';
import type { ValidOptions } from './options.js';
import type { ValidPolicy } from './policy/index.js';
import { type IsFailure, type Judgement, judge, settle, type Verified } from './verification.js';

/** Options of one attempt. */
export interface AttemptOptions<Result> {
  /** Called before the engine's `isFailure`, which is called only if this one returns undefined. */
  readonly isFailure?: IsFailure<Result> | undefined;
  /**
   * Checks a condition other than the password, such as a captcha. It runs after the whitelist and the locks, and
   * before a place is reserved. Thus a client that they refuse uses up no captcha, and a client without a captcha takes
   * no place from the owner. It rejects to refuse the attempt. `attempt` then rejects with the same error, and nothing
   * is counted. It must not read the password. It resolves to undefined; any other value is an error. Default: none.
   */
  readonly precheck?: (() => Promise<void>) | undefined;
  /**
   * Called with the result of a success, while the success is counted, so that what follows need not wait for that.
   * `attempt` waits for both, and rejects if one of them does: nobody then may use what it has made. Default: none.
   */
  readonly onPassed?: ((result: Verified<Result>) => Promise<void>) | undefined;
  /**
   * Whether a success ends the sign-in. If it returns false, because a second factor is still asked for, the attempt
   * gives its place back and changes no counter: a right password alone forgets no failure. Call `succeed` after the
   * last step. If it throws or returns anything but a boolean, `attempt` rejects, and the success counts as not final.
   * Default: every success is final.
   */
  readonly isFinal?: ((result: Verified<Result>) => boolean) | undefined;
}

/** An attempt whose account and address are known. */
interface Applicant {
  readonly subject: LoginSubject;
  readonly account: LoginAccount;
  readonly address: IpAddress;
}

/**
 * The counters that an attempt has to pass, narrowest first. An attempt that a counter refuses therefore takes no place
 * in a wider one. Of parallel guesses on one subject, exactly its limit are verified.
 */
type Lane = readonly CounterSnapshot[];

/**
 * The maximum age of a reading of the counters when a place is reserved, in milliseconds. The reservation detects later
 * changes, except for a window that has expired with its tally. For that case, a tally lives a minute longer than its
 * window.
 */
const MAX_SNAPSHOT_AGE_MILLIS = 5000;

interface AttemptDependencies extends Pick<ValidOptions, 'onEvent' | 'isFailure' | 'log' | 'now'> {
  readonly counters: FailureCounters;
  readonly lockedAddresses: LockedAddresses;
  readonly devices: KnownDevices;
  readonly readPolicy: () => Promise<ValidPolicy>;
  readonly identify: (username: unknown, terminal: unknown) => LoginAccount | LoginRefusal;
}

export function createAttempt(dependencies: AttemptDependencies) {
  const { counters, lockedAddresses, devices, readPolicy, identify, onEvent, isFailure, log, now } = dependencies;

  async function refuse(subject: LoginSubject, error: LoginRefusal): Promise<never> {
    await onEvent({ type: 'refused', subject, error });
    throw error;
  }

  async function refuseLocked(applicant: Applicant, refusals: readonly Refusal[]): Promise<never> {
    const { subject, account, address } = applicant;
    await announceLocks(applicant, refusals);
    const millis = Math.max(1, ...refusals.map(({ endsAt }) => endsAt - now()));
    if (refusals.some(({ counter }) => counter.kind === 'ip')) {
      await lockedAddresses.noteRefusal(account, networkKey(address), millis);
    }
    return refuse(subject, new LoginLockedError(Math.ceil(millis / 1000)));
  }

  async function announceLocks({ subject, account }: Applicant, refusals: readonly Refusal[]): Promise<void> {
    for (const { counter, endsAt, beganLock } of refusals) {
      if (beganLock) await onEvent({ type: 'locked', subject, account, counter: counter.kind, lockedUntil: endsAt });
    }
  }

  /**
   * The lanes of counters without a lock, the better one first. An attempt from a known device does not pass the
   * counters that strangers fill. When the device's own counter is full, the attempt is treated like any other
   * (LGN-12).
   */
  async function findLanes(applicant: Applicant, policy: ValidPolicy): Promise<readonly Lane[]> {
    const { subject, account, address } = applicant;
    const digest = devices.digestOf(subject.deviceToken);
    const { subject: own, device, wide } = countersOf(account, address, digest, policy);
    const [isKnown, [ownSnapshot, ...snapshots]] = await Promise.all([
      digest !== null && devices.has(account.username, digest),
      counters.observe([own, ...wide, ...(device === null ? [] : [device])], account),
    ]);
    const common = [ownSnapshot as CounterSnapshot, ...snapshots.slice(0, wide.length)];
    const lanes = isKnown ? [[common[0] as CounterSnapshot, ...snapshots.slice(wide.length)], common] : [common];
    const open = lanes.filter((lane) => locksOf(lane).length === 0);
    return open.length > 0 ? open : refuseLocked(applicant, locksOf(common));
  }

  /** Takes a place in every counter of the first lane whose counters all have one. */
  async function enter(applicant: Applicant, lanes: readonly Lane[], policy: ValidPolicy): Promise<Reservation[]> {
    let refused: Refusal | null = null;
    for (const lane of lanes) {
      const verdict = await reserve(lane, applicant.account, policy);
      if ('places' in verdict) return verdict.places;
      if (refused !== null) await announceLocks(applicant, [refused]);
      refused = verdict.refused;
      // The second lane is tried only if the counter of the device is full.
      if (refused.counter.kind !== 'device') break;
    }
    return refuseLocked(applicant, refused === null ? [] : [refused]);
  }

  /** LGN-5. Reserves a place in every counter, or in none. */
  async function reserve(
    snapshots: Lane,
    account: LoginAccount,
    policy: ValidPolicy,
  ): Promise<{ places: Reservation[] } | { refused: Refusal }> {
    const together = await counters.reserveTogether(snapshots, policy);
    if (together !== null) return { places: together };
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

  /**
   * Used after an error, which the caller rethrows. A place that can't be released stays counted until its window ends.
   */
  async function releaseAll(places: readonly Reservation[]): Promise<void> {
    await Promise.allSettled(places.map(counters.release));
  }

  async function recordFailure(applicant: Applicant, places: readonly Reservation[], policy: ValidPolicy) {
    const { subject, account } = applicant;
    const outcomes = await Promise.all(places.map((place) => counters.fail(place, account, policy)));
    await onEvent({ type: 'failed', subject, account, failures: outcomes[0]?.tally.failures ?? 0 });
    await announceLocks(
      applicant,
      outcomes.flatMap(({ lock }) => lock ?? []),
    );
  }

  /** A place that can't be kept for a while stays taken until its window ends. */
  async function recordUnclear(places: readonly Reservation[], error: unknown): Promise<void> {
    await Promise.allSettled(places.map(counters.keep));
    log?.error({ err: error }, 'The verification of a sign-in broke off; the attempt keeps its place for 60 s');
  }

  /**
   * Forgets the failures of the subject and of the device, which were typing errors of the owner. The failures of the
   * account and of the address stay. Otherwise, an attacker could reset the counter of his address by signing in to his
   * own account, and a botnet would get a new account-wide limit each time the owner signs in.
   */
  async function recordSuccess(places: readonly Reservation[]): Promise<void> {
    const isOwn = ({ counter }: Reservation) => counter.kind === 'subject' || counter.kind === 'device';
    await Promise.all(places.map((place) => (isOwn(place) ? counters.endWindow(place) : counters.release(place))));
  }

  /** Both have ended when this one does. */
  async function complete<Result>(
    places: readonly Reservation[],
    result: Verified<Result>,
    { isFinal, onPassed }: AttemptOptions<Result>,
  ): Promise<void> {
    let final: unknown = true;
    try {
      final = isFinal === undefined || isFinal(result);
    } catch (error) {
      await releaseAll(places);
      throw error;
    }
    const counted = final === true ? recordSuccess(places) : Promise.all(places.map(counters.release));
    if (typeof final !== 'boolean') {
      await counted;
      throw new TypeError('loginPolicy.attempt: options.isFinal must return true or false');
    }
    const results = await Promise.allSettled([(async () => onPassed?.(result))(), counted]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  return async function attempt<Result>(
    subject: LoginSubject,
    verify: () => Promise<Result>,
    own: AttemptOptions<Result> = {},
  ): Promise<Verified<Result> | null> {
    checkSubject(subject);
    checkVerify(verify);
    checkAttemptOptions(own);
    const account = identify(subject.username, subject.terminal);
    if (account instanceof Error) return refuse(subject, account);
    const address = requireIp('loginPolicy.attempt: subject.clientIp', subject.clientIp);

    const policy = await readPolicy();
    if (policy.ipWhitelistEnabled && !policy.admits(address)) return refuse(subject, new LoginIpRefusedError());

    const applicant = { subject, account, address };
    let lanes = await findLanes(applicant, policy);
    if (own.precheck !== undefined) {
      const isRecent = startAge(now);
      await passPrecheck(own.precheck);
      if (!isRecent()) lanes = await findLanes(applicant, policy);
    }
    const places = await enter(applicant, lanes, policy);

    const outcome = await settle(verify);
    let judgement: Judgement;
    try {
      judgement = judge(outcome, [own.isFailure, isFailure]);
    } catch (error) {
      log?.error({ err: error }, 'isFailure did not decide; the attempt is counted as a failure');
      await recordFailure(applicant, places, policy);
      throw 'error' in outcome ? outcome.error : error;
    }
    if (judgement === 'failed') await recordFailure(applicant, places, policy);
    if (judgement === 'unclear') await recordUnclear(places, outcome.error);
    if (judgement === 'irrelevant') await releaseAll(places);
    if (judgement === 'passed') await complete(places, outcome.result as Verified<Result>, own);
    if ('error' in outcome) throw outcome.error;
    return judgement === 'passed' ? (outcome.result as Verified<Result>) : null;
  };
}

/**
 * Starts to measure the age of a reading of the counters. The result returns whether the reading may still be used. The
 * monotonic clock is not affected by a step of the wall clock.
 */
function startAge(now: () => number): () => boolean {
  const began = [now(), performance.now()] as const;
  return () => {
    const ages = [now() - began[0], performance.now() - began[1]];
    return ages.every((age) => age >= 0 && age <= MAX_SNAPSHOT_AGE_MILLIS);
  };
}

/** Requirement LGN-13. A result such as `false` was meant as a refusal, so the attempt is refused. */
async function passPrecheck(precheck: () => Promise<void>): Promise<void> {
  const answer: unknown = await precheck();
  if (answer === undefined) return;
  throw new TypeError(
    'loginPolicy.attempt: options.precheck must resolve to undefined, or reject to refuse the attempt',
  );
}

function locksOf(lane: Lane): Refusal[] {
  return lane.flatMap(({ counter, record }) =>
    record?.state === 'locked' ? { counter, endsAt: record.endsAt, beganLock: false } : [],
  );
}
