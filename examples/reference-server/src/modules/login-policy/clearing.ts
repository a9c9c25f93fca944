import type { StillLocked } from '@sallyport/login-policy';
import type { Policies, PolicyAccount } from './terminals.js';

/** The failures to clear: those of an account, those of an address over all names, or both. */
export interface Clearing {
  readonly account: PolicyAccount | null;
  readonly clientIp: string | null;
}

export interface ClearingDependencies {
  readonly policies: Policies;
  /** Frees the one-time codes of a number and their sending (OTC-2). */
  readonly clearCodes: (mobile: string) => Promise<unknown>;
}

/** Clears the requested failures. Resolves to the remaining locks of the account (LGN-11). */
export async function clearLimits(
  { policies, clearCodes }: ClearingDependencies,
  { account, clientIp }: Clearing,
): Promise<readonly StillLocked[]> {
  if (account !== null) {
    // Part of every clear. It comes first, because it refuses a bad name before anything else is cleared.
    const { audience, username, terminal } = account;
    await policies[audience].forgetDevices({ username, terminal });
  }
  if (clientIp !== null) await policies.admin.clearAddress({ clientIp });
  if (account === null) return [];
  const { audience, username, terminal } = account;
  if (audience === 'app') await clearCodes(username);
  return (await policies[audience].clear({ username, terminal })).stillLocked;
}
