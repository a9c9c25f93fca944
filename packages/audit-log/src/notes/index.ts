export {
  type Checkpoint,
  type CheckpointContent,
  type CheckpointKind,
  type CheckpointProof,
  createNoteProof,
  isSuperseded,
  readCheckpoint,
  readSignedCheckpoint,
  signCheckpoint,
  timeAfter,
  treeOf,
  unacceptedGaps,
} from './checkpoint.js';
export {
  type CheckpointKey,
  type CheckpointKeyPair,
  checkpointKeyFaults,
  checkpointKeyRule,
  generateCheckpointKey,
  isCheckpointPublicKey,
  parseCheckpointKey,
  publicKeysRule,
} from './checkpoint-keys.js';
export { type AuditGap, describeGaps, hasGaps, hasRow, mergeGaps, subtractGaps } from './gaps.js';
export { createMerkleTree, hashLeaf, type MerkleTree, type TreeState } from './merkle-tree.js';
export { isSignatureLine, type NoteState } from './signed-note.js';
