import { leafOf, type StoredRow } from '../chain/index.js';
import { type Checkpoint, createMerkleTree, type TreeState, treeOf } from '../notes/index.js';

/** Rows that differ from those that a checkpoint covers. */
export interface DifferentRows {
  readonly from: number;
  readonly to: number;
  readonly checkpoint: Checkpoint;
}

export interface TreeInspection {
  /** Follows the next row. Rows must come in the order of their sequence. */
  look(row: StoredRow): void;
  /** Continues after rows that retention deleted. Does nothing if it is already there. */
  startAt(tree: TreeState): void;
  /** The tree over the rows so far. */
  readonly state: TreeState;
  /** The last compared row that a checkpoint covers. */
  readonly coveredTo: number;
  readonly differences: readonly DifferentRows[];
}

/**
 * Computes the tree of the rows, and compares it with the root of each checkpoint. After a difference it continues with
 * the tree of the checkpoint, so that each part of the log is judged alone. It needs no secret.
 *
 * @param start the tree of the rows that retention deleted
 * @param checkpoints genuine ones, by sequence
 */
export function createTreeInspection(start: TreeState, checkpoints: readonly Checkpoint[]): TreeInspection {
  const differences: DifferentRows[] = [];
  let tree = createMerkleTree(start);
  let next = 0;
  /** Rows up to this one were compared. */
  let compared = start.size;
  let coveredTo = 0;

  function compare(): void {
    while ((checkpoints[next]?.sequence ?? Number.POSITIVE_INFINITY) < tree.size) next += 1;
    let matches = false;
    let other: Checkpoint | null = null;
    for (; checkpoints[next]?.sequence === tree.size; next += 1) {
      const checkpoint = checkpoints[next] as Checkpoint;
      if (checkpoint.root === tree.root()) matches = true;
      else {
        other = checkpoint;
        differences.push({ from: Math.min(compared + 1, tree.size), to: tree.size, checkpoint });
      }
    }
    if (!matches && other === null) return;
    compared = tree.size;
    coveredTo = tree.size;
    if (!matches && other !== null) tree = createMerkleTree(treeOf(other));
  }

  /** Adds the missing rows up to this sequence as gaps. */
  function advance(to: number): void {
    while (tree.size < to) {
      const stop = checkpoints[next]?.sequence ?? to;
      tree.appendGaps(stop > tree.size ? Math.min(stop, to) : to);
      compare();
    }
  }

  compare();
  return {
    look(row) {
      // Left by an interrupted retention, or a second row with this sequence.
      if (row.sequence <= tree.size || !Number.isSafeInteger(row.sequence)) return;
      advance(row.sequence - 1);
      tree.append(leafOf(row));
      compare();
    },
    startAt(state) {
      if (state.size <= tree.size) return;
      tree = createMerkleTree(state);
      compared = state.size;
      compare();
    },
    get state() {
      return tree.state();
    },
    get coveredTo() {
      return coveredTo;
    },
    differences,
  };
}
