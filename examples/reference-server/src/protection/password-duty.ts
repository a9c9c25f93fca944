import type { Principal } from '@sallyport/auth-tokens';
import type { SQL } from 'drizzle-orm';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the route serves a session whose owner has to change the password first (PWD-7). Only for the change
     * itself and for signing out. Default: it is refused with PASSWORD_CHANGE_REQUIRED.
     */
    beforePasswordChange?: 'served';
  }
}

/** A request, or one with the principal that it will have. */
export type Asking = Pick<FastifyRequest, 'principal' | 'routeOptions'>;

/** Finds out whether the owner of a session has to change the password before anything else (PWD-7). */
export interface PasswordDuty {
  /**
   * A query for the reason, a text or null, by the current parameters. Null if there is nothing to ask: no such rule is
   * in force, the request has no principal, or its route is served anyway. A promise only if the parameters have to be
   * read.
   */
  queryFor(request: FastifyRequest): SQL | null | Promise<SQL | null>;
  /** Whether `queryFor` may ask something, for a principal that the request does not have yet. */
  mayAsk(asking: Asking): boolean;
  /**
   * The same by parameters that were read before, for a transaction: the embedded database has one connection, so
   * nothing else can be read meanwhile.
   */
  queryAtHand(request: FastifyRequest): SQL | null;
}

interface PasswordDutyOptions<Limits> {
  /** The current values if they are cached. */
  readonly limitsAtHand: () => Limits | null;
  readonly readLimits: () => Promise<Limits>;
  /** The query for an account. Null if no rule of its audience is in force. */
  readonly reasonOf: (principal: Principal, limits: Limits) => SQL | null;
}

export function createPasswordDuty<Limits>(options: PasswordDutyOptions<Limits>): PasswordDuty {
  const { limitsAtHand, readLimits, reasonOf } = options;
  /** Every request with a principal reads them when it arrives. */
  let latest: Limits | null = null;

  function takeAtHand(): Limits | null {
    latest = limitsAtHand() ?? latest;
    return latest;
  }

  async function readReason(principal: Principal): Promise<SQL | null> {
    latest = await readLimits();
    return reasonOf(principal, latest);
  }

  /** The owner of a session with a purpose first finishes the sign-in. */
  const heldPrincipal = ({ principal, routeOptions }: Asking) =>
    routeOptions.config?.beforePasswordChange === 'served' || principal?.purpose !== undefined ? null : principal;

  return {
    queryFor(request) {
      const principal = heldPrincipal(request);
      if (principal === null) return null;
      const limits = limitsAtHand();
      if (limits === null) return readReason(principal);
      latest = limits;
      return reasonOf(principal, limits);
    },
    mayAsk(asking) {
      const principal = heldPrincipal(asking);
      const limits = principal === null ? null : limitsAtHand();
      return principal !== null && (limits === null || reasonOf(principal, limits) !== null);
    },
    queryAtHand(request) {
      const principal = heldPrincipal(request);
      const limits = takeAtHand();
      return principal === null || limits === null ? null : reasonOf(principal, limits);
    },
  };
}
