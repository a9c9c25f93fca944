import { parseRange } from '@sallyport/plugin-kit/addresses';
import { type SQL, sql } from 'drizzle-orm/sql';
import type { AuditRecordsTable } from '../chain/index.js';

/** The range in the form of PostgreSQL. */
export function rangeOf(network: string): string {
  const range = parseRange(network);
  if (typeof range === 'string') throw new TypeError(`network ${range}`);
  return `${range.base.toString()}/${range.prefixBits}`;
}

/** Whether the address of a record is within the range. A text that is no address would fail the cast. */
export function isWithin(address: AuditRecordsTable['clientIp'], range: string): SQL {
  const pattern = range.includes(':') ? '^[0-9a-f:]*:[0-9a-f:]*$' : '^[0-9.]+$';
  return sql`case when ${address} ~ ${pattern} then ${address}::inet <<= ${range}::text::inet else false end`;
}
