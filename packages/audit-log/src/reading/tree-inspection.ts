import { leafOf, type StoredRow } from '../chain/index.js';
import { type Checkpoint, createMerkleTree, type MerkleTree, type TreeState, treeOf } from '../notes/index.js';

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

/** After a failover that lost covered rows there are two. */
const MAX_TREES = 4;

/**
 * Computes the tree of the rows, and compares it with the root of each checkpoint. After a difference it continues with
 * the tree of the checkpoint, so that each part of the log is judged alone, and with its own, since later checkpoints
 * cover what is missing as gaps if the database lost it. Needs no secret.
 *
 * @param start the tree of the rows that retention deleted
 * @param checkpoints genuine ones, by sequence
 */
export function createTreeInspection(start: TreeState, checkpoints: readonly Checkpoint[]): TreeInspection {
  const differences: DifferentRows[] = [];
  /** All trees have the same size. */
  let trees: [MerkleTree, ...MerkleTree[]] = [createMerkleTree(start)];
  let next = 0;
  /** Rows up to this one were compared. */
  let compared = start.size;
  let coveredTo = 0;

  function compare(): void {
    const { size } = trees[0];
    while ((checkpoints[next]?.sequence ?? Number.POSITIVE_INFINITY) < size) next += 1;
    let matching: MerkleTree | null = null;
    let other: Checkpoint | null = null;
    for (; checkpoints[next]?.sequence === size; next += 1) {
      const checkpoint = checkpoints[next] as Checkpoint;
      const tree = trees.find((one) => one.root() === checkpoint.root);
      if (tree !== undefined) matching = tree;
      else {
        other = checkpoint;
        differences.push({ from: Math.min(compared + 1, size), to: size, checkpoint });
      }
    }
    if (matching === null && other === null) return;
    compared = size;
    coveredTo = size;
    if (matching !== null) trees = [matching];
    else if (other !== null) trees = [createMerkleTree(treeOf(other)), ...trees.slice(0, MAX_TREES - 1)];
  }

  /** Adds the missing rows up to this sequence as gaps. */
  function advance(to: number): void {
    while (trees[0].size < to) {
      const stop = checkpoints[next]?.sequence ?? to;
      const size = stop > trees[0].size ? Math.min(stop, to) : to;
      for (const tree of trees) tree.appendGaps(size);
      compare();
    }
  }

  compare();
  return {
    look(row) {
      // Left by an interrupted retention, or a second row with this sequence.
      if (row.sequence <= trees[0].size || !Number.isSafeInteger(row.sequence)) return;
      advance(row.sequence - 1);
      const leaf = leafOf(row);
      for (const tree of trees) tree.append(leaf);
      compare();
    },
    startAt(state) {
      if (state.size <= trees[0].size) return;
      trees = [createMerkleTree(state)];
      compared = state.size;
      compare();
    },
    get state() {
      return trees[0].state();
    },
    get coveredTo() {
      return coveredTo;
    },
    differences,
  };
}
