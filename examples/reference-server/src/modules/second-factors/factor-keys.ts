import { randomBytes } from 'node:crypto';
import {
  SecondFactorSetupError,
  type SecondFactors,
  SecondFactorUnavailableError,
  type SecretKey,
} from '@sallyport/second-factor';
import { isNotNull, sql } from 'drizzle-orm';
import type { FastifyBaseLogger } from 'fastify';
import { type Config, variableOf } from '../../config/config.js';
import { ConfigError } from '../../config/config-error.js';
import { factorKey } from '../../config/setting-types.js';
import { keepKey } from '../../storage/data-folder.js';
import { type ReadableDatabase, withinLimit } from '../../storage/database.js';
import { keyIdOfRow } from './presence.js';
import { secondFactors } from './table.js';

export interface FactorKeys {
  readonly key: SecretKey;
  readonly previousKeys: readonly SecretKey[];
}

export type FactorKeyConfig = Pick<Config, 'auth.second-factor.key' | 'auth.second-factor.previous-keys' | 'data-dir'>;

/** The keys come from the environment. Development generates a missing key once and keeps it in the data folder. */
export async function loadFactorKeys(config: FactorKeyConfig): Promise<FactorKeys> {
  // A new folder on a database of before has a key of another id, which contradicts no fingerprint.
  const make = () => `development-${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;
  return {
    key:
      config['auth.second-factor.key'] ??
      (await keepKey(config['data-dir'], 'second-factor-key', make, (text) => factorKey.read(text))),
    previousKeys: config['auth.second-factor.previous-keys'] ?? [],
  };
}

/**
 * Refuses keys that are not those of the stored secrets (MFA-1): by the fingerprints in the store, and by one record of
 * each key, because a store can be lost.
 *
 * @throws {ConfigError}
 */
export async function assertFactorKeys(
  factors: Pick<SecondFactors, 'assertKeys' | 'verifyTotp'>,
  { key, previousKeys }: FactorKeys,
  { reading }: ReadableDatabase,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<void> {
  const previous = variableOf('auth.second-factor.previous-keys');
  try {
    await factors.assertKeys();
  } catch (error) {
    const named = (fault: string) =>
      fault.replace(/^key\b/, variableOf('auth.second-factor.key')).replace(/^previousKeys\b/, previous);
    if (error instanceof SecondFactorSetupError) throw new ConfigError(error.faults.map(named));
    // The store is away. An enrolment asks it again, and the records below are asked now.
    log.warn({ err: error }, 'the keys of second factors were not compared with those of the store');
  }
  const principal = sql<string>`min(${secondFactors.audience} || ':' || ${secondFactors.subject})`;
  const query = reading
    .select({ keyId: keyIdOfRow, principal })
    .from(secondFactors)
    .where(isNotNull(keyIdOfRow))
    .groupBy(keyIdOfRow);
  const known = new Map([key, ...previousKeys].map((each) => [each.id, each === key]));
  for (const row of await withinLimit(query)) {
    const keyId = row.keyId!;
    const isPresent = known.get(keyId);
    if (isPresent === undefined) {
      throw new ConfigError([`${previous} lacks the key ${keyId}, which encrypts second factors; add it`]);
    }
    if (await opens(factors, row.principal)) continue;
    const variable = isPresent ? variableOf('auth.second-factor.key') : previous;
    throw new ConfigError([`${variable} has another key under the id ${keyId}; give the one of before`]);
  }
}

/** An empty code is never right, and is compared with the decrypted secret. */
async function opens(factors: Pick<SecondFactors, 'verifyTotp'>, principal: string): Promise<boolean> {
  try {
    await factors.verifyTotp({ principal, code: '' });
    return true;
  } catch (error) {
    if (error instanceof SecondFactorUnavailableError) return false;
    throw error;
  }
}
