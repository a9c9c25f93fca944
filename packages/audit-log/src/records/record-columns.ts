import type { RecordColumns } from '../chain/chain.js';
import type { AuditRecord } from './audit-record.js';
import { canonicalJson } from './canonical-json.js';

/**
 * The longest text of a column, in UTF-16 units. At most 1536 bytes of UTF-8: a row of a B-tree index holds 2704. Records
 * of the plugin are shorter; this keeps a row that somebody else made.
 */
const MAX_TEXT_UNITS = 512;

/** 9999-12-31: what comes after it has a year of five digits. */
const MAX_TIME = Date.UTC(10_000, 0) - 1;

/**
 * A record as PostgreSQL stores it and yields it again, to the letter: what PostgreSQL refuses (U+0000, lone surrogates),
 * or PGlite swallows (U+FEFF in front), stands there as U+FFFD; a text that no index takes is cut; what JSON can't say
 * is named in its place. No record is refused for what is in it, except one without a time or an id. Requirement AUD-7.
 *
 * @throws TypeError when `id` is no UUID, or `occurredAt` no time.
 */
export function columnsOf(record: AuditRecord): RecordColumns {
  const { id, occurredAt, durationMillis } = record;
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw new TypeError('The id of a record must be a UUID');
  if (!(occurredAt >= 0 && occurredAt <= MAX_TIME))
    throw new TypeError('The time of a record must be milliseconds since 1970');
  return {
    id: id.toLowerCase(),
    occurredAt: new Date(occurredAt).toISOString().replace('Z', '000Z'),
    actor: storable(record.actor),
    action: storable(record.action) ?? '',
    target: storable(record.target),
    outcome: storable(record.outcome) ?? '',
    reason: storable(record.reason),
    durationMillis: String(Number.isFinite(durationMillis) ? Math.max(0, durationMillis) : 0),
    parameters: canonicalJson(record.parameters),
    clientIp: storable(record.clientIp),
    extra: canonicalJson(record.extra),
  };
}

/** A text as a column holds it. */
export function storable(text: string | null | undefined): string | null {
  // After the cut, which may halve a pair of surrogates.
  return text?.slice(0, MAX_TEXT_UNITS).replace(/[\0\p{Surrogate}]|^\uFEFF/gu, '\uFFFD') ?? null;
}
