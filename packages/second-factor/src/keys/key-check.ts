import { MAX_TTL_MILLIS } from '@sallyport/ttl-store';
import { SecondFactorSetupError } from '../errors.js';
import type { SecondFactorStore } from '../shared-options.js';
import { fingerprintOf, type SecretKey } from './secret-box.js';

/**
 * Returns the function that compares the keys with the fingerprints that the store has under their ids, and records
 * those that it has not.
 */
export function createKeyCheck(
  store: SecondFactorStore,
  keyPrefix: string,
  key: SecretKey,
  previousKeys: readonly SecretKey[],
) {
  const named = [
    { name: 'key', given: key },
    ...previousKeys.map((given, index) => ({ name: `previousKeys[${index}]`, given })),
  ];

  async function isSame(given: SecretKey): Promise<boolean> {
    const name = `${keyPrefix}key:${given.id}`;
    const fingerprint = fingerprintOf(given);
    if (await store.setIfAbsent(name, fingerprint, MAX_TTL_MILLIS)) return true;
    // A start renews it: the store forgets the keys of no service that is in use.
    return store.compareAndSet(name, fingerprint, fingerprint, MAX_TTL_MILLIS);
  }

  return async function assertKeys(): Promise<void> {
    const checked = await Promise.all(named.map(async (each) => ({ ...each, isSame: await isSame(each.given) })));
    const faults = checked
      .filter((each) => !each.isSame)
      .map(({ name }) => `${name}: another secret was used under this id; give the earlier one, or another id`);
    if (faults.length > 0) throw new SecondFactorSetupError('createSecondFactors', faults);
  };
}
