import type { Principal } from '@sallyport/auth-tokens';
import type { SQL } from 'drizzle-orm';
import type { FastifyRequest } from 'fastify';
import { SecondFactorEnrolmentRequiredError, SecondFactorRequiredError, StepUpRequiredError } from './errors.js';
import type { Asking } from './password-duty.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the route needs a proof that is younger than some minutes: a factor or, without one, the password
     * (MFA-3). A function decides, first without the body, then with it. Sessions with a purpose, which a route has to
     * list, have given theirs just now.
     */
    stepUp?: true | ((request: FastifyRequest, rules: FactorRules) => boolean);
  }
}

/** The purpose of the sessions that wait for their second step, and of those that wait for an enrolment. */
export const SECOND_STEP = 'second-factor';
export const ENROLMENT = 'enrolment';

/** The proof of a session that has passed the second step. Other proofs are those of its first step. */
export const FACTOR_PROOF = 'factor';

/** The rules of an audience. */
export interface FactorRules {
  readonly mode: 'OFF' | 'OPTIONAL' | 'REQUIRED';
  readonly stepUpMinutes: number;
  /** Whether ending other sessions of the own account needs a proof that is as young. */
  readonly stepUpForSessions: boolean;
}

/** The question whether a request may go on. */
export interface FactorQuestion {
  /** Asks whether the account has a factor. Null: the answer does not depend on it. */
  readonly query: SQL | null;
  /** The refusal at this moment, or null. */
  refusal(isEnrolled: boolean): Error | null;
}

/** Finds out whether a session lacks a factor, or a proof that is young enough (MFA-2, MFA-3). */
export interface FactorDuty {
  /** Null: there is nothing to ask. A promise only if the parameters have to be read. */
  questionFor(request: FastifyRequest): FactorQuestion | null | Promise<FactorQuestion | null>;
  /** The same by parameters that were read before, for a transaction, see `PasswordDuty`. */
  questionAtHand(request: FastifyRequest): FactorQuestion | null;
  /** Whether `questionFor` may ask something, for a principal that the request does not have yet. */
  mayAsk(asking: Asking): boolean;
}

export interface FactorDutyOptions {
  /** The current values if they are cached. */
  readonly rulesAtHand: (audience: string) => FactorRules | null;
  readonly readRules: (audience: string) => Promise<FactorRules>;
  /** A query for whether the account has a factor. */
  readonly isEnrolledOf: (principal: Principal) => SQL;
  /** The clock of sessions, in milliseconds. It throws if the time is not known; every proof is then too old. */
  readonly now: () => number;
}

export function createFactorDuty({ rulesAtHand, readRules, isEnrolledOf, now }: FactorDutyOptions): FactorDuty {
  /** Every request with a principal reads them when it arrives. */
  const latest = new Map<string, FactorRules>();

  function takeAtHand(audience: string): FactorRules | null {
    const rules = rulesAtHand(audience);
    if (rules !== null) latest.set(audience, rules);
    return rules;
  }

  function isFresh({ proof }: Principal, { stepUpMinutes }: FactorRules): boolean {
    try {
      return proof !== undefined && now() - proof.at < stepUpMinutes * 60_000;
    } catch {
      return false;
    }
  }

  function ask(request: FastifyRequest, principal: Principal, rules: FactorRules): FactorQuestion | null {
    const isHeld = isHeldBy(rules, principal, request);
    const isStepUp = needsStepUp(request, rules);
    if (!isHeld && !isStepUp) return null;
    return {
      query: isHeld ? isEnrolledOf(principal) : null,
      refusal(isEnrolled) {
        if (isHeld && isEnrolled) return new SecondFactorRequiredError();
        if (isHeld && rules.mode === 'REQUIRED') return new SecondFactorEnrolmentRequiredError();
        return isStepUp && !isFresh(principal, rules) ? new StepUpRequiredError() : null;
      },
    };
  }

  async function readAndAsk(request: FastifyRequest, principal: Principal): Promise<FactorQuestion | null> {
    const rules = await readRules(principal.audience);
    latest.set(principal.audience, rules);
    return ask(request, principal, rules);
  }

  return {
    questionFor(request) {
      const principal = heldPrincipal(request);
      if (principal === null) return null;
      const rules = takeAtHand(principal.audience);
      return rules === null ? readAndAsk(request, principal) : ask(request, principal, rules);
    },
    questionAtHand(request) {
      const principal = heldPrincipal(request);
      if (principal === null) return null;
      const rules = takeAtHand(principal.audience) ?? latest.get(principal.audience);
      return rules === undefined ? null : ask(request, principal, rules);
    },
    mayAsk(asking) {
      const principal = heldPrincipal(asking);
      if (asking.routeOptions.config?.stepUp !== undefined) return true;
      const rules = principal === null ? null : takeAtHand(principal.audience);
      return principal !== null && (rules === null || isHeldBy(rules, principal, asking));
    },
  };
}

/** A session with a purpose has passed the check of its route. */
function heldPrincipal({ principal }: Asking): Principal | null {
  return principal === null || principal.purpose !== undefined ? null : principal;
}

/** Whether the session is held up if its account has a factor. */
function isHeldBy({ mode }: FactorRules, { proof }: Principal, { routeOptions }: Asking): boolean {
  return mode !== 'OFF' && proof?.method !== FACTOR_PROOF && !servesSecondStep(routeOptions);
}

/** The routes by which a session gets its factor, and the one by which it ends. */
function servesSecondStep({ config }: FastifyRequest['routeOptions']): boolean {
  return config?.sessionPurposes?.includes(SECOND_STEP) === true;
}

function needsStepUp(request: FastifyRequest, rules: FactorRules): boolean {
  const { stepUp } = request.routeOptions.config ?? {};
  return stepUp === true || stepUp?.(request, rules) === true;
}
