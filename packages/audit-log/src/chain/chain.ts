import { createHmac, timingSafeEqual } from 'node:crypto';
import { hashLeaf } from '../notes/index.js';
import type { RecordColumns } from '../records/index.js';
import { AUDIT_KEY_DEFAULTS, type AuditKey } from './audit-keys.js';
import type { KeyedCheckpoint, KeyedContent } from './keyed-checkpoint.js';

/*
 * The chain. Every row has
 *
 *   mac = HMAC(key, "sallyport audit record v1" | previous | sequence | keyId | every column)
 *
 * where `previous` is the mac of the row before it (32 zero bytes before the first). The row stores `previous` as well,
 * so that each row can be verified alone and a broken neighbour doesn't hide its faults. Fields are netstrings
 * (`length:bytes`, null as `-`), so that two different lists of fields never have the same encoding. The first field is
 * the domain with its version, so the mac of a row is never the mac of something else, or of another version.
 *
 * A pending record has a seal, the mac of its content: nodes only chain records that a node has sealed.
 */
const RECORD_DOMAIN = 'sallyport audit record v1';
const PENDING_DOMAIN = 'sallyport pending audit record v1';
const CHECKPOINT_DOMAIN = 'sallyport audit checkpoint v1';

/** The head of an empty chain. */
export const CHAIN_START = { sequence: 0, mac: Buffer.alloc(32).toString('base64url') } as const;

/** The end of a chain: the sequence and the mac of its last row. */
export interface ChainHead {
  readonly sequence: number;
  readonly mac: string;
}

/** The fields that the chain adds to the columns of a record. */
export interface ChainLink extends ChainHead {
  readonly previous: string;
  readonly keyId: string;
}

/** A record with its place in the chain. */
export interface ChainedColumns extends RecordColumns, ChainLink {}

/** The members one by one: spreading two objects takes V8 ten times as long as the digest of the link. */
export function chainedColumns(columns: RecordColumns, link: ChainLink): ChainedColumns {
  return {
    sequence: link.sequence,
    id: columns.id,
    occurredAt: columns.occurredAt,
    actor: columns.actor,
    action: columns.action,
    target: columns.target,
    outcome: columns.outcome,
    reason: columns.reason,
    durationMillis: columns.durationMillis,
    parameters: columns.parameters,
    clientIp: columns.clientIp,
    extra: columns.extra,
    previous: link.previous,
    mac: link.mac,
    keyId: link.keyId,
  };
}

/** A record that is not in the chain yet. */
export interface PendingContent {
  readonly id: string;
  /** The columns of the record, as one text. */
  readonly record: string;
}

/** Proves that a node of this log wrote a pending record. */
export interface PendingSeal {
  readonly mac: string;
  readonly keyId: string;
}

export interface AuditChain {
  /** The id of the key for new rows. */
  readonly keyId: string;
  /** Appends a record to the head. */
  link(head: ChainHead, columns: RecordColumns): ChainLink;
  /** Whether the row is unchanged since it was chained: every column, its sequence and its link. */
  proves(row: ChainedColumns): boolean;
  /** Seals a pending record. */
  seal(content: PendingContent): PendingSeal;
  /** Whether the pending record is unchanged since it was sealed. */
  provesPending(row: PendingContent & PendingSeal): boolean;
  /** Whether the cut of an earlier release is unchanged since it was signed with one of the keys. */
  provesCheckpoint(cut: KeyedCheckpoint): boolean;
  /** Whether the chain has the key with this id. */
  knows(keyId: string): boolean;
}

/** The engine of the chain. Its keys must be checked already. */
export function createAuditChain(key: AuditKey, previousKeys: readonly AuditKey[] = []): AuditChain {
  // The keys are copied, because the caller may wipe its own.
  const keys = new Map(
    [key, ...previousKeys].map(({ id, secret, algorithm = AUDIT_KEY_DEFAULTS.algorithm }) => [
      id,
      { secret: Buffer.from(secret), algorithm },
    ]),
  );

  function macOf(keyId: string, fields: readonly (string | null)[]): Buffer | null {
    const found = keys.get(keyId);
    if (found === undefined) return null;
    return createHmac(found.algorithm, found.secret).update(fields.map(netstring).join('')).digest();
  }

  function holds(keyId: string, fields: readonly (string | null)[], mac: string): boolean {
    const expected = macOf(keyId, fields)?.toString('base64url');
    // A table without its constraints may contain null.
    if (expected === undefined || typeof mac !== 'string') return false;
    const [given, right] = [Buffer.from(mac), Buffer.from(expected)];
    return given.length === right.length && timingSafeEqual(given, right);
  }

  return {
    keyId: key.id,
    link({ sequence: last, mac: previous }, columns) {
      const place = { sequence: last + 1, mac: '', previous, keyId: key.id };
      place.mac = (macOf(key.id, recordFields(place, columns)) as Buffer).toString('base64url');
      return place;
    },
    proves: (row) => holds(row.keyId, recordFields(row, row), row.mac),
    seal(content) {
      const mac = macOf(key.id, pendingFields(content, key.id)) as Buffer;
      return { mac: mac.toString('base64url'), keyId: key.id };
    },
    provesPending: (row) => holds(row.keyId, pendingFields(row, row.keyId), row.mac),
    provesCheckpoint: (cut) => holds(cut.keyId, checkpointFields(cut), cut.signature),
    knows: (keyId) => keys.has(keyId),
  };
}

/**
 * The leaf of a row in the tree of the log: SHA-256(0x00 | the fields of its mac | its mac). No secret is needed to
 * compute it.
 */
export function leafOf(row: ChainedColumns): Buffer {
  return hashLeaf([...recordFields(row, row), row.mac].map(netstring).join(''));
}

function recordFields(place: Omit<ChainLink, 'mac'>, columns: RecordColumns): (string | null)[] {
  return [
    RECORD_DOMAIN,
    place.previous,
    String(place.sequence),
    place.keyId,
    columns.id,
    columns.occurredAt,
    columns.actor,
    columns.action,
    columns.target,
    columns.outcome,
    columns.reason,
    columns.durationMillis,
    columns.parameters,
    columns.clientIp,
    columns.extra,
  ];
}

function pendingFields({ id, record }: PendingContent, keyId: string): string[] {
  return [PENDING_DOMAIN, keyId, id, record];
}

function checkpointFields({ kind, sequence, mac, count, at, keyId }: KeyedContent): string[] {
  return [CHECKPOINT_DOMAIN, kind, String(sequence), mac, String(count), at, keyId];
}

function netstring(field: string | null): string {
  return field === null ? '-' : `${Buffer.byteLength(field)}:${field}`;
}
