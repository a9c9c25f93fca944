import { UNNAMED } from '@sallyport/plugin-kit/postgres';
import type { FactorRecord, FactorRecords } from '@sallyport/second-factor';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { ChangeWork } from '../../storage/changes.js';
import { type Queries, type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { renderQuery } from '../../storage/rendered-query.js';
import { keyOfPrincipal } from './owner.js';
import { secondFactors } from './table.js';

/** Makes one change of a record, with its audit record (AUD-8). It may be called again after it was rolled back. */
export type RunFactorChange = (work: ChangeWork<void>) => Promise<void>;

/** Another change of the record came first, so this one is rolled back, its audit record included. */
class RecordChangedError extends Error {
  override readonly name = 'RecordChangedError';
}

const { placeholder } = sql;
const isThis = and(
  eq(secondFactors.audience, placeholder('audience')),
  eq(secondFactors.subject, placeholder('subject')),
);

const selectRecord = renderQuery((reading: Reading) =>
  reading.select({ record: secondFactors.record }).from(secondFactors).where(isThis).prepare(UNNAMED),
);

const content = {
  version: sql`${placeholder('version')}`,
  record: sql`${placeholder('record')}`,
  isEnrolled: sql`${placeholder('isEnrolled')}::text::boolean`,
};

const insertRecord = renderQuery((transaction: Queries) =>
  transaction
    .insert(secondFactors)
    .values({ audience: placeholder('audience'), subject: placeholder('subject'), ...content })
    .onConflictDoUpdate({
      target: [secondFactors.audience, secondFactors.subject],
      set: {
        version: sql.raw('excluded."version"'),
        record: sql.raw('excluded."record"'),
        isEnrolled: sql.raw('excluded."is_enrolled"'),
      },
      setWhere: isNull(secondFactors.version),
    })
    .returning({ subject: secondFactors.subject })
    .prepare(UNNAMED),
);

const updateRecord = renderQuery((transaction: Queries) =>
  transaction
    .update(secondFactors)
    .set(content)
    .where(and(isThis, eq(secondFactors.version, placeholder('expected'))))
    .returning({ subject: secondFactors.subject })
    .prepare(UNNAMED),
);

/**
 * The records of the package in the table. A change compares the version in the statement that writes, so of two
 * parallel ones one finds that the other came first, on any node.
 */
export function createFactorRecords({ reading }: ReadableDatabase, run: RunFactorChange): FactorRecords {
  async function write(transaction: Queries, principal: string, expected: string | null, record: FactorRecord) {
    const values = {
      ...keyOfPrincipal(principal),
      version: record.version,
      record: JSON.stringify(record),
      isEnrolled: String(record.totp !== null || record.passkeys.length > 0),
    };
    const written =
      expected === null
        ? await insertRecord(transaction, values)
        : await updateRecord(transaction, { ...values, expected });
    if (written.length !== 1) throw new RecordChangedError();
  }

  return {
    async read(principal) {
      const [row] = await withinLimit(selectRecord(reading, keyOfPrincipal(principal)));
      return row?.record == null ? null : (JSON.parse(row.record) as FactorRecord);
    },
    async replace(principal, expectedVersion, record) {
      try {
        await run((transaction) => write(transaction, principal, expectedVersion, record));
        return true;
      } catch (error) {
        if (error instanceof RecordChangedError) return false;
        throw error;
      }
    },
  };
}

/** For reading alone. */
export async function refuseChange(): Promise<never> {
  throw new TypeError('these records can only be read');
}
