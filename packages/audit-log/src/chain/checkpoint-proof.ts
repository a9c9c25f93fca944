import {
  type Checkpoint,
  type CheckpointProof,
  createMerkleTree,
  type NoteState,
  readCheckpoint,
  type TreeState,
  treeOf,
} from '../notes/index.js';
import type { AuditChain } from './chain.js';
import { type KeyedCheckpoint, readKeyedCheckpoint } from './keyed-checkpoint.js';

/** A cut of this release or of an earlier one. */
export type AnyCut = Checkpoint | KeyedCheckpoint;

/** Whether the cut that is stored with the head of a chain is genuine. */
export type CutProof = (cut: AnyCut) => NoteState;

/**
 * @param chain null: without the key of the chain, cuts of earlier releases can't be verified
 * @param first the sequence of the first genuine checkpoint that is known. The release that made it signs its cuts, so
 * a later cut of an earlier release was made by a holder of the key of the chain, to hide what checkpoints cover.
 */
export function createCutProof(
  stateOf: CheckpointProof,
  chain: AuditChain | null,
  first = Number.POSITIVE_INFINITY,
): CutProof {
  return (cut) => {
    if (isSigned(cut)) return cut.kind === 'cut' ? stateOf(cut) : 'forged';
    if (chain === null || !chain.knows(cut.keyId)) return 'unknown';
    return chain.provesCheckpoint(cut) && cut.sequence < first ? 'genuine' : 'forged';
  };
}

/** The cut that is stored with the head of a chain. Null if there is none, or if it is not genuine. */
export function genuineCut(stateOf: CutProof, head: { readonly cut: AnyCut | null } | null): AnyCut | null {
  const cut = head?.cut ?? null;
  return cut !== null && stateOf(cut) === 'genuine' ? cut : null;
}

export function isSigned(cut: AnyCut): cut is Checkpoint {
  return 'note' in cut;
}

/**
 * The tree of the rows that retention deleted. A cut of an earlier release says nothing about them, so they count as
 * missing.
 */
export function treeAt(cut: AnyCut): TreeState {
  if (isSigned(cut)) return treeOf(cut);
  const tree = createMerkleTree();
  tree.appendGaps(cut.sequence);
  return tree.state();
}

/** The stored value as a cut, not verified yet. Null if it is not a checkpoint. */
export function readStoredCut(value: unknown): AnyCut | null {
  const { sequence, note } = (value ?? {}) as Partial<Checkpoint>;
  if (note === undefined) return readKeyedCheckpoint(value);
  const checkpoint = readCheckpoint(note);
  return checkpoint?.sequence === sequence ? checkpoint : null;
}
