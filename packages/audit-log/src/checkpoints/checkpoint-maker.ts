import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import { eq } from 'drizzle-orm/sql';
import {
  type AuditChain,
  type AuditTables,
  chainName,
  createCutProof,
  type DrizzleDatabase,
  describeFailure,
  leafOf,
  readHead,
  readRows,
} from '../chain/index.js';
import {
  type AuditGap,
  type Checkpoint,
  type CheckpointKey,
  createMerkleTree,
  createNoteProof,
  hasGaps,
  mergeGaps,
  readCheckpoint,
  signCheckpoint,
  subtractGaps,
  timeAfter,
} from '../notes/index.js';
import { type Base, BEGINNING, baseAfter, baseOf, type Cut, isBefore } from './checkpoint-base.js';
import type { HistoryWatch } from './history-watch.js';
import { CheckpointRefusedError, storeSignedHead } from './signed-head.js';
import { createGapRefusal } from './unexplained-gaps.js';

/**
 * The maximum number of rows of one checkpoint. The first checkpoint of a long log is made in parts, so that a restart
 * loses at most one part.
 */
const MAX_ROWS = 50_000;

/** Time limit of a query, in milliseconds. While the database hangs, only one query waits, so memory stays bounded. */
const QUERY_LIMIT_MILLIS = 15_000;

/** The number of times that retention or another node may interfere while a checkpoint is made. */
const MAX_RESTARTS = 3;

export interface CheckpointMakerOptions extends Required<AuditTables> {
  readonly database: DrizzleDatabase;
  readonly chain: AuditChain;
  readonly key: CheckpointKey;
  /** Earlier keys. Their checkpoints are continued. */
  readonly publicKeys: readonly string[];
  readonly now: () => number;
  /**
   * The last row that this process knows to be committed. It is needed because the stored head may have been set back.
   */
  readonly knownSequence: () => number;
  /** Called for rows that are missing between others. */
  readonly onGap: (gap: AuditGap) => void;
  /** The losses of the database. Null: it is not watched. */
  readonly history: Omit<HistoryWatch, 'doubt' | 'close'> | null;
}

export interface CheckpointMaker {
  /**
   * Signs the rows up to the end of the log. Reads those after the last checkpoint, of any node, and verifies each with
   * the key of the chain before it signs. Null: there is no row without a checkpoint, and none was ever made.
   *
   * Rows that the database lost are named. Nothing is signed over rows that were deleted. Where PostgreSQL was
   * restarted or another server took over, and the row of the last checkpoint is lost with them, a new line begins
   * after the newest checkpoint that the log still contains.
   *
   * Rejects with {@link CheckpointRefusedError}, or the database's error.
   */
  make(): Promise<Made | null>;
}

export interface Made {
  readonly checkpoint: Checkpoint;
  /** Whether there are further rows. */
  readonly isPartial: boolean;
}

interface StoredNote {
  /** The checkpoint in the database. Null if nothing is stored. */
  readonly text: string | null;
  /** Null if it is not genuine. */
  readonly checkpoint: Checkpoint | null;
}

/** Retention moved the start of the log while it was read, or another node made a checkpoint. */
class MovedError extends Error {}

export function createCheckpointMaker(options: CheckpointMakerOptions): CheckpointMaker {
  const { database, chain, table, heads, signedHeads, key, publicKeys, now, knownSequence, onGap, history } = options;
  const name = chainName(table);
  const stateOf = createNoteProof([key.publicKey, ...publicKeys]);
  const stateOfCut = createCutProof(stateOf, chain);
  const ask = createBoundedCall({ timeoutMillis: QUERY_LIMIT_MILLIS, maxUnsettled: 1, toError: describeFailure });
  const refuseUnexplained = history === null ? null : createGapRefusal(history, now);
  let newest: Checkpoint | null = null;
  /** The run of PostgreSQL in which the checkpoint was made or seen. */
  let newestRun = 0;

  /**
   * The stored checkpoint, which another node may have made. It is verified, because database users can write there.
   */
  async function readStored(): Promise<StoredNote> {
    const rows = await ask(() =>
      database.select({ note: signedHeads.note }).from(signedHeads).where(eq(signedHeads.chain, name)),
    );
    const stored = readCheckpoint(rows[0]?.note);
    const checkpoint = stored !== null && stateOf(stored) === 'genuine' ? stored : null;
    if (checkpoint?.kind === 'accepted') history?.accept(checkpoint);
    return { text: rows[0]?.note ?? null, checkpoint };
  }

  async function readEnd(): Promise<{ readonly sequence: number; readonly cut: Cut } | null> {
    const head = await ask(() => readHead(database, heads, name));
    const sequence = Math.max(head?.sequence ?? 0, knownSequence());
    if (sequence === 0) return null;
    const cut = head?.cut ?? null;
    if (head?.cutUnreadable === true || (cut !== null && stateOfCut(cut) !== 'genuine')) throw cutRefused();
    if (cut === null) return { sequence, cut: BEGINNING };
    return { sequence, cut: baseAfter(cut) };
  }

  const cutRefused = () =>
    new CheckpointRefusedError(1, 'the stored cut of retention is not genuine, or its key is unknown');

  /** `left`: the last checkpoint, if the database lost its row. */
  async function findBase(cut: Cut, stored: Checkpoint | null): Promise<{ base: Base; left: Checkpoint | null }> {
    // No release that signs its checkpoints has made it.
    if (cut.isKeyed && [stored, newest].some((one) => one !== null && one.sequence <= cut.sequence)) throw cutRefused();
    // The later checkpoint counts, not the longer one, because an operator may have accepted a shorter log.
    const last = stored !== null && (newest === null || stored.at > newest.at) ? stored : newest;
    if (last === null || isBefore(last, cut)) return { base: cut, left: null };
    // In the same run of PostgreSQL nothing explains the missing row, so nothing is signed.
    if (history === null || history.run === newestRun || history.isDeleted(last.sequence) || (await isContained(last)))
      return { base: baseOf(last), left: null };
    history.leave(last);
    const isUsable = stored !== null && stored !== last && !isBefore(stored, cut) && (await isContained(stored));
    return { base: isUsable ? baseOf(stored) : cut, left: last };
  }

  async function isContained({ sequence, mac }: Checkpoint): Promise<boolean> {
    if (sequence <= ((await readEnd())?.cut.sequence ?? 0)) return true;
    const rows = readRows(database, table, { after: sequence - 1, upTo: sequence });
    const step = await ask(() => rows.next());
    return step.done !== true && (mac === null || step.value.mac === mac);
  }

  /** Follows the rows after the base. Resolves to the last one. */
  async function follow(
    base: Base,
    cut: Cut,
    end: number,
  ): Promise<Base & { readonly isPartial: boolean; readonly gaps: readonly AuditGap[] }> {
    const gaps: AuditGap[] = [];
    const tree = createMerkleTree(base.tree);
    let last = { sequence: base.sequence, mac: base.mac };
    // If retention cut at the base, it has deleted the row of the base.
    let awaitsBase = base.sequence > cut.sequence;
    let rows = 0;
    const after = awaitsBase ? base.sequence - 1 : base.sequence;
    const iterator = readRows(database, table, { after, upTo: end });
    for (;;) {
      const step = await ask(() => iterator.next());
      if (step.done === true || rows >= MAX_ROWS) break;
      const row = step.value;
      const isBase = awaitsBase && row.sequence === base.sequence;
      if (awaitsBase && !isBase) break;
      if (!chain.proves(row)) throw new CheckpointRefusedError(row.sequence, 'the row is not what was written');
      if (isBase) {
        if (base.mac !== null && row.mac !== base.mac)
          throw new CheckpointRefusedError(row.sequence, 'the last checkpoint covers another row');
        awaitsBase = false;
        continue;
      }
      if (row.sequence <= last.sequence) throw new CheckpointRefusedError(row.sequence, 'two rows have this sequence');
      if (row.sequence > last.sequence + 1) {
        await refuseMoved(cut);
        const gap = { from: last.sequence + 1, to: row.sequence - 1 };
        gaps.push(gap);
        onGap(gap);
        await refuseUnexplained?.(gap);
        tree.appendGaps(row.sequence - 1);
      } else if (last.mac !== null && row.previous !== last.mac) {
        throw new CheckpointRefusedError(row.sequence, 'the row does not follow the one before it');
      }
      tree.append(leafOf(row));
      last = { sequence: row.sequence, mac: row.mac };
      rows += 1;
    }
    if (awaitsBase) {
      await refuseMoved(cut);
      throw new CheckpointRefusedError(base.sequence, 'the row is missing, and the last checkpoint covers it');
    }
    const isPartial = last.sequence < end;
    if (isPartial && rows < MAX_ROWS) {
      await refuseMoved(cut);
      throw new CheckpointRefusedError(last.sequence + 1, `the rows up to ${end} are missing`);
    }
    return { ...last, tree: tree.state(), checkpoint: base.checkpoint, isPartial, gaps };
  }

  async function refuseMoved(cut: Cut): Promise<void> {
    const now = await readEnd();
    if (now !== null && now.cut.sequence > cut.sequence) throw new MovedError();
  }

  async function makeOnce(): Promise<Made | null> {
    await history?.look();
    const run = history?.run ?? 0;
    const end = await readEnd();
    if (end === null) return null;
    const stored = await readStored();
    const { base, left } = await findBase(end.cut, stored.checkpoint);
    if (end.sequence < base.sequence)
      throw new CheckpointRefusedError(end.sequence + 1, `the last checkpoint covers rows up to ${base.sequence}`);
    const { sequence, mac, tree, isPartial, gaps: missing } = await follow(base, end.cut, end.sequence);
    const before = [base.checkpoint, left].filter((one) => one !== null);
    const named = before.filter(({ kind }) => kind === 'progress').flatMap(({ gaps }) => gaps);
    // Each checkpoint of the line names the gaps until an operator has accepted them.
    const gaps = subtractGaps(mergeGaps([...named, ...missing, ...(history?.named ?? [])]), [
      { from: sequence + 1, to: Number.MAX_SAFE_INTEGER },
    ]);
    if (sequence === base.sequence && (base.checkpoint === null || hasGaps(base.checkpoint.gaps, gaps)))
      return base.checkpoint === null ? null : keep(base.checkpoint, isPartial, run);
    const content = {
      kind: 'progress',
      sequence,
      root: createMerkleTree(tree).root(),
      frontier: tree.frontier,
      mac,
      // If a clock was set back, the checkpoint must still be later than the one that it continues.
      at: timeAfter(Math.max(now(), Date.parse(base.checkpoint?.at ?? '') || 0), left === null ? [] : [left]),
      before: null,
      since: null,
      gaps,
    } as const;
    const checkpoint = await signCheckpoint(content, key);
    // An acceptance that an operator has made in the meantime must not be replaced.
    if (!(await ask(() => storeSignedHead(database, signedHeads, name, checkpoint, stored.text))))
      throw new MovedError();
    return keep(checkpoint, isPartial, run);
  }

  function keep(checkpoint: Checkpoint, isPartial: boolean, run: number): Made {
    newest = checkpoint;
    newestRun = run;
    return { checkpoint, isPartial };
  }

  return {
    async make() {
      for (let restarts = 0; ; restarts += 1) {
        try {
          return await makeOnce();
        } catch (error) {
          if (!(error instanceof MovedError) || restarts >= MAX_RESTARTS) throw error;
        }
      }
    },
  };
}
