import { and, eq, isNull, lte, sql } from 'drizzle-orm/sql';
import { createAuditChain } from '../chain/chain.js';
import { type AuditChainOptions, chainOptionFaults, refuseFaults } from '../chain/chain-options.js';
import { chainName, readHead } from '../chain/chain-rows.js';
import type { Checkpoint } from '../chain/checkpoint.js';
import { AUDIT_TABLE_DEFAULTS } from '../chain/postgres-table.js';
import type { CheckpointWriter } from '../checkpoints/checkpoint-schedule.js';
import type { AuditFinding } from './finding.js';
import { findCutFault, inspect } from './verify.js';

/** Rows that one statement deletes: some tens of milliseconds. */
const BATCH_ROWS = 2000;

export interface RetentionOptions extends AuditChainOptions {
  /** What happened before this time goes, in milliseconds since 1970. Required. */
  readonly before: number;
  /** Takes the checkpoint of the cut to the second place, before anything is deleted; where it rejects, nothing is. Required. */
  readonly checkpoint: CheckpointWriter;
  /** Deletes also what doesn't hold, and with it the traces of whoever tampered with it. Default false. */
  readonly evenIfBroken?: boolean;
  /** The clock of the checkpoint, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

export interface RetentionResult {
  /** How many rows went. */
  readonly deleted: number;
  /** Where the log was cut; null where it was not. */
  readonly cut: Checkpoint | null;
}

/** What should be deleted was tampered with: it stays, until somebody has looked at it. */
export class AuditLogBrokenError extends Error {
  override readonly name = 'AuditLogBrokenError';
  readonly findings: readonly AuditFinding[];
  constructor(findings: readonly AuditFinding[]) {
    super(`The part of the audit log that should be deleted does not hold, from row ${findings[0]?.sequence} on`);
    this.findings = findings;
  }
}

/**
 * Deletes the beginning of the log: every row before the first that is young enough. Verifies that part first; then
 * leaves a signed checkpoint of the cut, in the second place and beside the head of the chain, from which `verifyAuditLog`
 * goes on. Where it was interrupted, the next call goes on. It holds nobody up who appends.
 *
 * @throws TypeError that names every bad option. It rejects with {@link AuditLogBrokenError}, or the database's error.
 */
export async function retainAuditRecords(options: RetentionOptions): Promise<RetentionResult> {
  const { before, checkpoint, now = Date.now } = options;
  refuseFaults('retainAuditRecords', [
    ...chainOptionFaults(options),
    ...(Number.isFinite(before) ? [] : ['before must be a time in milliseconds since 1970']),
    ...(typeof checkpoint === 'function' ? [] : ['checkpoint must be a function, such as createFileCheckpoint(path)']),
  ]);
  const {
    database,
    key,
    previousKeys,
    table = AUDIT_TABLE_DEFAULTS.table,
    heads = AUDIT_TABLE_DEFAULTS.heads,
  } = options;
  const chain = createAuditChain(key, previousKeys);
  const name = chainName(table);

  const head = await readHead(database, heads, name);
  if (head === null) return { deleted: 0, cut: null };
  // Whoever can write to the database can write a note of a cut: by one that proves nothing nothing is deleted.
  const cutFindings = findCutFault(chain, head);
  const cutSequence = cutFindings.length > 0 ? 0 : (head.cut?.sequence ?? 0);
  const last = await lastBefore(head.sequence);
  if (last <= cutSequence) return { deleted: await deleteUpTo(cutSequence), cut: null };

  const inspection = await inspect({ database, table, heads, chain, head, checkpoints: { genuine: [] }, upTo: last });
  const findings = [...cutFindings, ...(await inspection.findings())];
  if (findings.length > 0 && options.evenIfBroken !== true) throw new AuditLogBrokenError(findings);

  // Where the rows are gone already there is nothing to cut, and what is missing stays to be seen.
  if (inspection.last.sequence <= cutSequence) return { deleted: 0, cut: null };

  const cut = chain.sign({
    kind: 'cut',
    sequence: inspection.last.sequence,
    mac: inspection.last.mac,
    count: inspection.rows,
    at: new Date(now()).toISOString(),
  });
  await checkpoint(cut);
  // Another retention may have cut further meanwhile; its note stays.
  const isAsRead = head.cutText === null ? isNull(heads.cut) : sql`${heads.cut}::text = ${head.cutText}`;
  await database
    .update(heads)
    .set({ cut })
    .where(and(eq(heads.chain, name), isAsRead));
  return { deleted: await deleteUpTo(cut.sequence), cut };

  /** The last row of the beginning that is too old altogether; 0 where there is none. */
  async function lastBefore(end: number): Promise<number> {
    const [young] = await database
      .select({ sequence: table.sequence })
      .from(table)
      .where(sql`${table.occurredAt} >= ${new Date(before).toISOString()}::timestamptz`)
      .orderBy(table.sequence)
      .limit(1);
    return young === undefined ? end : young.sequence - 1;
  }

  async function deleteUpTo(sequence: number): Promise<number> {
    let deleted = 0;
    for (;;) {
      const some = database
        .select({ sequence: table.sequence })
        .from(table)
        .where(lte(table.sequence, sequence))
        .orderBy(table.sequence)
        .limit(BATCH_ROWS);
      const gone = await database
        .delete(table)
        .where(sql`${table.sequence} = any(array(${some}))`)
        .returning({ sequence: table.sequence });
      deleted += gone.length;
      if (gone.length < BATCH_ROWS) return deleted;
    }
  }
}
