import type { AuditRecord } from './audit-record.js';
import { canonicalJson } from './canonical-json.js';

/** The database columns of a record, each a text or null, in a fixed order. The chain covers these bytes. */
export interface RecordColumns {
  /** The id in lower case, with hyphens. */
  readonly id: string;
  /** The time with six digits after the point, in UTC: `2026-11-21T16:15:09.123000Z`. */
  readonly occurredAt: string;
  readonly actor: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly durationMillis: string;
  /** Canonical JSON (RFC 8785). */
  readonly parameters: string;
  readonly clientIp: string | null;
  /** Canonical JSON (RFC 8785). */
  readonly extra: string;
}

/**
 * The longest text of a column, in UTF-16 units. This is at most 1536 bytes of UTF-8; a B-tree index row holds 2704.
 * Records of `createAuditRecord` have shorter texts.
 */
const MAX_TEXT_UNITS = 512;

/** 9999-12-31, in milliseconds since 1970. Later years have five digits, which columns and ISO 8601 don't accept. */
export const MAX_TIME = Date.UTC(10_000, 0) - 1;

/** Records that {@link freezeRecord} made immutable, with their columns after they were computed. */
const frozenRecords = new WeakMap<AuditRecord, RecordColumns | null>();

/** Makes the record deeply immutable, so that its canonical form is computed at most once. */
export function freezeRecord(record: AuditRecord): AuditRecord {
  frozenRecords.set(freeze(record), null);
  return record;
}

/** The same frozen record with another duration. It shares the canonical form of everything else. */
export function withDuration(record: AuditRecord, durationMillis: number): AuditRecord {
  const changed = freezeRecord({ ...record, durationMillis });
  const columns = frozenRecords.get(record);
  if (columns) frozenRecords.set(changed, { ...columns, durationMillis: durationColumn(durationMillis) });
  return changed;
}

/**
 * The columns of a record. PostgreSQL stores and returns them unchanged. Characters that it refuses (U+0000, lone
 * surrogates) or that PGlite drops (a leading U+FEFF) become U+FFFD, texts too long for an index are cut, and values
 * without JSON are replaced by a description. Only a record without a valid time or id is refused.
 *
 * @throws TypeError if `id` is not a UUID, or `occurredAt` is not a time
 */
export function columnsOf(record: AuditRecord): RecordColumns {
  const known = frozenRecords.get(record);
  if (known) return known;
  const columns = toColumns(record);
  if (known === null) frozenRecords.set(record, columns);
  return columns;
}

function toColumns(record: AuditRecord): RecordColumns {
  const { id, occurredAt } = record;
  if (!isUuid(id)) throw new TypeError('The id of a record must be a UUID');
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
    durationMillis: durationColumn(record.durationMillis),
    parameters: canonicalJson(record.parameters),
    clientIp: storable(record.clientIp),
    extra: canonicalJson(record.extra),
  };
}

/** A text in the form of a column. */
export function storable(text: string | null | undefined): string | null {
  // Replaced after the cut, because the cut may halve a surrogate pair.
  return text?.slice(0, MAX_TEXT_UNITS).replace(/[\0\p{Surrogate}]|^\uFEFF/gu, '\uFFFD') ?? null;
}

export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

function durationColumn(millis: number): string {
  return String(Number.isFinite(millis) ? Math.max(0, millis) : 0);
}

function freeze<Value extends object>(value: Value): Value {
  if (Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freeze(member);
  return Object.freeze(value);
}
