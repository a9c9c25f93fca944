import type { AuditDetails } from '@sallyport/audit-log';
import { SecondFactorUnavailableError } from '@sallyport/second-factor';
import { and, asc, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Changes } from '../../storage/changes.js';
import type { Queries } from '../../storage/database.js';
import type { OpenEngines } from './engines.js';
import type { FactorKeys } from './factor-keys.js';
import { keyOfPrincipal, principalOf } from './owner.js';
import { keyIdOfRow } from './presence.js';
import { secondFactors } from './table.js';

/** The accounts of one transaction, which locks their rows for so long. */
const BATCH_SIZE = 100;

export interface ReencryptionParts {
  readonly changes: Changes;
  readonly openEngines: OpenEngines;
  readonly keys: Pick<FactorKeys, 'key'>;
  /** Default 100. */
  readonly batchSize?: number;
}

export interface ReencryptedBatch {
  /** The number of secrets that are now under the present key. */
  readonly reencrypted: number;
  /** The accounts, as `audience:id`, whose secret no key decrypts. Their rows are left as they are. */
  readonly unreadable: readonly string[];
  /** The account after which the next batch begins. Null: this was the last one. */
  readonly next: string | null;
}

/** Nothing was found, so that the change is rolled back with its record. */
class NothingLeftError extends Error {
  override readonly name = 'NothingLeftError';
}

/**
 * Encrypts the secrets of some accounts with the present key, so that an earlier one can be dropped (MFA-1). One
 * transaction, with one record. A run that was killed is begun again and finds the rest. A row that is used meanwhile
 * waits or is read again, because each write compares the version.
 *
 * @param after the account after which it begins; null: from the first one
 */
export async function reencryptBatch(
  { changes, openEngines, keys, batchSize = BATCH_SIZE }: ReencryptionParts,
  after: string | null,
): Promise<ReencryptedBatch> {
  const event = { action: 'second-factor.reencrypt', actor: 'command:second-factor', target: keys.key.id };
  try {
    return await changes.change({ event }, async (transaction, record) => {
      const principals = await findOld(transaction, keys.key.id, after, batchSize);
      if (principals.length === 0) throw new NothingLeftError();
      const { reencrypted, unreadable } = await reencryptAll(openEngines, transaction, record, principals);
      record({ detail: { reencrypted, unreadable } });
      return { reencrypted, unreadable, next: principals.length < batchSize ? null : principals.at(-1)! };
    });
  } catch (error) {
    if (error instanceof NothingLeftError) return { reencrypted: 0, unreadable: [], next: null };
    throw error;
  }
}

async function reencryptAll(
  openEngines: OpenEngines,
  transaction: Queries,
  record: (details: AuditDetails) => void,
  principals: readonly string[],
) {
  const { factors } = openEngines((work) => work(transaction, record), undefined, { reading: transaction });
  const unreadable: string[] = [];
  let reencrypted = 0;
  for (const principal of principals) {
    try {
      if (await factors.reencrypt(principal)) reencrypted += 1;
    } catch (error) {
      if (!(error instanceof SecondFactorUnavailableError)) throw error;
      unreadable.push(principal);
    }
  }
  return { reencrypted, unreadable };
}

/** Locks the rows. One that was encrypted again meanwhile is not found. */
async function findOld(
  transaction: Queries,
  keyId: string,
  after: string | null,
  limit: number,
): Promise<readonly string[]> {
  const { audience, subject, record } = secondFactors;
  const isOld = and(isNotNull(record), sql`${keyIdOfRow} <> ${keyId}`, after === null ? undefined : isAfter(after));
  const rows = await transaction
    .select({ audience, subject })
    .from(secondFactors)
    .where(isOld)
    .orderBy(asc(audience), asc(subject))
    .limit(limit)
    .for('update');
  return rows.map(principalOf);
}

function isAfter(principal: string): SQL {
  const { audience, subject } = keyOfPrincipal(principal);
  return sql`(${secondFactors.audience}, ${secondFactors.subject}) > (${audience}, ${subject}::uuid)`;
}
