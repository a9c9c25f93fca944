import { type SQLWrapper, sql } from 'drizzle-orm/sql';
import type { AuditOutcome } from '../records/index.js';

/** The outcomes that have an index: not the success of most records. */
export const INDEXED_OUTCOMES: readonly AuditOutcome[] = ['failure', 'refused', 'unknown'];

/** The predicate of that index. A query uses the index only if it has the predicate. */
export const isIndexedOutcome = (outcome: SQLWrapper) =>
  sql`${outcome} in (${sql.raw(INDEXED_OUTCOMES.map((one) => `'${one}'`).join(', '))})`;
