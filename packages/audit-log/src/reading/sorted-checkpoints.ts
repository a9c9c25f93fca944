import { listOf, option } from '@sallyport/plugin-kit/options';
import {
  type Checkpoint,
  type CheckpointProof,
  createNoteProof,
  isCheckpointPublicKey,
  isSuperseded,
} from '../notes/index.js';
import { type AuditFinding, finding } from './finding.js';

/** A checkpoint that another party kept, such as an auditor, with the public key that proves it. */
export interface KeptCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly publicKey: string;
}

export interface SortedCheckpoints {
  /** Genuine checkpoints that count, by sequence. */
  readonly signed: readonly Checkpoint[];
  /** Those and the kept ones, by sequence. Only the rows of a kept one count. */
  readonly compared: readonly Checkpoint[];
  /** The sequence of the first genuine checkpoint, whether it counts or not. Infinite if there is none. */
  readonly first: number;
  /** States that an operator accepted, and cuts that deleted rows with findings. */
  readonly accepted: readonly Checkpoint[];
  /** The number of genuine checkpoints. */
  readonly genuine: number;
  readonly forged: readonly AuditFinding[];
}

/** The rule of an option that takes checkpoints. */
export const checkpointsRule = option<Iterable<Checkpoint> | AsyncIterable<Checkpoint>>({
  meaning: 'an iterable of checkpoints, such as readCheckpointFile(path)',
  accepts: (value) =>
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value),
  default: [],
});

/** The rule of an option that takes kept checkpoints. */
export const keptRule = listOf<KeptCheckpoint>(isKept, {
  meaning: 'a list of { checkpoint, publicKey }, such as of readSignedCheckpoint(note, [publicKey])',
  default: [],
});

function isKept(value: unknown): boolean {
  const { checkpoint, publicKey } = (value ?? {}) as Partial<KeptCheckpoint>;
  return typeof checkpoint?.note === 'string' && typeof publicKey === 'string' && isCheckpointPublicKey(publicKey);
}

/** Verifies the checkpoints. A checkpoint from several places counts once. */
export async function sortCheckpoints(
  stateOf: CheckpointProof,
  given: Iterable<Checkpoint> | AsyncIterable<Checkpoint>,
  kept: readonly KeptCheckpoint[] = [],
): Promise<SortedCheckpoints> {
  const genuine = new Map<string, Checkpoint>();
  const genuineKept: Checkpoint[] = [];
  const forged: AuditFinding[] = [];
  const refuse = (checkpoint: Checkpoint, state: 'forged' | 'unknown') => {
    const why = state === 'forged' ? 'is not genuine' : 'was signed with a key that is not given';
    forged.push(finding('checkpoint', checkpoint, `The checkpoint of ${checkpoint.at} ${why}.`));
  };
  for await (const checkpoint of given) {
    if (genuine.has(checkpoint.note)) continue;
    const state = stateOf(checkpoint);
    if (state === 'genuine') genuine.set(checkpoint.note, checkpoint);
    else refuse(checkpoint, state);
  }
  for (const { checkpoint, publicKey } of kept) {
    const state = createNoteProof([publicKey])(checkpoint);
    if (state === 'genuine') genuineKept.push(checkpoint);
    else refuse(checkpoint, state);
  }
  const all = [...genuine.values()];
  const accepted = all.filter(({ since }) => since !== null);
  const counting = (some: readonly Checkpoint[]) =>
    some
      .filter((checkpoint) => !isSuperseded(checkpoint, accepted))
      .sort((one, other) => one.sequence - other.sequence);
  return {
    signed: counting(all),
    compared: counting([...all, ...genuineKept]),
    first: all.reduce((least, { sequence }) => Math.min(least, sequence), Number.POSITIVE_INFINITY),
    accepted,
    genuine: all.length + genuineKept.length,
    forged,
  };
}
