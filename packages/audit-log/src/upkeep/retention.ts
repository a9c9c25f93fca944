import { callback, flag, option, readOptions } from '@sallyport/plugin-kit/options';
import { and, eq, isNull, lte, sql } from 'drizzle-orm/sql';
import {
  type AuditChainOptions,
  chainName,
  chainRules,
  createAuditChain,
  createCutProof,
  genuineCut,
  isSigned,
  keyFaults,
  type ReadWithDatabase,
  readHead,
} from '../chain/index.js';
import { type CheckpointWriter, writersRule } from '../checkpoints/index.js';
import { readSlowestDelivery } from '../delivery/index.js';
import { AuditSetupError } from '../errors.js';
import {
  type Checkpoint,
  type CheckpointKey,
  checkpointKeyFaults,
  checkpointKeyRule,
  createMerkleTree,
  createNoteProof,
  publicKeysRule,
  signCheckpoint,
} from '../notes/index.js';
import {
  type AuditFinding,
  checkpointsRule,
  cutOf,
  differencesOf,
  findCutFault,
  inspect,
  sortCheckpoints,
  withoutAccepted,
} from '../reading/index.js';

/** The number of rows that one statement deletes, in some tens of milliseconds. */
const BATCH_ROWS = 2000;

export interface RetentionOptions extends AuditChainOptions {
  /** The time before which records are deleted, in milliseconds since 1970. Required. */
  readonly before: number;
  /**
   * Stores the checkpoint of the cut in one or several other places, before anything is deleted. If one rejects,
   * nothing is deleted. Required.
   */
  readonly checkpoint: CheckpointWriter | readonly CheckpointWriter[];
  /** Signs the checkpoint: `parseCheckpointKey(text)`. Required. */
  readonly checkpointKey: CheckpointKey;
  /** Public keys of earlier checkpoints, in addition to that of `checkpointKey`. Default none. */
  readonly publicKeys?: readonly string[];
  /**
   * Checkpoints from the second place, such as `readCheckpointFile(path)`: the part is also compared with them before
   * it is deleted. Default none.
   */
  readonly checkpoints?: Iterable<Checkpoint> | AsyncIterable<Checkpoint>;
  /** Also deletes a part with findings, and with it the evidence of the changes. Default false. */
  readonly evenIfBroken?: boolean;
  /**
   * Also deletes records that a destination of a delivery has not acknowledged yet. Default false: they are kept, and
   * `heldBackBy` names the destination.
   */
  readonly evenIfUndelivered?: boolean;
  /** The clock of the checkpoint, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

const rules = {
  ...chainRules,
  before: option<number>({ meaning: 'a time in milliseconds since 1970', accepts: Number.isFinite }),
  checkpoint: writersRule,
  checkpointKey: checkpointKeyRule,
  publicKeys: publicKeysRule,
  checkpoints: checkpointsRule,
  evenIfBroken: flag({ default: false }),
  evenIfUndelivered: flag({ default: false }),
  now: callback<() => number>({ that: 'returns milliseconds since 1970, such as Date.now', default: Date.now }),
};

export interface RetentionResult {
  /** The number of deleted rows. */
  readonly deleted: number;
  /** The position of the cut. Null if the log was not cut, or if another retention has cut it at the same time. */
  readonly cut: Checkpoint | null;
  /** The destination that has not acknowledged older records, which were therefore kept. Null if none were kept. */
  readonly heldBackBy: string | null;
}

/** The part to delete has findings. It is kept for an investigation. */
export class AuditLogBrokenError extends Error {
  override readonly name = 'AuditLogBrokenError';
  readonly findings: readonly AuditFinding[];
  constructor(findings: readonly AuditFinding[]) {
    super(`The part of the audit log to delete was changed, from row ${findings[0]?.sequence} on`);
    this.findings = findings;
  }
}

/**
 * Deletes the start of the log: every row before the first one that is not earlier than `before`. It verifies that part
 * first. Before it deletes, it writes a signed checkpoint of the cut to the second place and into the head of the
 * chain, where `verifyAuditLog` starts. After an interruption, the next call continues. It doesn't block appends.
 * Records that a delivery has not delivered yet are kept, unless `evenIfUndelivered` is set.
 *
 * Rejects with AuditSetupError for bad options, {@link AuditLogBrokenError}, or the database's error.
 */
export async function retainAuditRecords(options: RetentionOptions): Promise<RetentionResult> {
  const given = readOptions<ReadWithDatabase<RetentionOptions>>(
    { subject: 'retainAuditRecords', SetupError: AuditSetupError },
    options,
    rules,
    (read) => [...keyFaults(read), ...checkpointKeyFaults(read.checkpointKey)],
  );
  const { database, key, previousKeys, table, heads, before, checkpoint, checkpointKey, publicKeys, now, ...rest } =
    given;
  const chain = createAuditChain(key, previousKeys);
  const stateOf = createNoteProof([checkpointKey.publicKey, ...publicKeys]);
  const name = chainName(table);

  const head = await readHead(database, heads, name);
  if (head === null) return { deleted: 0, cut: null, heldBackBy: null };
  const checkpoints = await sortCheckpoints(stateOf, given.checkpoints);
  const stateOfCut = createCutProof(stateOf, chain, checkpoints.first);
  // Never delete on an unverified cut, because anyone who can write to the database can write one.
  const cutFindings = findCutFault(stateOfCut, head);
  const cutSequence = cutFindings.length > 0 ? 0 : (head.cut?.sequence ?? 0);
  const { last, heldBackBy } = await withoutUndelivered(await lastBefore(head.sequence));
  if (last <= cutSequence) return { deleted: await deleteUpTo(cutSequence), cut: null, heldBackBy };

  const part = { database, table, heads, chain, stateOfCut, head, checkpoints, upTo: last };
  const { inspection, tree } = await inspect(part);
  const within = { after: cutOf(inspection), upTo: last };
  const ofRows = withoutAccepted(await inspection.findings(), checkpoints.signed, within);
  const findings = [...cutFindings, ...ofRows, ...differencesOf(tree, ofRows, chain)];
  if (findings.length > 0 && !given.evenIfBroken) throw new AuditLogBrokenError(findings);

  // The rows are already missing. Without a cut, verification keeps reporting them.
  if (inspection.last.sequence <= cutSequence) return { deleted: 0, cut: null, heldBackBy };

  const { size, frontier } = tree.state;
  const cut = await signCheckpoint(
    {
      kind: 'cut',
      sequence: size,
      root: createMerkleTree(tree.state).root(),
      frontier,
      mac: inspection.last.mac,
      at: new Date(now()).toISOString(),
      before: laterOf(new Date(before).toISOString(), head.cut !== null && isSigned(head.cut) ? head.cut.before : null),
      // Earlier checkpoints do not continue the tree of changed rows.
      since: findings.length > 0 ? cutSequence : null,
      gaps: [],
    },
    checkpointKey,
  );
  for (const write of [checkpoint].flat()) await write(cut);
  // Another retention may have cut the log in the meantime. Its cut is kept, and nothing is deleted beyond it.
  const isAsRead = head.cutText === null ? isNull(heads.cut) : sql`${heads.cut}::text = ${head.cutText}`;
  const stored = await database
    .update(heads)
    .set({ cut: { sequence: cut.sequence, note: cut.note } })
    .where(and(eq(heads.chain, name), isAsRead))
    .returning({ chain: heads.chain });
  if (stored.length === 0) return { deleted: await deleteUpTo(await storedCut()), cut: null, heldBackBy };
  return { deleted: await deleteUpTo(cut.sequence), cut, heldBackBy };

  /** The last row before the cut that is stored now. 0 if it is not genuine. */
  async function storedCut(): Promise<number> {
    return genuineCut(stateOfCut, await readHead(database, heads, name))?.sequence ?? 0;
  }

  /** The last row before the first one to keep. 0 if there is none. */
  async function lastBefore(end: number): Promise<number> {
    const [young] = await database
      .select({ sequence: table.sequence })
      .from(table)
      .where(sql`${table.occurredAt} >= ${new Date(before).toISOString()}::timestamptz`)
      .orderBy(table.sequence)
      .limit(1);
    return young === undefined ? end : young.sequence - 1;
  }

  /** The last row that may be deleted, because every destination of a delivery has acknowledged it. */
  async function withoutUndelivered(end: number): Promise<{ last: number; heldBackBy: string | null }> {
    const slowest = rest.evenIfUndelivered ? null : await readSlowestDelivery(database, rest.deliveries, name);
    return slowest === null || slowest.sequence >= end
      ? { last: end, heldBackBy: null }
      : { last: slowest.sequence, heldBackBy: slowest.destination };
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

function laterOf(one: string, other: string | null): string {
  return other !== null && other > one ? other : one;
}
