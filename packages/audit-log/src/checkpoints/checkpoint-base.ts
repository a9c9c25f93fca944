import { type AnyCut, isSigned, treeAt } from '../chain/index.js';
import { type Checkpoint, isSuperseded, type TreeState, treeOf } from '../notes/index.js';

/** The start of the rows of the next checkpoint. */
export interface Base {
  readonly sequence: number;
  /** The mac of its row. Null if it is unknown. */
  readonly mac: string | null;
  readonly tree: TreeState;
  /** Null if the base is the beginning of the log. */
  readonly checkpoint: Checkpoint | null;
}

/** The cut of the log by retention. */
export interface Cut extends Base {
  /** Whether the cut deleted rows with findings, so that checkpoints before it don't count. */
  readonly superseding: Checkpoint | null;
  /** Whether an earlier release made the cut, before there were signed checkpoints. */
  readonly isKeyed: boolean;
}

export const BEGINNING: Cut = {
  sequence: 0,
  mac: null,
  tree: { size: 0, frontier: [] },
  checkpoint: null,
  superseding: null,
  isKeyed: false,
};

export function baseOf(checkpoint: Checkpoint): Base {
  const { sequence, mac } = checkpoint;
  return { sequence, mac, tree: treeOf(checkpoint), checkpoint };
}

/** @param cut genuine */
export function baseAfter(cut: AnyCut): Cut {
  const { sequence, mac } = cut;
  const superseding = isSigned(cut) && cut.since !== null ? cut : null;
  return { sequence, mac, tree: treeAt(cut), checkpoint: null, superseding, isKeyed: !isSigned(cut) };
}

/** Whether the rows after the checkpoint begin before the cut, so that they can't be read. */
export function isBefore(checkpoint: Checkpoint, { sequence, superseding }: Cut): boolean {
  return checkpoint.sequence < sequence || (superseding !== null && isSuperseded(checkpoint, [superseding]));
}
