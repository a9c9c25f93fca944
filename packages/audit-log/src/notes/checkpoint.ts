import { type CheckpointKey, type CheckpointVerifier, readPublicKey } from './checkpoint-keys.js';
import { type AuditGap, arePlausibleGaps, gapsText, mergeGaps, readGaps, subtractGaps } from './gaps.js';
import { createMerkleTree, isTreeState, type TreeState } from './merkle-tree.js';
import { type NoteState, signNote, splitNote, stateOfNote } from './signed-note.js';

/**
 * `progress`: the log had reached this row. `cut`: retention deletes everything up to this row, and verification starts
 * after it. `accepted`: an operator accepted the log as it was, although it did not contain an earlier checkpoint.
 */
export type CheckpointKind = 'progress' | 'cut' | 'accepted';

/** What a checkpoint says. */
export interface CheckpointContent {
  readonly kind: CheckpointKind;
  /** The sequence of the last row that it covers, which is the size of the tree. */
  readonly sequence: number;
  /** The root of the RFC 6962 tree over the rows, in base64. */
  readonly root: string;
  /** The hashes of the perfect subtrees, the largest first, in base64: a verification can start here. */
  readonly frontier: readonly string[];
  /** The mac of that row; null for an empty log, or where it was not readable. */
  readonly mac: string | null;
  /** When it was made, in UTC: `2026-11-21T16:15:09.123Z`. */
  readonly at: string;
  /** Of a cut: records from before this time were deleted, in UTC. */
  readonly before: string | null;
  /**
   * Of an accepted state, and of a cut that deleted rows with findings: checkpoints of rows after this one that were
   * made earlier don't count any more.
   */
  readonly since: number | null;
  /**
   * Rows that were acknowledged and are lost. Of `progress`: no operator has accepted that yet, and each later
   * checkpoint names them too. Of `accepted`: an operator accepted exactly these.
   */
  readonly gaps: readonly AuditGap[];
}

/**
 * A signed statement about the log, for a place that database users can't write to. Only a checkpoint shows that the
 * newest rows are missing. It is a checkpoint of C2SP tlog-checkpoint, signed with Ed25519: the public key verifies it.
 */
export interface Checkpoint extends CheckpointContent {
  /** The name of the log, as its key says it. */
  readonly origin: string;
  /** The signed note, as it is stored. */
  readonly note: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MAC = /^[A-Za-z0-9_-]{43}$/;
/** A value that is not there. */
const NONE = '-';

/** Signs a checkpoint. A mac that is not one, of a row that was changed, is left out. */
export async function signCheckpoint(content: CheckpointContent, key: CheckpointKey): Promise<Checkpoint> {
  const mac = content.mac !== null && MAC.test(content.mac) ? content.mac : null;
  const written = { ...content, mac, origin: key.name };
  return { ...written, note: await signNote(textOf(written), key) };
}

/*
 * The text: origin, size and root, as C2SP tlog-checkpoint defines them, and one extension line for each other value.
 */
function textOf(checkpoint: Omit<Checkpoint, 'note'>): string {
  const { origin, sequence, root, kind, at, mac, frontier, before, since, gaps } = checkpoint;
  const lines = [
    origin,
    String(sequence),
    root,
    `kind ${kind}`,
    `time ${at}`,
    `mac ${mac ?? NONE}`,
    `frontier ${frontier.join(' ') || NONE}`,
    ...(before === null ? [] : [`before ${before}`]),
    ...(since === null ? [] : [`since ${since}`]),
    ...(gaps.length === 0 ? [] : [`gaps ${gapsText(gaps)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The note as a checkpoint, not verified yet. Null where it is not one, or incomplete. */
export function readCheckpoint(note: unknown): Checkpoint | null {
  const split = typeof note === 'string' ? splitNote(note) : null;
  if (split === null) return null;
  const [origin = '', size = '', root = '', ...extensions] = split.text.slice(0, -1).split('\n');
  const values = new Map(
    extensions.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  );
  const given = (name: string) => {
    const value = values.get(name);
    return value === undefined || value === NONE ? null : value;
  };
  const [since, gaps] = [given('since'), given('gaps')];
  const checkpoint = {
    kind: given('kind') as CheckpointKind,
    origin,
    sequence: Number(size),
    root,
    frontier: given('frontier')?.split(' ') ?? [],
    mac: given('mac'),
    at: given('time') ?? '',
    before: given('before'),
    since: since === null ? null : Number(since),
    gaps: gaps === null ? [] : readGaps(gaps),
    note: note as string,
  };
  // Whatever doesn't have exactly the text that it would be written with is not a checkpoint.
  return isPlausible(checkpoint) && textOf(checkpoint) === split.text ? checkpoint : null;
}

function isPlausible({ kind, sequence, root, frontier, mac, at, before, since, gaps }: CheckpointContent): boolean {
  return (
    Number.isSafeInteger(sequence) &&
    sequence >= 0 &&
    /^[A-Za-z0-9+/]{43}=$/.test(root) &&
    isTreeState({ size: sequence, frontier }) &&
    createMerkleTree({ size: sequence, frontier }).root() === root &&
    (mac === null || MAC.test(mac)) &&
    TIME.test(at) &&
    (kind === 'cut' ? before !== null && TIME.test(before) : before === null) &&
    (since === null ? kind !== 'accepted' : kind !== 'progress' && Number.isSafeInteger(since) && since >= 0) &&
    arePlausibleGaps(gaps, sequence) &&
    (kind === 'progress' || kind === 'accepted' || (kind === 'cut' && gaps.length === 0))
  );
}

/**
 * Verifies checkpoints with public keys.
 *
 * @param publicKeys in their text forms, which were checked as options
 */
export function createNoteProof(publicKeys: readonly string[]): (checkpoint: Checkpoint) => NoteState {
  const verifiers = publicKeys.map(readPublicKey).filter((key): key is CheckpointVerifier => key !== null);
  return ({ note, origin }) => {
    const split = splitNote(note);
    if (split === null) return 'forged';
    // The origin names the log: a key signs checkpoints of its own log only.
    return stateOfNote(
      split,
      verifiers.filter(({ name }) => name === origin),
    );
  };
}

/** The tree that a checkpoint covers. */
export function treeOf({ sequence, frontier }: Pick<Checkpoint, 'sequence' | 'frontier'>): TreeState {
  return { size: sequence, frontier };
}

/** Whether an operator has accepted, after this checkpoint was made, a log that does not agree with it. */
export function isSuperseded(
  { sequence, at }: Pick<Checkpoint, 'sequence' | 'at'>,
  accepted: readonly Pick<Checkpoint, 'since' | 'at'>[],
): boolean {
  return accepted.some((one) => one.since !== null && sequence > one.since && at < one.at);
}

/** The gaps that checkpoints name and no operator has accepted since. Only checkpoints that count may be given. */
export function unacceptedGaps(checkpoints: readonly Pick<Checkpoint, 'kind' | 'at' | 'gaps'>[]): AuditGap[] {
  const accepted = checkpoints.filter(({ kind, gaps }) => kind === 'accepted' && gaps.length > 0);
  const named = checkpoints.filter(({ kind, gaps }) => kind === 'progress' && gaps.length > 0);
  return mergeGaps(
    named.flatMap(({ at, gaps }) => {
      const later = accepted.filter((one) => one.at > at).flatMap((one) => one.gaps);
      return gaps.flatMap((gap) => subtractGaps(gap, later));
    }),
  );
}

/** The time of a checkpoint: later than those that it follows, also where a clock was set back. */
export function timeAfter(now: number, earlier: readonly Pick<Checkpoint, 'at'>[]): string {
  const newest = earlier.reduce((time, { at }) => Math.max(time, Date.parse(at) + 1), now);
  return new Date(newest).toISOString();
}
