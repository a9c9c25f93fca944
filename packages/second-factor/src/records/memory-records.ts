import { readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { SecondFactorSetupError, SecondFactorUnavailableError } from '../errors.js';
import type { FactorRecord, FactorRecords } from './records.js';

export interface MemoryFactorRecordsOptions {
  /** The maximum number of accounts, 1 to 1 000 000. Default 10 000. Further accounts can't enrol. */
  readonly maxAccounts?: number;
}

export const MEMORY_FACTOR_RECORDS_DEFAULTS = {
  maxAccounts: 10_000,
} as const satisfies Required<MemoryFactorRecordsOptions>;

/** The upper bound. A record with its passkeys takes a few kilobytes. */
const MAX_ACCOUNTS = 1_000_000;

const rules = {
  maxAccounts: wholeNumber({
    min: 1,
    max: MAX_ACCOUNTS,
    unit: 'accounts',
    default: MEMORY_FACTOR_RECORDS_DEFAULTS.maxAccounts,
  }),
};

/**
 * Records in the memory of this process, for tests and trials. After a restart no account has a second factor.
 *
 * @example
 * ```ts
 * let time = Date.now();
 * const now = () => time;
 * const factors = createSecondFactors({
 *   store: createMemoryStore({ now }),
 *   records: createMemoryFactorRecords(),
 *   key: { id: 'test', secret: randomBytes(32) },
 *   issuer: 'Shop',
 *   now,
 * });
 * ```
 *
 * @throws SecondFactorSetupError naming every fault of the options
 */
export function createMemoryFactorRecords(options: MemoryFactorRecordsOptions = {}): FactorRecords {
  const owner = { subject: 'createMemoryFactorRecords', SetupError: SecondFactorSetupError };
  const { maxAccounts } = readOptions<Required<MemoryFactorRecordsOptions>>(owner, options, rules);
  const kept = new Map<string, FactorRecord>();
  return {
    async read(principal) {
      return structuredClone(kept.get(principal) ?? null);
    },
    async replace(principal, expectedVersion, record) {
      if ((kept.get(principal)?.version ?? null) !== expectedVersion) return false;
      if (expectedVersion === null && kept.size >= maxAccounts) {
        throw new SecondFactorUnavailableError({ cause: new Error(`there are ${maxAccounts} accounts already`) });
      }
      kept.set(principal, structuredClone(record));
      return true;
    },
  };
}
