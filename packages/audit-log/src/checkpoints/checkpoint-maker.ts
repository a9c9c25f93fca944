import { createBoundedCall } from '@sallyport/deadline';
import { eq } from 'drizzle-orm/sql';
import {
  type AuditChain,
  type AuditSignedHeadsTable,
  type AuditTables,
  chainName,
  createCheckpointProof,
  type DrizzleDatabase,
  describeFailure,
  isSigned,
  leafOf,
  readHead,
  readRows,
  treeAt,
} from '../chain/index.js';
import {
  type Checkpoint,
  type CheckpointKey,
  createMerkleTree,
  isSuperseded,
  readCheckpoint,
  signCheckpoint,
  type TreeState,
  timeAfter,
} from '../notes/index.js';

/** Rows of one checkpoint. The first one of a long log is made in parts, so that a restart loses one part at most. */
const MAX_ROWS = 50_000;

/** While the database hangs, one query waits, so that memory stays bounded. In milliseconds. */
const QUERY_LIMIT_MILLIS = 15_000;

/** How often retention may move the beginning of the log while a checkpoint is made. */
const MAX_RESTARTS = 3;

/**
 * No checkpoint was signed: the rows are not those that the chain or the last checkpoint says. The log was changed,
 * cut, or restored to an older state. Nothing is signed until an operator accepts the state.
 */
export class CheckpointRefusedError extends Error {
  override readonly name = 'CheckpointRefusedError';
  /** The first row that is not what it must be. */
  readonly sequence: number;
  constructor(sequence: number, why: string) {
    super(`The audit log is not signed from row ${sequence} on: ${why}. Verify the log`);
    this.sequence = sequence;
  }
}

export interface CheckpointMakerOptions extends Required<AuditTables> {
  readonly database: DrizzleDatabase;
  readonly chain: AuditChain;
  readonly key: CheckpointKey;
  /** Earlier keys, whose checkpoints are continued. */
  readonly publicKeys: readonly string[];
  readonly now: () => number;
  /** The last row that this process knows to be committed: the stored head may have been set back. */
  readonly knownSequence: () => number;
  /** Called for rows that are missing between others. */
  readonly onGap: (gap: { readonly from: number; readonly to: number }) => void;
}

export interface CheckpointMaker {
  /**
   * Signs the rows up to the end of the log. Reads those after the last checkpoint, of any node, and verifies each with
   * the key of the chain before it signs. Null: there is no row without a checkpoint, and none was ever made.
   *
   * Rejects with {@link CheckpointRefusedError}, or the database's error.
   */
  make(): Promise<Made | null>;
}

export interface Made {
  readonly checkpoint: Checkpoint;
  /** There are further rows. */
  readonly isPartial: boolean;
}

/** Stores the newest checkpoint of a chain, from which the next one continues. */
export async function storeSignedHead(
  queries: Pick<DrizzleDatabase, 'insert'>,
  signedHeads: AuditSignedHeadsTable,
  chain: string,
  { note }: Checkpoint,
): Promise<void> {
  await queries
    .insert(signedHeads)
    .values({ chain, note })
    .onConflictDoUpdate({ target: signedHeads.chain, set: { note } });
}

/** Where the rows of the next checkpoint begin. */
interface Base {
  readonly sequence: number;
  /** The mac of its row; null where it is unknown. */
  readonly mac: string | null;
  readonly tree: TreeState;
  /** Null: the base is the beginning of the log. */
  readonly checkpoint: Checkpoint | null;
}

/** Where retention cut the log. */
interface Cut extends Base {
  /** The cut deleted rows with findings: checkpoints before it don't count. */
  readonly superseding: Checkpoint | null;
}

const BEGINNING: Cut = {
  sequence: 0,
  mac: null,
  tree: { size: 0, frontier: [] },
  checkpoint: null,
  superseding: null,
};

/** Retention moved the beginning of the log while it was read. */
class MovedError extends Error {}

export function createCheckpointMaker(options: CheckpointMakerOptions): CheckpointMaker {
  const { database, chain, table, heads, signedHeads, key, publicKeys, now, knownSequence, onGap } = options;
  const name = chainName(table);
  const stateOf = createCheckpointProof([key.publicKey, ...publicKeys], chain);
  const ask = createBoundedCall({ timeoutMillis: QUERY_LIMIT_MILLIS, maxUnsettled: 1, toError: describeFailure });
  let newest: Checkpoint | null = null;

  /** The stored checkpoint: another node may have made it. Database users can write there: it is verified. */
  async function readStored(): Promise<Checkpoint | null> {
    const rows = await ask(() =>
      database.select({ note: signedHeads.note }).from(signedHeads).where(eq(signedHeads.chain, name)),
    );
    const stored = readCheckpoint(rows[0]?.note);
    return stored !== null && stateOf(stored) === 'genuine' ? stored : null;
  }

  async function readEnd(): Promise<{ readonly sequence: number; readonly cut: Cut } | null> {
    const head = await ask(() => readHead(database, heads, name));
    const sequence = Math.max(head?.sequence ?? 0, knownSequence());
    if (sequence === 0) return null;
    const cut = head?.cut ?? null;
    if (head?.cutUnreadable === true || (cut !== null && (cut.kind !== 'cut' || stateOf(cut) !== 'genuine')))
      throw new CheckpointRefusedError(1, 'the stored cut of retention is not genuine, or its key is unknown');
    if (cut === null) return { sequence, cut: BEGINNING };
    const superseding = isSigned(cut) && cut.since !== null ? cut : null;
    return {
      sequence,
      cut: { sequence: cut.sequence, mac: cut.mac, tree: treeAt(cut), checkpoint: null, superseding },
    };
  }

  async function findBase(cut: Cut): Promise<Base> {
    const stored = await readStored();
    // The later one counts, not the longer one: an operator may have accepted a shorter log.
    const last = stored !== null && (newest === null || stored.at > newest.at) ? stored : newest;
    if (last === null || last.sequence < cut.sequence) return cut;
    if (cut.superseding !== null && isSuperseded(last, [cut.superseding])) return cut;
    return { sequence: last.sequence, mac: last.mac, tree: treeAt(last), checkpoint: last };
  }

  /** Follows the rows after the base. Resolves to the last one. */
  async function follow(base: Base, cut: Cut, end: number): Promise<Base & { readonly isPartial: boolean }> {
    const tree = createMerkleTree(base.tree);
    let last = { sequence: base.sequence, mac: base.mac };
    // Retention has deleted the row of the base if it cut there.
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
        onGap({ from: last.sequence + 1, to: row.sequence - 1 });
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
    return { ...last, tree: tree.state(), checkpoint: base.checkpoint, isPartial };
  }

  async function refuseMoved(cut: Cut): Promise<void> {
    const now = await readEnd();
    if (now !== null && now.cut.sequence > cut.sequence) throw new MovedError();
  }

  async function makeOnce(): Promise<Made | null> {
    const end = await readEnd();
    if (end === null) return null;
    const base = await findBase(end.cut);
    if (end.sequence < base.sequence)
      throw new CheckpointRefusedError(end.sequence + 1, `the last checkpoint covers rows up to ${base.sequence}`);
    const { sequence, mac, tree, isPartial } = await follow(base, end.cut, end.sequence);
    if (sequence === base.sequence) return base.checkpoint === null ? null : keep(base.checkpoint, isPartial);
    const content = {
      kind: 'progress',
      sequence,
      root: createMerkleTree(tree).root(),
      frontier: tree.frontier,
      mac,
      at: timeAfter(now(), base.checkpoint === null ? [] : [base.checkpoint]),
      before: null,
      since: null,
      gaps: [],
    } as const;
    const checkpoint = await signCheckpoint(content, key);
    await ask(() => storeSignedHead(database, signedHeads, name, checkpoint));
    return keep(checkpoint, isPartial);
  }

  function keep(checkpoint: Checkpoint, isPartial: boolean): Made {
    newest = checkpoint;
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
