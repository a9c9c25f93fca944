import { createHash } from 'node:crypto';
import { SessionRevokedError } from '@sallyport/auth-tokens';
import {
  createLoginAttempts,
  LoginLockedError,
  type LoginPolicyEvent,
  type LoginPolicyOptions,
} from '@sallyport/login-policy';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { SecondFactorFailedError } from '../../protection/errors.js';

/**
 * An account has ten wrong codes of an authenticator app a day. A stolen session, which lacks the password, gets at
 * most so many of them. No parameter: one of more than ten would take the bound back.
 */
const MAX_FAILED_STEP_UPS = 5;

const DAY = 86_400;
const TERMINAL = 'step-up';

export interface FailedStepUpsOptions {
  readonly store: LoginPolicyOptions['store'];
  readonly log: FastifyBaseLogger;
  /** Ends the session of the request, with a record. */
  readonly endSession: (request: FastifyRequest) => Promise<void>;
}

export interface FailedStepUps {
  /**
   * Runs the verification of a step-up. A place is taken before it, on any node, so that parallel guesses gain nothing.
   * The last failure of so many in a row ends the session; a success clears them.
   *
   * @throws {SecondFactorFailedError} if it resolves to false
   * @throws {SessionRevokedError} if this was the last failure, or one before it was
   * @throws {LoginLockedError} while as many verifications are under way, or what `verify` rejects with
   */
  attempt(request: FastifyRequest, verify: () => Promise<boolean>): Promise<void>;
}

/** The failed step-ups of each session (MFA-2). */
export function createFailedStepUps({ store, log, endSession }: FailedStepUpsOptions): FailedStepUps {
  const full = new WeakSet<FastifyRequest>();

  async function onEvent(event: LoginPolicyEvent): Promise<void> {
    if (event.type !== 'locked') return;
    const { request } = event.subject as unknown as { readonly request: FastifyRequest };
    full.add(request);
    await endSession(request);
  }

  const attempts = createLoginAttempts({
    store,
    keyPrefix: 'second-factor-failures:step-up:',
    terminals: [TERMINAL],
    log,
    onEvent,
    policy: {
      ...{ ipWhitelistEnabled: false, ipWhitelistValues: '', ipFailureCount: 0 },
      failureWindowSeconds: DAY,
      lockSeconds: DAY,
      failureIncludeIpEnabled: false,
      failureCount: MAX_FAILED_STEP_UPS,
      accountFailureCount: 0,
    },
  });

  /** The end of a session whose count is full may have failed, or be under way. */
  async function finishEnd(request: FastifyRequest, username: string): Promise<void> {
    const { counters } = await attempts.explain({ username, terminal: TERMINAL, clientIp: request.clientIp });
    if (!counters.some(({ state }) => state === 'locked')) return;
    await endSession(request);
    throw new SessionRevokedError();
  }

  return {
    async attempt(request, verify) {
      // Names of counters have no upper case.
      const username = createHash('sha256').update(request.principal!.sessionId).digest('hex');
      const { clientIp } = request;
      const subject = { username, terminal: TERMINAL, clientIp, request };
      let isCompared = false;
      const compare = () => {
        isCompared = true;
        return verify();
      };
      try {
        // A refusal, such as that of codes which are locked, has compared nothing.
        const isFailure = ({ error }: { readonly error?: unknown }) => (error === undefined ? undefined : false);
        if ((await attempts.attempt(subject, compare, { isFailure })) !== null) return;
      } catch (error) {
        if (!isCompared && error instanceof LoginLockedError) await finishEnd(request, username);
        throw error;
      }
      throw full.has(request) ? new SessionRevokedError() : new SecondFactorFailedError();
    },
  };
}
