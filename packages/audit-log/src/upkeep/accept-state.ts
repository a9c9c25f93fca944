import { callback, readOptions } from '@sallyport/plugin-kit/options';
import { eq } from 'drizzle-orm/sql';
import {
  type AnyCheckpoint,
  type AuditChainOptions,
  chainName,
  chainRules,
  createAuditChain,
  createCheckpointProof,
  keyFaults,
  leafOf,
  type ReadWithDatabase,
  readHead,
  readRows,
  treeAt,
} from '../chain/index.js';
import { type CheckpointWriter, storeSignedHead, writersRule } from '../checkpoints/index.js';
import { AuditSetupError } from '../errors.js';
import {
  type AuditGap,
  type Checkpoint,
  type CheckpointKey,
  checkpointKeyFaults,
  checkpointKeyRule,
  createMerkleTree,
  mergeGaps,
  publicKeysRule,
  signCheckpoint,
  type TreeState,
  timeAfter,
} from '../notes/index.js';
import { type AuditState, checkAuditState, checkpointsRule, sortCheckpoints } from '../reading/index.js';

export interface AcceptStateOptions extends AuditChainOptions {
  /** Every checkpoint of the log, such as `readCheckpointFile(path)`. Read once. Required. */
  readonly checkpoints: Iterable<AnyCheckpoint> | AsyncIterable<AnyCheckpoint>;
  /** Stores the checkpoint of the accepted state in one or several places. Required. */
  readonly checkpoint: CheckpointWriter | readonly CheckpointWriter[];
  /** Signs it: `parseCheckpointKey(text)`. Required. */
  readonly checkpointKey: CheckpointKey;
  /** Public keys of earlier checkpoints, beside that of `checkpointKey`. Default none. */
  readonly publicKeys?: readonly string[];
  /** The clock of the checkpoint, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

const rules = {
  ...chainRules,
  checkpoints: { ...checkpointsRule, isRequired: true, defaultValue: undefined },
  checkpoint: writersRule,
  checkpointKey: checkpointKeyRule,
  publicKeys: publicKeysRule,
  now: callback<() => number>({ that: 'returns milliseconds since 1970, such as Date.now', default: Date.now }),
};

export interface AcceptedState {
  /** What was accepted: the state of the log compared with its checkpoints. */
  readonly state: AuditState;
  /** The signed statement that the log is accepted as it is. */
  readonly checkpoint: Checkpoint;
  /** The places that did not get it: accept again when they can be reached, or they contradict the others. */
  readonly failures: readonly { readonly destination: string; readonly error: unknown }[];
}

/**
 * Accepts the log as it is: signs a checkpoint of kind `accepted`, which names the rows that are missing. Checkpoints
 * of rows that the log does not contain don't count from then on, and new ones continue after it. `verifyAuditLog`
 * lists what was accepted, and it is no finding any more; whatever is deleted later is one. Changed rows stay findings.
 * Append a record of who accepted first, so that the checkpoint covers it.
 *
 * Rejects with AuditSetupError for bad options, and with the error of the database, or of the first place if none of
 * them got the checkpoint.
 */
export async function acceptAuditState(options: AcceptStateOptions): Promise<AcceptedState> {
  const given = readOptions<ReadWithDatabase<AcceptStateOptions>>(
    { subject: 'acceptAuditState', SetupError: AuditSetupError },
    options,
    rules,
    (read) => [...keyFaults(read), ...checkpointKeyFaults(read.checkpointKey)],
  );
  const { database, key, previousKeys, table, heads, checkpointKey, now } = given;
  const publicKeys = [checkpointKey.publicKey, ...given.publicKeys];
  const stateOf = createCheckpointProof(publicKeys, createAuditChain(key, previousKeys));
  const { pending, signedHeads } = given;
  // Read once: the caller may give a stream.
  const checkpoints: AnyCheckpoint[] = [];
  for await (const one of given.checkpoints) checkpoints.push(one);
  const state = await checkAuditState({
    ...{ database, key, previousKeys, table, heads, pending, signedHeads, publicKeys, checkpoints },
  });
  const { signed } = await sortCheckpoints(stateOf, checkpoints);

  const name = chainName(table);
  const head = await readHead(database, heads, name);
  const cut = head?.cut?.kind === 'cut' && stateOf(head.cut) === 'genuine' ? head.cut : null;
  // A cut that is not genuine would prevent every further checkpoint.
  if (cut === null) await database.update(heads).set({ cut: null }).where(eq(heads.chain, name));
  const { tree, mac, missing, agreedTo } = await readAccepted(given, cut === null ? undefined : treeAt(cut), signed);
  const { size, frontier } = tree.state();
  const gaps = mergeGaps([...missing, ...signed.flatMap((one) => one.gaps)]);
  const checkpoint = await signCheckpoint(
    {
      kind: 'accepted',
      sequence: size,
      root: tree.root(),
      frontier,
      mac,
      // Also where the clock of a node is ahead: only what was signed before does not count any more.
      at: timeAfter(now(), signed),
      before: null,
      // Without a checkpoint to compare with, none is contradicted.
      since: state.state === 'unknown' ? size : agreedTo,
      gaps: gaps.filter(({ to }) => to <= size),
    },
    checkpointKey,
  );
  const failures: AcceptedState['failures'][number][] = [];
  const writers = [given.checkpoint].flat();
  for (const write of writers) {
    try {
      await write(checkpoint);
    } catch (error) {
      failures.push({ destination: write.destination ?? 'unnamed destination', error });
    }
  }
  if (failures.length === writers.length) throw failures[0]?.error;
  await storeSignedHead(database, signedHeads, name, checkpoint);
  return { state, checkpoint, failures };
}

/** Reads the whole log. `agreedTo`: the last checkpoint before the first one that covers other rows. */
async function readAccepted(
  { database, table }: Pick<ReadWithDatabase<AcceptStateOptions>, 'database' | 'table'>,
  start: TreeState | undefined,
  signed: readonly Checkpoint[],
) {
  const tree = createMerkleTree(start);
  const missing: AuditGap[] = [];
  let mac: string | null = null;
  let agreedTo = tree.size;
  let next = 0;
  let agrees = true;

  /** Compares the checkpoints up to this row, before which the rows are missing. */
  function compare(to: number): void {
    for (let one = signed[next]; agrees && one !== undefined && one.sequence <= to; one = signed[next]) {
      if (one.sequence > tree.size) tree.appendGaps(one.sequence);
      agrees = one.sequence < tree.size || one.root === tree.root();
      if (!agrees) return;
      agreedTo = Math.max(agreedTo, one.sequence);
      next += 1;
    }
  }

  compare(tree.size);
  for await (const row of readRows(database, table, { after: tree.size, upTo: null })) {
    if (row.sequence <= tree.size || !Number.isSafeInteger(row.sequence)) continue;
    if (row.sequence > tree.size + 1) missing.push({ from: tree.size + 1, to: row.sequence - 1 });
    compare(row.sequence - 1);
    tree.appendGaps(row.sequence - 1);
    tree.append(leafOf(row));
    mac = row.mac;
    compare(row.sequence);
  }
  return { tree, mac, missing, agreedTo };
}
