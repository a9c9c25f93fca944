import { nullable, readOptions } from '@sallyport/plugin-kit/options';
import { eq, inArray } from 'drizzle-orm/sql';
import {
  type AuditChain,
  type AuditDatabase,
  type AuditKey,
  type AuditTables,
  chainName,
  chainRules,
  createAuditChain,
  createCutProof,
  genuineCut,
  keyFaults,
  type ReadWithDatabase,
  readHead,
  readLastRow,
  readRows,
  type StoredRow,
} from '../chain/index.js';
import { AuditSetupError } from '../errors.js';
import {
  type AuditGap,
  type Checkpoint,
  type CheckpointProof,
  createNoteProof,
  describeGaps,
  isSuperseded,
  publicKeysRule,
  unacceptedGaps,
} from '../notes/index.js';
import { checkpointsRule } from './sorted-checkpoints.js';

export interface AuditStateOptions extends AuditTables {
  /** A drizzle database. Only read. Required. */
  readonly database: AuditDatabase;
  /** The key of the chain. With it, the mac of the row is also verified. Default null. */
  readonly key?: AuditKey | null;
  /** Earlier keys of the chain. Default none. */
  readonly previousKeys?: readonly AuditKey[];
  /** The public keys of the checkpoints. Required. */
  readonly publicKeys: readonly string[];
  /**
   * The newest checkpoints from outside of the database, in any order, such as
   * `readCheckpointFile(path, { tailBytes: 1_000_000 })`. Required.
   */
  readonly checkpoints: Iterable<Checkpoint> | AsyncIterable<Checkpoint>;
}

export interface AuditState {
  /**
   * - `consistent`: the log contains the newest checkpoint.
   * - `behind`: the log ends before it: it was cut, or restored to an older state.
   * - `different`: another row has its sequence: the log was restored to an older state and written on, or changed.
   * - `lost`: the log contains the newest checkpoint, but checkpoints name acknowledged rows that the database lost,
   *   such as in a failover, and no operator has accepted that.
   * - `unknown`: there is no genuine checkpoint to compare with.
   */
  readonly state: 'consistent' | 'behind' | 'different' | 'lost' | 'unknown';
  /** The sequence of the last row of the log, or of the last deleted row if retention deleted all, or else 0. */
  readonly lastSequence: number;
  /** The newest genuine checkpoint. Null if there is none. */
  readonly checkpoint: Checkpoint | null;
  /** The last row up to which the log is known to agree with a checkpoint. 0 if none is known. */
  readonly agreedTo: number;
  /**
   * The rows that the newest checkpoint covers and the log lacks. For a `different` log these are the rows after
   * `agreedTo`, some of which it may contain. For a log with lost rows they reach from the first to the last of `gaps`.
   * Null if there are none.
   */
  readonly missing: AuditGap | null;
  /** The rows that checkpoints name as lost and no operator has accepted. */
  readonly gaps: readonly AuditGap[];
  /** A sentence for people. */
  readonly detail: string;
}

const rules = {
  table: chainRules.table,
  heads: chainRules.heads,
  pending: chainRules.pending,
  signedHeads: chainRules.signedHeads,
  deliveries: chainRules.deliveries,
  database: chainRules.database,
  key: nullable(chainRules.key),
  previousKeys: chainRules.previousKeys,
  publicKeys: { ...publicKeysRule, isRequired: true, defaultValue: undefined },
  checkpoints: { ...checkpointsRule, isRequired: true, defaultValue: undefined },
};

/**
 * Compares the log with its newest checkpoint from outside of the database. At the start of a service, it detects a log
 * that was cut or restored to an older state. It reads only a few rows; `verifyAuditLog` verifies all of them.
 *
 * Rejects with AuditSetupError for bad options, and with the error of the database or of the checkpoints.
 */
export async function checkAuditState(options: AuditStateOptions): Promise<AuditState> {
  const given = readOptions<ReadWithDatabase<AuditStateOptions>>(
    { subject: 'checkAuditState', SetupError: AuditSetupError },
    options,
    rules,
    keyFaults,
  );
  const { database, table, heads } = given;
  const chain = given.key === null ? null : createAuditChain(given.key, given.previousKeys);
  const stateOf = createNoteProof(given.publicKeys);
  // The checkpoints are read first, so that rows written in the meantime come after them.
  const counting = await countingCheckpoints(stateOf, given.checkpoints);
  const head = await readHead(database, heads, chainName(table));
  const stateOfCut = createCutProof(stateOf, chain, counting.at(-1)?.sequence);
  const cut = genuineCut(stateOfCut, head)?.sequence ?? 0;
  const lastSequence = Math.max((await readLastRow(database, table))?.sequence ?? 0, cut);
  const newest = counting[0];
  const gaps = unacceptedGaps(counting);
  if (newest === undefined) {
    const detail = `There is no genuine checkpoint to compare the log with, which ends at row ${lastSequence}.`;
    return { state: 'unknown', lastSequence, checkpoint: null, agreedTo: 0, missing: null, gaps, detail };
  }
  const holds = (checkpoint: Checkpoint) => containsRow(given, chain, cut, checkpoint);
  if (await holds(newest)) {
    const agreed = { lastSequence, checkpoint: newest, agreedTo: newest.sequence, gaps };
    const [first, last] = [gaps[0], gaps.at(-1)];
    if (first !== undefined && last !== undefined) {
      const missing = { from: first.from, to: last.to };
      return { ...agreed, state: 'lost', missing, detail: lossDetail(gaps) };
    }
    const detail = `The log contains the checkpoint of ${newest.at}, which covers row ${newest.sequence}.`;
    return { ...agreed, state: 'consistent', missing: null, detail };
  }
  // The row may still have its mac, but changed columns.
  const agreedTo = Math.min(await lastCommon(given, cut, counting), newest.sequence - 1);
  const found = { lastSequence, checkpoint: newest, agreedTo, gaps };
  if (lastSequence < newest.sequence) {
    const detail =
      `The log ends at row ${lastSequence}, and the checkpoint of ${newest.at} covers rows up to ${newest.sequence}: ` +
      'the log was cut, or restored to an older state.';
    return { ...found, state: 'behind', missing: { from: lastSequence + 1, to: newest.sequence }, detail };
  }
  const detail =
    `Row ${newest.sequence} is not the one that the checkpoint of ${newest.at} covers: the log was changed, ` +
    `or restored to an older state and written on, after row ${agreedTo}.`;
  return { ...found, state: 'different', missing: { from: agreedTo + 1, to: newest.sequence }, detail };
}

function lossDetail(gaps: readonly AuditGap[]): string {
  const rows = describeGaps(gaps);
  return `The database lost acknowledged rows, which the checkpoints name: ${rows}. No operator has accepted that.`;
}

/** The genuine checkpoints that count, the newest first. */
async function countingCheckpoints(
  stateOf: CheckpointProof,
  checkpoints: AuditStateOptions['checkpoints'],
): Promise<readonly Checkpoint[]> {
  const genuine: Checkpoint[] = [];
  for await (const checkpoint of checkpoints) if (stateOf(checkpoint) === 'genuine') genuine.push(checkpoint);
  const accepted = genuine.filter(({ since }) => since !== null);
  return genuine
    .filter((checkpoint) => !isSuperseded(checkpoint, accepted))
    .sort((one, other) => other.sequence - one.sequence);
}

type Given = ReadWithDatabase<AuditStateOptions>;

async function containsRow(
  { database, table }: Given,
  chain: AuditChain | null,
  cut: number,
  { sequence, mac }: Checkpoint,
): Promise<boolean> {
  if (sequence <= cut) return true;
  const rows: StoredRow[] = [];
  for await (const row of readRows(database, table, { after: sequence - 1, upTo: sequence })) rows.push(row);
  return rows.some((row) => (mac === null || row.mac === mac) && (chain === null || chain.proves(row)));
}

/** The number of sequences of one query. */
const BATCH = 1000;

/** The last row that a checkpoint covers and the log contains. */
async function lastCommon(
  { database, table }: Given,
  cut: number,
  checkpoints: readonly Checkpoint[],
): Promise<number> {
  for (let start = 0; start < checkpoints.length; start += BATCH) {
    const some = checkpoints.slice(start, start + BATCH);
    const sequences = [...new Set(some.map(({ sequence }) => sequence))];
    const rows = await database
      .select({ sequence: table.sequence, mac: table.mac })
      .from(table)
      .where(sequences.length === 1 ? eq(table.sequence, sequences[0] as number) : inArray(table.sequence, sequences));
    const macs = new Map(rows.map(({ sequence, mac }) => [sequence, mac]));
    const common = some.find(({ sequence, mac }) => sequence <= cut || (mac !== null && macs.get(sequence) === mac));
    if (common !== undefined) return Math.max(cut, common.sequence);
  }
  return cut;
}
