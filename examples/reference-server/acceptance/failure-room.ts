import { inShort } from './answer.js';
import { ownAddress } from './audit-trail.js';
import type { CheckContext } from './check.js';
import { NotRunError } from './not-run.js';

/** Failed sign-ins that must remain for the operator's address after a check. */
const RESERVE = 10;

/** The lock limit, and the address of this machine. */
export interface FailureRoom {
  /** Failures after which a name is locked. */
  readonly limit: number;
  /** The address that this machine is counted under. */
  readonly clientIp: string;
}

/**
 * Failed sign-ins also count for their address, over all names. A check that would bring the address near its limit,
 * and lock out all users behind it, does not run.
 *
 * @param username a temporary account, whose counters are read
 * @throws NotRunError
 */
export async function roomForFailures(
  { deployment, operator }: Pick<CheckContext, 'deployment' | 'operator'>,
  username: string,
  needed: (limit: number) => number,
): Promise<FailureRoom> {
  const { token } = operator;
  const clientIp = await ownAddress({ deployment, operator });
  const query = new URLSearchParams({ username, terminal: 'web', clientIp });
  const answer = await deployment.call({ path: `/admin/login-policy/explain?${query}`, token });
  const counters: unknown = answer.json?.data?.counters;
  if (!Array.isArray(counters)) throw new NotRunError(`could not read the counters of sign-ins: ${inShort(answer)}`);
  const ofName = counters.filter(({ counter }) => counter !== 'ip').map(({ limit }) => Number(limit));
  const limit = Math.min(...ofName);
  if (!Number.isFinite(limit)) throw new NotRunError('no counter of failed sign-ins is switched on');
  const ofAddress = counters.find(({ counter }) => counter === 'ip');
  const room =
    ofAddress === undefined ? Number.POSITIVE_INFINITY : ofAddress.limit - (ofAddress.failures ?? ofAddress.limit);
  if (room < needed(limit) + RESERVE) {
    throw new NotRunError(
      `${clientIp} has ${room} failed sign-ins left before it is locked for all names: run it later`,
    );
  }
  return { limit, clientIp };
}
