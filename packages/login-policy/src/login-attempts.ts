import { type AttemptOptions, createAttempt } from './attempt.js';
import { checkForget, checkIssue, checkSucceed, requireIp } from './call-arguments.js';
import { type ClearInput, type ClearOutcome, createClear } from './clear.js';
import {
  countersOf,
  createAccountGenerations,
  createFailureCounters,
  createLockedAddresses,
} from './counters/index.js';
import { createKnownDevices } from './devices/index.js';
import { LoginNameRefusedError, type LoginRefusal, LoginTerminalRefusedError } from './errors.js';
import { createExplain, type ExplainInput, type LoginExplanation } from './explain.js';
import { type LoginAccount, type LoginSubject, normaliseTerminal, normaliseUsername } from './login-account.js';
import { type LoginPolicyOptions, readLoginPolicyOptions, type ValidOptions } from './options.js';
import { createPolicyReader } from './policy/index.js';
import type { Verified } from './verification.js';

/** The account of a device token. */
export interface DeviceOwner {
  readonly username: string;
  /**
   * One of the engine's terminals, in any letter case. All terminals share the tokens. Default: the first configured
   * one.
   */
  readonly terminal?: string | undefined;
}

/**
 * The engine, for use without Fastify. Each call rejects with a TypeError for a misspelt member of its argument, and
 * for a value of a wrong type that the program gives.
 */
export interface LoginAttempts {
  /**
   * Runs `verify` if the policy lets the attempt through, and counts its outcome. `verify` looks up the account and
   * verifies the password, with the same work for unknown names; a captcha is checked by the option `precheck`:
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
   * `StoreUnavailableError` (503), or what `precheck` rejects with. Answer 400 to a form without a password, and don't
   * call `attempt` for it.
   */
  attempt<Result>(
    subject: LoginSubject,
    verify: () => Promise<Result>,
    options?: AttemptOptions<Result>,
  ): Promise<Verified<Result> | null>;

  /**
   * Counts a success whose last step came after `attempt`, as with a second factor: forgets the failures that a final
   * success forgets, those of this name and terminal at this address and those of the device. A lock stays. Give the
   * subject of the last step.
   */
  succeed(subject: LoginSubject): Promise<void>;

  /**
   * Forgets all failures and locks of a name and terminal, from all addresses, and all device tokens of the name, by
   * two writes. Counters of an address over all names stay: it resolves to those that are locked.
   */
  clear(input: ClearInput): Promise<ClearOutcome>;

  /**
   * Forgets the failures of an address over all names, and its lock; IPv6 by its /64. Locks of a name stay. Rejects
   * with a TypeError if the text is not an address.
   */
  clearAddress(input: { readonly clientIp: string }): Promise<void>;

  /**
   * Makes a token for the device from which the owner of the name has just signed in; the client sends it back as the
   * subject's `deviceToken`. An attempt with it passes a counter of its own instead of the counters that strangers
   * fill. It lives 90 days. A name has at most 10 tokens. Beyond that, the oldest one ends. `replaces`: the token that
   * the client sent. It ends ten minutes later, so that the owner does not lose the device if the reply is lost. The
   * token is a credential: 43 characters, 256 random bits, stored as a digest.
   *
   * Call it before the last check that the password has not changed since it was verified. Otherwise a token that is
   * made during a change of the password may outlive it.
   */
  issueDeviceToken(owner: DeviceOwner & { readonly replaces?: string | undefined }): Promise<string>;

  /** Ends all device tokens of a name, by one write. Call it after each change of a password. */
  forgetDevices(owner: DeviceOwner): Promise<void>;

  /** The counters of a name, and the time until which they refuse it. Changes nothing. */
  explain(input: ExplainInput): Promise<LoginExplanation>;
}

/**
 * The engine, for use without Fastify.
 *
 * @example
 * ```ts
 * const client = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', {
 *   autoResendUnfulfilledCommands: false,
 * });
 * const logins = createLoginAttempts({ store: createRedisStore({ client, keyPrefix: 'my-service:' }) });
 *
 * const subject = { username: 'ada', terminal: 'web', clientIp: '192.0.2.7' };
 * assert.equal(await logins.attempt(subject, async () => null), null);
 * ```
 *
 * @throws LoginPolicySetupError naming every fault of the options
 */
export function createLoginAttempts(options: LoginPolicyOptions): LoginAttempts {
  return openLoginAttempts(readLoginPolicyOptions(options));
}

export function openLoginAttempts(options: ValidOptions): LoginAttempts {
  const { store, keyPrefix, policy, terminals, audience, onEvent, isFailure, log, now } = options;
  const readPolicy = createPolicyReader(policy);
  const generations = createAccountGenerations(store, keyPrefix);
  const lockedAddresses = createLockedAddresses(store, keyPrefix);
  const devices = createKnownDevices({ store, keyPrefix, audience: audience ?? (terminals[0] as string), now });
  const counters = createFailureCounters({ store, keyPrefix, generations, lockedAddresses, now });

  let hasWarned = false;

  /**
   * The terminal is usually a literal of the application. The warning is logged once, because a client that chooses the
   * terminal could otherwise fill the log.
   */
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

  const parts = { counters, generations, lockedAddresses, devices, readPolicy, onEvent };
  return {
    attempt: createAttempt({ ...parts, isFailure, log, now, identify }),
    ...createClear({ ...parts, identify: identifyOrThrow }),
    async succeed(subject) {
      checkSucceed(subject);
      const account = identifyOrThrow(subject.username, subject.terminal);
      const address = requireIp('loginPolicy.succeed: subject.clientIp', subject.clientIp);
      const digest = devices.digestOf(subject.deviceToken);
      // A token of another name may be sent as well, and its failures stay.
      const isOfName = digest !== null && (await devices.has(account.username, digest));
      const { subject: own, device } = countersOf(account, address, isOfName ? digest : null, await readPolicy());
      const observed = await counters.observe(device === null ? [own] : [own, device], account);
      await Promise.all(
        observed.map(async ({ counter, record, text }) => {
          // Attempts in flight lose their window, as after any success.
          if (record?.state === 'counting' && text !== null) await counters.endWindow({ counter, record, text });
        }),
      );
    },

    explain: createExplain({ ...parts, identify: identifyOrThrow }),

    async issueDeviceToken(owner) {
      checkIssue(owner);
      const { username, terminal, replaces } = owner;
      return devices.issue(identifyOrThrow(username, terminal).username, devices.digestOf(replaces));
    },

    async forgetDevices(owner) {
      checkForget(owner);
      const { username, terminal } = owner;
      await devices.forget(identifyOrThrow(username, terminal).username);
    },
  };
}
