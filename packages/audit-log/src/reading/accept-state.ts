import { callback, readOptions } from '@sallyport/options';
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
  type Checkpoint,
  type CheckpointKey,
  checkpointKeyFaults,
  checkpointKeyRule,
  createMerkleTree,
  publicKeysRule,
  signCheckpoint,
} from '../notes/index.js';
import { type AuditState, checkAuditState } from './audit-state.js';
import { checkpointsRule } from './sorted-checkpoints.js';

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
 * Accepts the log as it is: signs a checkpoint of kind `accepted`. Checkpoints of rows that the log does not contain
 * don't count from then on, and new ones continue after it. Append a record of who accepted first, so that the
 * checkpoint covers it. `verifyAuditLog` lists accepted states. Requirement AUD-9.
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
  const state = await checkAuditState({
    ...{ database, key, previousKeys, table, heads, pending, signedHeads, publicKeys },
    checkpoints: given.checkpoints,
  });

  const name = chainName(table);
  const head = await readHead(database, heads, name);
  const cut = head?.cut?.kind === 'cut' && stateOf(head.cut) === 'genuine' ? head.cut : null;
  // A cut that is not genuine would prevent every further checkpoint.
  if (cut === null) await database.update(heads).set({ cut: null }).where(eq(heads.chain, name));
  const tree = createMerkleTree(cut === null ? undefined : treeAt(cut));
  let mac: string | null = null;
  for await (const row of readRows(database, table, { after: tree.size, upTo: null })) {
    if (row.sequence <= tree.size || !Number.isSafeInteger(row.sequence)) continue;
    tree.appendGaps(row.sequence - 1);
    tree.append(leafOf(row));
    mac = row.mac;
  }
  const { size, frontier } = tree.state();
  // Without a checkpoint to compare with, none is contradicted.
  const since = state.state === 'unknown' ? size : state.agreedTo;
  const at = new Date(now()).toISOString();
  const checkpoint = await signCheckpoint(
    { kind: 'accepted', sequence: size, root: tree.root(), frontier, mac, at, before: null, since },
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
