import { type CheckpointKey, type CheckpointVerifier, readPublicKey } from './checkpoint-keys.js';
import { type AuditGap, arePlausibleGaps, gapsText, mergeGaps, readGaps, subtractGaps } from './gaps.js';
import { createMerkleTree, isTreeState, type TreeState } from './merkle-tree.js';
import { type NoteState, signNote, splitNote, stateOfNote } from './signed-note.js';

/**
 * `progress`: the log had reached this row. `cut`: retention deletes everything up to this row, and verification starts
 * after it. `accepted`: an operator accepted the log as it was, although it did not contain an earlier checkpoint.
 */
export type CheckpointKind = 'progress' | 'cut' | 'accepted';

/** The content of a checkpoint. */
export interface CheckpointContent {
  readonly kind: CheckpointKind;
  /** The sequence of the last covered row, which is the size of the tree. */
  readonly sequence: number;
  /** The root of the RFC 6962 tree over the rows, in base64. */
  readonly root: string;
  /** The hashes of the perfect subtrees, the largest first, in base64. A verification can start from them. */
  readonly frontier: readonly string[];
  /** The mac of the last covered row. Null for an empty log, or if it was not readable. */
  readonly mac: string | null;
  /** The time of the checkpoint, in UTC: `2026-11-21T16:15:09.123Z`. */
  readonly at: string;
  /** Only of a cut: the time before which records were deleted, in UTC. */
  readonly before: string | null;
  /**
   * Only of an accepted state, and of a cut that deleted rows with findings. Earlier checkpoints of rows after this one
   * no longer count.
   */
  readonly since: number | null;
  /**
   * Rows that were acknowledged and are lost. In `progress`, no operator has accepted the loss yet, and each later
   * checkpoint also names the rows. In `accepted`, an operator accepted exactly these rows.
   */
  readonly gaps: readonly AuditGap[];
}

/**
 * A signed statement about the log, for a place to which database users can't write. Only a checkpoint shows that the
 * newest rows are missing. Its format is C2SP tlog-checkpoint, signed with Ed25519, so the public key verifies it.
 */
export interface Checkpoint extends CheckpointContent {
  /** The name of the log, from its key. */
  readonly origin: string;
  /** The signed note in its stored form. */
  readonly note: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MAC = /^[A-Za-z0-9_-]{43}$/;
/** The text of an absent value. */
const NONE = '-';

/** Signs a checkpoint. A malformed mac of a changed row is left out. */
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

/** The note as a checkpoint, not verified yet. Null if it is not a checkpoint, or incomplete. */
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
  // A note is a checkpoint only if writing its content again gives exactly the same text.
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

/** Whether a checkpoint is genuine: signed with one of the keys. */
export type CheckpointProof = (checkpoint: Checkpoint) => NoteState;

/**
 * Verifies checkpoints with public keys.
 *
 * @param publicKeys in their text forms, which were checked as options
 */
export function createNoteProof(publicKeys: readonly string[]): CheckpointProof {
  const verifiers = publicKeys.map(readPublicKey).filter((key): key is CheckpointVerifier => key !== null);
  return ({ note, origin }) => {
    const split = splitNote(note);
    if (split === null) return 'forged';
    // The origin names the log. A key signs checkpoints of its own log only.
    return stateOfNote(
      split,
      verifiers.filter(({ name }) => name === origin),
    );
  };
}

/**
 * Reads a note that an auditor kept, and verifies its signature. Null if it is not a checkpoint, or incomplete.
 *
 * @example
 * ```ts
 * const pair = generateCheckpointKey('api.example.com/audit'); // as sallyport-audit-keygen does, once
 * export const checkpointKey = parseCheckpointKey(pair.privateKey);
 * console.log(pair.publicKey); // for everyone who verifies the log
 * export const isGenuine = (note: string) => readSignedCheckpoint(note, [pair.publicKey])?.state === 'genuine';
 * ```
 *
 * @param publicKeys in their text forms. One that cannot be read proves nothing.
 */
export function readSignedCheckpoint(
  note: string,
  publicKeys: readonly string[],
): { readonly checkpoint: Checkpoint; readonly state: NoteState } | null {
  const checkpoint = readCheckpoint(note);
  return checkpoint === null ? null : { checkpoint, state: createNoteProof(publicKeys)(checkpoint) };
}

/** The tree that a checkpoint covers. */
export function treeOf({ sequence, frontier }: Pick<Checkpoint, 'sequence' | 'frontier'>): TreeState {
  return { size: sequence, frontier };
}

/** Whether an operator has later accepted a log that does not agree with this checkpoint. */
export function isSuperseded(
  { sequence, at }: Pick<Checkpoint, 'sequence' | 'at'>,
  accepted: readonly Pick<Checkpoint, 'since' | 'at'>[],
): boolean {
  return accepted.some((one) => one.since !== null && sequence > one.since && at < one.at);
}

/** The gaps that checkpoints name and no operator has accepted since. The given checkpoints must count. */
export function unacceptedGaps(checkpoints: readonly Pick<Checkpoint, 'kind' | 'at' | 'gaps'>[]): AuditGap[] {
  const accepted = checkpoints.filter(({ kind, gaps }) => kind === 'accepted' && gaps.length > 0);
  const named = checkpoints.filter(({ kind, gaps }) => kind === 'progress' && gaps.length > 0);
  return mergeGaps(
    named.flatMap(({ at, gaps }) => {
      const later = accepted.filter((one) => one.at > at).flatMap((one) => one.gaps);
      return subtractGaps(gaps, later);
    }),
  );
}

/** The time of a checkpoint. It is later than those of earlier checkpoints, even if a clock was set back. */
export function timeAfter(now: number, earlier: readonly Pick<Checkpoint, 'at'>[]): string {
  const newest = earlier.reduce((time, { at }) => Math.max(time, Date.parse(at) + 1), now);
  return new Date(newest).toISOString();
}
