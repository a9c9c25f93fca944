import { createLoginAttempts, type LoginPolicyEvent, type LoginPolicyOptions } from '@sallyport/login-policy';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type FactorOwner, principalOf } from './owner.js';

const DAY = 86_400;

/**
 * NIST SP 800-63B bounds the guesses of a six-digit code. They count over all addresses, sessions and steps. Any 24
 * hours touch at most two windows of a day, of which the first has less than the limit unless its lock lies between
 * them: at most 9 + 10 codes are compared, so MFA-2 holds for any 24 hours.
 */
const MAX_WRONG_TOTP_CODES = 10;

/** A right code begins this count again, so it never locks before the count of the account. */
const MAX_TOTP_CODES_IN_A_ROW = 20;

/** Nobody can guess 120 bits. A stranger's failures are counted by address, so they lock no owner out elsewhere. */
const MAX_WRONG_LONG_CODES = 10;
const LONG_CODES = ['recovery-code', 'enrolment-code'] as const;
const LONG_CODE_WINDOW = 600;

const KEY_PREFIX = 'second-factor-failures:';
const whitelistOff = { ipWhitelistEnabled: false, ipWhitelistValues: '', ipFailureCount: 0 } as const;

/** The codes that are counted. A passkey needs no count: each answer needs a challenge of its own. */
export type CountedKind = 'totp' | 'recovery-code' | 'enrolment-code';

export interface FactorFailures {
  /**
   * Runs a verification, and counts it as a failure if it resolves to null. It takes a place before it compares, so
   * parallel guesses gain nothing.
   *
   * @throws {LoginLockedError} without running it, after too many failures
   */
  attempt<Result>(
    owner: FactorOwner,
    kind: CountedKind,
    request: FastifyRequest,
    verify: () => Promise<Result | null>,
  ): Promise<Result | null>;
  /** After a reset: wrong codes of factors that are gone lock no new one. */
  forget(owner: FactorOwner): Promise<void>;
}

interface FactorFailureOptions {
  readonly log: FastifyBaseLogger;
  /** Counts a lock, by the kind of the code. */
  readonly noteLock: (kind: string) => void;
}

interface AuditedSubject {
  readonly request: FastifyRequest;
  readonly owner: FactorOwner;
}

/**
 * The failures of second factors, apart from those of passwords: a right password clears none of them (MFA-2). A lock
 * is counted and logged as one of passwords. It is not among the locks in force, since no operator clears it alone: a
 * reset of the factors does.
 */
export function createFactorFailures(
  store: LoginPolicyOptions['store'],
  { log, noteLock }: FactorFailureOptions,
): FactorFailures {
  async function onEvent(event: LoginPolicyEvent): Promise<void> {
    if (event.type !== 'locked') return;
    const { request, owner } = event.subject as unknown as AuditedSubject;
    const { counter, lockedUntil, account, subject } = event;
    const kind = account.terminal;
    noteLock(kind);
    log.warn({ kind, counter, lockedUntil, clientIp: subject.clientIp }, 'codes of a second factor locked');
    const detail = { kind, lockedUntil };
    await request.audit?.record({
      action: 'second-factor.lock',
      target: owner.username,
      outcome: 'refused',
      reason: 'LOGIN_LOCKED',
      detail,
    });
  }
  const totp = createLoginAttempts({
    store,
    keyPrefix: `${KEY_PREFIX}totp:`,
    terminals: ['totp'],
    log,
    onEvent,
    policy: {
      ...whitelistOff,
      failureWindowSeconds: DAY,
      lockSeconds: DAY,
      failureIncludeIpEnabled: false,
      failureCount: MAX_TOTP_CODES_IN_A_ROW,
      // A right code forgets the failures of the subject, but not those of the account.
      accountFailureCount: MAX_WRONG_TOTP_CODES,
    },
  });
  const longCodes = createLoginAttempts({
    store,
    keyPrefix: `${KEY_PREFIX}long:`,
    terminals: LONG_CODES,
    log,
    onEvent,
    policy: {
      ...whitelistOff,
      failureWindowSeconds: LONG_CODE_WINDOW,
      lockSeconds: LONG_CODE_WINDOW,
      failureIncludeIpEnabled: true,
      failureCount: MAX_WRONG_LONG_CODES,
      accountFailureCount: 0,
    },
  });
  return {
    async attempt<Result>(
      owner: FactorOwner,
      kind: CountedKind,
      request: FastifyRequest,
      verify: () => Promise<Result | null>,
    ) {
      const username = principalOf(owner);
      const subject = { username, terminal: kind, clientIp: request.clientIp, request, owner };
      return (await (kind === 'totp' ? totp : longCodes).attempt(subject, verify)) as Result | null;
    },
    async forget(owner) {
      const username = principalOf(owner);
      await totp.clear({ username });
      for (const terminal of LONG_CODES) await longCodes.clear({ username, terminal });
    },
  };
}
