import type { StillLocked } from '@sallyport/login-policy';
import type { ClearedCodes } from '@sallyport/one-time-codes';
import type { Policies, PolicyAccount } from './terminals.js';

/** The failures to clear: those of an account, those of an address over all names, or both. */
export interface Clearing {
  readonly account: PolicyAccount | null;
  readonly clientIp: string | null;
}

export interface ClearingDependencies {
  readonly policies: Policies;
  /** Frees the one-time codes of a number and their sending (OTC-2). */
  readonly clearCodes: (mobile: string) => Promise<ClearedCodes>;
}

/** The outcome of a clear. */
export interface Cleared {
  /** The remaining locks of the account (LGN-11). */
  readonly stillLocked: readonly StillLocked[];
  /** Live codes that gave their places to new ones. */
  readonly endedCodes: number;
}

/** Clears what an operator asks for. */
export async function clearLimits(
  { policies, clearCodes }: ClearingDependencies,
  { account, clientIp }: Clearing,
): Promise<Cleared> {
  if (account !== null) {
    // Part of every clear. It comes first, because it refuses a bad name before anything else is cleared.
    const { audience, username, terminal } = account;
    await policies[audience].forgetDevices({ username, terminal });
  }
  if (clientIp !== null) await policies.admin.clearAddress({ clientIp });
  if (account === null) return { stillLocked: [], endedCodes: 0 };
  const { audience, username, terminal } = account;
  const { endedCodes } = audience === 'app' ? await clearCodes(username) : { endedCodes: 0 };
  const { stillLocked } = await policies[audience].clear({ username, terminal });
  return { stillLocked, endedCodes };
}
