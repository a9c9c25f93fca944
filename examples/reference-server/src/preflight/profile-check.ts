import type { Config } from '../config/config.js';
import { differencesFrom, policyProfiles } from './policy-profiles.js';
import type { PreflightItem } from './preflight-item.js';
import { profileValues } from './profile-definitions.js';
import type { StoredParameters } from './stored-parameters.js';

/** Compares the parameters with the profile that the deployment has named (PWD-7). */
export async function profileItems(
  { 'policy.profile': name }: Pick<Config, 'policy.profile'>,
  parameters: StoredParameters,
): Promise<readonly PreflightItem[]> {
  if (name === null) return [];
  const differences = differencesFrom(policyProfiles[name], await profileValues(parameters));
  if (differences.length === 0) return [];
  const found = differences.map(({ rule: { key, value }, inForce }) => `${key} is ${inForce}, not ${value}`);
  return [
    {
      id: 'parameters.profile',
      severity: 'warning',
      finding: `the parameters do not satisfy the profile ${name}: ${found.join('; ')}`,
      fix: `run node dist/commands/policy.js ${name} --apply, or name another profile in SERVICE_POLICY_PROFILE`,
    },
  ];
}
