import { createLoginAttempts, type LoginPolicyEvent, type LoginPolicyOptions } from '@sallyport/login-policy';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type FactorOwner, principalOf } from './owner.js';

const DAY = 86_400;

/** NIST SP 800-63B bounds the guesses of a six-digit code. They count over all addresses, sessions and steps. */
const MAX_WRONG_TOTP_CODES = 20;

/** Nobody can guess 120 bits. A stranger's failures are counted by address, so they lock no owner out elsewhere. */
const MAX_WRONG_LONG_CODES = 10;
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

interface AuditedSubject {
  readonly request: FastifyRequest;
  readonly owner: FactorOwner;
}

/** The failures of second factors, apart from those of passwords: a right password clears none of them (MFA-2). */
export function createFactorFailures(store: LoginPolicyOptions['store'], log: FastifyBaseLogger): FactorFailures {
  async function onEvent(event: LoginPolicyEvent): Promise<void> {
    if (event.type !== 'locked') return;
    const { request, owner } = event.subject as unknown as AuditedSubject;
    const { lockedUntil, account } = event;
    const detail = { kind: account.terminal, lockedUntil };
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
      failureCount: MAX_WRONG_TOTP_CODES,
      // A right code forgets the failures of the subject, but not those of the account.
      accountFailureCount: MAX_WRONG_TOTP_CODES,
    },
  });
  const longCodes = createLoginAttempts({
    store,
    keyPrefix: `${KEY_PREFIX}long:`,
    terminals: ['recovery-code', 'enrolment-code'],
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
      await totp.clear({ username: principalOf(owner) });
    },
  };
}
