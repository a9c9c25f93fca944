import { callback, listOf, optional, readOptions } from '@sallyport/plugin-kit/options';
import { eq } from 'drizzle-orm/sql';
import {
  type AuditChainOptions,
  chainName,
  chainRules,
  createAuditChain,
  createCutProof,
  genuineCut,
  keyFaults,
  type ReadWithDatabase,
  readHead,
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
  createNoteProof,
  describeGaps,
  mergeGaps,
  publicKeysRule,
  signCheckpoint,
  subtractGaps,
  timeAfter,
} from '../notes/index.js';
import { type AuditState, checkAuditState, checkpointsRule, sortCheckpoints } from '../reading/index.js';
import { readLog } from './accepted-log.js';
import { judgeMissing, type MissingRows } from './missing-rows.js';

export interface AcceptStateOptions extends AuditChainOptions {
  /** Every checkpoint of the log, such as `readCheckpointFile(path)`. Read once. Required. */
  readonly checkpoints: Iterable<Checkpoint> | AsyncIterable<Checkpoint>;
  /** Stores the checkpoint of the accepted state in one or several places. Required. */
  readonly checkpoint: CheckpointWriter | readonly CheckpointWriter[];
  /** Signs it: `parseCheckpointKey(text)`. Required. */
  readonly checkpointKey: CheckpointKey;
  /** Public keys of earlier checkpoints, in addition to that of `checkpointKey`. Default none. */
  readonly publicKeys?: readonly string[];
  /**
   * Missing rows that were deleted: no checkpoint names them as lost, or a later covered row still exists. They are
   * accepted only if all of them are named here. Default none.
   */
  readonly missing?: readonly AuditGap[];
  /**
   * Called with the state that will be accepted, before anything is signed. Append the record of the acceptance here,
   * so that the checkpoint covers it. Default none.
   */
  readonly record?: (acceptance: Acceptance) => void | Promise<void>;
  /** The clock of the checkpoint, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

const rules = {
  ...chainRules,
  checkpoints: { ...checkpointsRule, isRequired: true, defaultValue: undefined },
  checkpoint: writersRule,
  checkpointKey: checkpointKeyRule,
  publicKeys: publicKeysRule,
  missing: listOf<AuditGap>(isGap, { meaning: 'a list of rows, such as [{ from: 8, to: 9 }]', default: [] }),
  record: optional(callback<NonNullable<AcceptStateOptions['record']>>({ that: 'takes what is accepted' })),
  now: callback<() => number>({ that: 'returns milliseconds since 1970, such as Date.now', default: Date.now }),
};

export interface Acceptance {
  /** The state of the log compared with its checkpoints. */
  readonly state: AuditState;
  /** All missing rows that are accepted now, by sequence: the lost ones, and those of the option `missing`. */
  readonly gaps: readonly AuditGap[];
}

export interface AcceptedState extends Acceptance {
  /** The signed statement that the present log is accepted. */
  readonly checkpoint: Checkpoint;
  /**
   * The places that did not get the checkpoint. Accept again when they can be reached, or they contradict the others.
   */
  readonly failures: readonly { readonly destination: string; readonly error: unknown }[];
}

/**
 * Nothing was accepted, because rows are missing that neither a checkpoint nor the option `missing` names, or because
 * that option names rows that are not missing.
 */
export class AuditRowsMissingError extends Error {
  override readonly name = 'AuditRowsMissingError';
  /** Missing rows that no checkpoint names as lost, and that were not named. */
  readonly unnamed: readonly AuditGap[];
  /** Rows that were named and are not missing. */
  readonly present: readonly AuditGap[];
  constructor(unnamed: readonly AuditGap[], present: readonly AuditGap[]) {
    const faults = [
      ...(unnamed.length === 0 ? [] : [`rows are missing that no checkpoint names as lost: ${describeGaps(unnamed)}`]),
      ...(present.length === 0 ? [] : [`rows are named that are not missing: ${describeGaps(present)}`]),
    ];
    super(`The audit log was not accepted: ${faults.join('; ')}`);
    this.unnamed = unnamed;
    this.present = present;
  }
}

/**
 * Accepts the present log: signs a checkpoint of kind `accepted`, which names the missing rows. From then on,
 * checkpoints of rows that the log does not contain don't count, and new ones continue after it. `verifyAuditLog` lists
 * the accepted rows, and no longer reports them as findings. Rows that are deleted later and changed rows are still
 * findings.
 *
 * It accepts the rows that checkpoints name as lost at the end of the log. Rows that are missing elsewhere are accepted
 * only if `missing` names them.
 *
 * Rejects with AuditSetupError for bad options, with {@link AuditRowsMissingError}, and with the error of the database,
 * or of the first place if none of them got the checkpoint.
 */
export async function acceptAuditState(options: AcceptStateOptions): Promise<AcceptedState> {
  const given = readOptions<
    ReadWithDatabase<Omit<AcceptStateOptions, 'record'>> & { readonly record: AcceptStateOptions['record'] | undefined }
  >({ subject: 'acceptAuditState', SetupError: AuditSetupError }, options, rules, (read) => [
    ...keyFaults(read),
    ...checkpointKeyFaults(read.checkpointKey),
  ]);
  const { database, key, previousKeys, table, heads, checkpointKey, now } = given;
  const publicKeys = [checkpointKey.publicKey, ...given.publicKeys];
  const stateOf = createNoteProof(publicKeys);
  const { pending, signedHeads } = given;
  // Read only once, because the caller may give a stream.
  const checkpoints: Checkpoint[] = [];
  for await (const one of given.checkpoints) checkpoints.push(one);
  const state = await checkAuditState({
    ...{ database, key, previousKeys, table, heads, pending, signedHeads, publicKeys, checkpoints },
  });
  const { signed, first } = await sortCheckpoints(stateOf, checkpoints);

  const name = chainName(table);
  const head = await readHead(database, heads, name);
  const stateOfCut = createCutProof(stateOf, createAuditChain(key, previousKeys), first);
  const cut = genuineCut(stateOfCut, head);
  const start = cut === null ? undefined : treeAt(cut);
  const log = readLog(given, start, signed);
  await log.readOn();
  const end = log.tree.size;
  const cutOff = head !== null && head.sequence > end ? [{ from: end + 1, to: head.sequence }] : [];
  const judge = () => judgeMissing(mergeGaps([...log.missing, ...cutOff]), signed, log.contained());
  const { lost } = judge();
  refuseUnnamed(judge(), given.missing);
  const gaps = mergeGaps([...lost, ...given.missing]);
  await given.record?.({ state, gaps });
  // A cut that is not genuine would prevent every further checkpoint.
  if (cut === null) await database.update(heads).set({ cut: null }).where(eq(heads.chain, name));
  // Reads the record, and the rows that the service has written in the meantime.
  await log.readOn();
  refuseUnnamed(judge(), given.missing);
  const { tree } = log;
  const { size, frontier } = tree.state();
  const accepted = signed.filter(({ kind }) => kind === 'accepted').flatMap((one) => one.gaps);
  const checkpoint = await signCheckpoint(
    {
      kind: 'accepted',
      sequence: size,
      root: tree.root(),
      frontier,
      mac: log.mac(),
      // This holds even if the clock of a node is ahead: only checkpoints that were signed before no longer count.
      at: timeAfter(now(), signed),
      before: null,
      // Without a checkpoint for a comparison, none is contradicted.
      since: state.state === 'unknown' ? size : log.agreedTo(),
      gaps: mergeGaps([...accepted, ...gaps]).filter(({ to }) => to <= size),
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
  return { state, gaps, checkpoint, failures };
}

function isGap(value: unknown): value is AuditGap {
  const { from, to } = (value ?? {}) as Partial<AuditGap>;
  return (
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to) &&
    1 <= (from as number) &&
    (from as number) <= (to as number)
  );
}

/** @throws AuditRowsMissingError */
function refuseUnnamed({ lost, deleted }: MissingRows, named: readonly AuditGap[]): void {
  const unnamed = subtractGaps(deleted, named);
  const present = subtractGaps(named, [...deleted, ...lost]);
  if (unnamed.length + present.length > 0) throw new AuditRowsMissingError(unnamed, present);
}
