import {
  type Checkpoint,
  createMerkleTree,
  createNoteProof,
  type NoteState,
  readCheckpoint,
  type TreeState,
  treeOf,
} from '../notes/index.js';
import type { AuditChain } from './chain.js';
import { type KeyedCheckpoint, readKeyedCheckpoint } from './keyed-checkpoint.js';

/** A checkpoint of this release or of an earlier one. */
export type AnyCheckpoint = Checkpoint | KeyedCheckpoint;

/** Whether a checkpoint is genuine: signed with one of the keys. */
export type CheckpointProof = (checkpoint: AnyCheckpoint) => NoteState;

/**
 * @param publicKeys in their text forms, which were checked as options
 * @param chain null: without the key of the chain, checkpoints of earlier releases can't be verified
 */
export function createCheckpointProof(publicKeys: readonly string[], chain: AuditChain | null): CheckpointProof {
  const stateOfNote = createNoteProof(publicKeys);
  return (checkpoint) => {
    if (isSigned(checkpoint)) return stateOfNote(checkpoint);
    if (chain === null || !chain.knows(checkpoint.keyId)) return 'unknown';
    return chain.provesCheckpoint(checkpoint) ? 'genuine' : 'forged';
  };
}

export function isSigned(checkpoint: AnyCheckpoint): checkpoint is Checkpoint {
  return 'note' in checkpoint;
}

/**
 * The tree that a checkpoint covers. A checkpoint of an earlier release says nothing about its rows, so they count as
 * missing.
 */
export function treeAt(checkpoint: AnyCheckpoint): TreeState {
  if (isSigned(checkpoint)) return treeOf(checkpoint);
  const tree = createMerkleTree();
  tree.appendGaps(checkpoint.sequence);
  return tree.state();
}

/** The stored value as a checkpoint, not verified yet. Null if it is not a checkpoint. */
export function readStoredCut(value: unknown): AnyCheckpoint | null {
  const { sequence, note } = (value ?? {}) as Partial<Checkpoint>;
  if (note === undefined) return readKeyedCheckpoint(value);
  const checkpoint = readCheckpoint(note);
  return checkpoint?.sequence === sequence ? checkpoint : null;
}
