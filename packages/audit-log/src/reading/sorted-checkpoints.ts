import { option } from '@sallyport/plugin-kit/options';
import { type AnyCheckpoint, type CheckpointProof, isSigned, type KeyedCheckpoint } from '../chain/index.js';
import { type Checkpoint, isSuperseded } from '../notes/index.js';
import { type AuditFinding, finding } from './finding.js';

export interface SortedCheckpoints {
  /** Genuine checkpoints that count, by sequence. */
  readonly signed: readonly Checkpoint[];
  /** Genuine checkpoints of earlier releases that count. */
  readonly keyed: readonly KeyedCheckpoint[];
  /** States that an operator accepted, and cuts that deleted rows with findings. */
  readonly accepted: readonly Checkpoint[];
  /** The number of genuine checkpoints. */
  readonly genuine: number;
  readonly forged: readonly AuditFinding[];
}

/** The rule of an option that takes checkpoints. */
export const checkpointsRule = option<Iterable<AnyCheckpoint> | AsyncIterable<AnyCheckpoint>>({
  meaning: 'an iterable of checkpoints, such as readCheckpointFile(path)',
  accepts: (value) =>
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value),
  default: [],
});

/** Verifies the checkpoints. A checkpoint from several places counts once. */
export async function sortCheckpoints(
  stateOf: CheckpointProof,
  given: Iterable<AnyCheckpoint> | AsyncIterable<AnyCheckpoint>,
): Promise<SortedCheckpoints> {
  const genuine = new Map<string, AnyCheckpoint>();
  const forged: AuditFinding[] = [];
  for await (const checkpoint of given) {
    const identity = isSigned(checkpoint) ? checkpoint.note : JSON.stringify(checkpoint);
    if (genuine.has(identity)) continue;
    const state = stateOf(checkpoint);
    if (state === 'genuine') genuine.set(identity, checkpoint);
    else {
      const why = state === 'forged' ? 'is not genuine' : 'was signed with a key that is not given';
      forged.push(finding('checkpoint', checkpoint, `The checkpoint of ${checkpoint.at} ${why}.`));
    }
  }
  const all = [...genuine.values()];
  const accepted = all.filter(isSigned).filter(({ since }) => since !== null);
  const counting = all
    .filter((checkpoint) => !isSuperseded(checkpoint, accepted))
    .sort((one, other) => one.sequence - other.sequence);
  return {
    signed: counting.filter(isSigned),
    keyed: counting.filter((one): one is KeyedCheckpoint => !isSigned(one)),
    accepted,
    genuine: all.length,
    forged,
  };
}
