import { callback, nullable, optional, readOptions } from '@sallyport/plugin-kit/options';
import {
  type AuditChain,
  type AuditChainOptions,
  type AuditKey,
  type AuditPendingTable,
  type CutProof,
  chainName,
  chainRules,
  createAuditChain,
  createCutProof,
  type DrizzleQueries,
  keyFaults,
  type ReadWithDatabase,
  readHead,
  readPending,
  type StoredHead,
} from '../chain/index.js';
import { AuditSetupError } from '../errors.js';
import { type Checkpoint, createNoteProof, publicKeysRule } from '../notes/index.js';
import { withoutAccepted } from './accepted-gaps.js';
import { type AuditFinding, finding } from './finding.js';
import type { Inspection } from './inspection.js';
import { cutOf, findLeftRows, inspect, progressOf, type VerifyProgress } from './log-inspection.js';
import { checkpointsRule, type KeptCheckpoint, keptRule, sortCheckpoints } from './sorted-checkpoints.js';
import type { DifferentRows, TreeInspection } from './tree-inspection.js';

/** The number of pending records that are read at once. */
const BATCH_ROWS = 200;

export interface VerifyOptions extends Omit<AuditChainOptions, 'key'> {
  /**
   * The key of the chain. With it, each row is verified alone. Default null: the rows are compared with the
   * checkpoints, which needs no secret, and a changed row is located within the rows of one checkpoint.
   */
  readonly key?: AuditKey | null;
  /**
   * The public keys of the checkpoints. Required if there are checkpoints, if retention has cut the log, or if `key` is
   * not given.
   */
  readonly publicKeys?: readonly string[];
  /**
   * The checkpoints from the second place, in any order, such as `readCheckpointFile(path)`. Default none: the loss of
   * the newest rows is then found only if the head of the chain was not set back with them.
   */
  readonly checkpoints?: Iterable<Checkpoint> | AsyncIterable<Checkpoint>;
  /**
   * Checkpoints that others kept, such as an auditor, each with the public key that proves it. That key proves nothing
   * else, and of such a checkpoint only the rows count. Default none.
   */
  readonly kept?: readonly KeptCheckpoint[];
  /**
   * Called after every 200 rows, and while a retention is waited for, and awaited. If it is slow, the verification is
   * slow. If it throws, the verification ends with its error. Default none.
   */
  readonly onProgress?: (progress: VerifyProgress) => void | Promise<void>;
}

export interface AuditVerification {
  /** Whether there are no findings. */
  readonly intact: boolean;
  /** The findings, by sequence. */
  readonly findings: readonly AuditFinding[];
  /** The number of rows that were read. */
  readonly rows: number;
  /** The sequence of the last row. 0 for an empty log. */
  readonly lastSequence: number;
  /** The number of genuine checkpoints with which the log was compared. */
  readonly checkpoints: number;
  /** The last row that a given signed checkpoint covers. 0 if none does. Rows after it can be cut off unnoticed. */
  readonly coveredTo: number;
  /**
   * The states that an operator accepted: states of the log that did not contain an earlier checkpoint, missing rows
   * (`gaps`), and deletions of rows with findings (`evenIfBroken`).
   */
  readonly accepted: readonly Checkpoint[];
  /** The number of pending records. */
  readonly pending: number;
}

type ReadOptions = ReadWithDatabase<Omit<VerifyOptions, 'onProgress'>> & {
  readonly onProgress: VerifyOptions['onProgress'] | undefined;
};

const rules = {
  ...chainRules,
  key: nullable(chainRules.key),
  publicKeys: publicKeysRule,
  checkpoints: checkpointsRule,
  kept: keptRule,
  onProgress: optional(
    callback<NonNullable<VerifyOptions['onProgress']>>({ that: 'takes how far the verification is' }),
  ),
};

/** Without the key of the chain, only checkpoints prove anything, and no given checkpoint is genuine. */
export class NothingToVerifyError extends Error {
  override readonly name = 'NothingToVerifyError';
  constructor() {
    super('No genuine checkpoint was given: a public key alone proves nothing about the rows');
  }
}

/**
 * Reads the whole log and compares it with its chain, its head and the checkpoints. Names every row that was changed,
 * inserted, deleted, reordered or cut off. It locks nothing, so the service may write and retention may delete in the
 * meantime.
 *
 * With the key of the chain alone, a holder of that key can forge a log that passes. With checkpoints and their public
 * key, the rows that they cover are those that they covered when they were made, even against such a holder. Rows after
 * the last checkpoint can be cut off.
 *
 * Rejects with AuditSetupError for bad options, with NothingToVerifyError without the key of the chain and without a
 * checkpoint, and with the database's error if it can't read.
 */
export async function verifyAuditLog(options: VerifyOptions): Promise<AuditVerification> {
  const given = readOptions<ReadOptions>(
    { subject: 'verifyAuditLog', SetupError: AuditSetupError },
    options,
    rules,
    (read) => [
      ...keyFaults(read),
      ...(read.key === null && read.publicKeys?.length === 0 ? ['key or publicKeys must be given, or both'] : []),
    ],
  );
  const { database, table, heads, pending } = given;
  const chain = given.key === null ? null : createAuditChain(given.key, given.previousKeys);
  const stateOf = createNoteProof(given.publicKeys);
  // The checkpoints are read first, then the head, then the rows, so that rows written in the meantime are not
  // findings.
  const checkpoints = await sortCheckpoints(stateOf, given.checkpoints, given.kept);
  if (chain === null && checkpoints.genuine + checkpoints.forged.length === 0) throw new NothingToVerifyError();
  const name = chainName(table);
  const head = await readHead(database, heads, name);
  const stateOfCut = createCutProof(stateOf, chain, checkpoints.first);
  const { inspection, tree } = await inspect({ ...given, chain, stateOfCut, head, checkpoints, upTo: null });

  const cut = cutOf(inspection);
  const found = withoutAccepted(await inspection.findings(), checkpoints.signed, { after: cut, upTo: null });
  const report = () => given.onProgress?.(progressOf(inspection, head));
  found.push(...differencesOf(tree, found, chain), ...(await findLeftRows(given, cut, found, report)));
  const endHead = await readHead(database, heads, name);
  found.push(...checkpoints.forged, ...headFindings(stateOfCut, head, endHead, inspection));
  const waiting = await inspectPending(database, pending, chain);
  found.push(...waiting.findings);
  found.sort((one, other) => one.sequence - other.sequence);
  return {
    intact: found.length === 0,
    findings: found,
    rows: inspection.rows,
    lastSequence: inspection.last.sequence,
    checkpoints: checkpoints.genuine,
    coveredTo: tree.coveredTo,
    accepted: checkpoints.accepted,
    pending: waiting.rows,
  };
}

/**
 * Rows that differ from those of a checkpoint. With the key, a fault of one of these rows is the reason, and is already
 * named. Without such a fault, a holder of the key has rewritten them. Without the key, the rows are already named only
 * if all of them are missing.
 */
export function differencesOf(
  { differences }: TreeInspection,
  named: readonly AuditFinding[],
  chain: AuditChain | null,
): AuditFinding[] {
  const isNamed = ({ from, to }: DifferentRows) =>
    named.some(({ kind, sequence, lastSequence }) =>
      chain === null
        ? kind === 'deleted' && sequence <= from && to <= lastSequence
        : kind !== 'head' && sequence <= to && from <= lastSequence,
    );
  return differences
    .filter((rows) => !isNamed(rows))
    .map(({ from, to, checkpoint }) => {
      const detail = `The rows are not those that the checkpoint of ${checkpoint.at} covers.`;
      return finding('replaced', { sequence: from, lastSequence: to }, detail);
    });
}

/** Verifies the pending records. */
async function inspectPending(
  database: DrizzleQueries,
  table: AuditPendingTable,
  chain: AuditChain | null,
): Promise<{ readonly rows: number; readonly findings: readonly AuditFinding[] }> {
  const findings: AuditFinding[] = [];
  let rows = 0;
  for (let after: string | null = null; ; ) {
    const page = await readPending(database, table, { after, olderThanSeconds: 0, limit: BATCH_ROWS });
    rows += page.length;
    for (const row of page) {
      if (chain === null || chain.provesPending(row)) continue;
      const unknownKey = chain.knows(row.keyId) ? '' : ' It names a key that is not given.';
      const detail = `The pending record is not what was written.${unknownKey}`;
      findings.push(finding('pending', { sequence: 0, id: row.id }, detail));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < BATCH_ROWS) return { rows, findings };
    after = last.id;
  }
}

/** The faults of the head. The inspection compares it with its row. */
function headFindings(
  stateOfCut: CutProof,
  before: StoredHead | null,
  after: StoredHead | null,
  { rows, lastGenuine }: Inspection,
): AuditFinding[] {
  const found: AuditFinding[] = [];
  if (after === null && rows > 0)
    found.push(finding('head', { sequence: lastGenuine }, 'The head of the chain is missing.'));
  if (after !== null && after.sequence < lastGenuine) {
    const detail = `The head of the chain was set back to ${after.sequence}; there are genuine rows after it.`;
    found.push(finding('head', { sequence: after.sequence, lastSequence: lastGenuine }, detail));
  }
  return before === null ? found : [...found, ...findCutFault(stateOfCut, before)];
}

/** The faults of the cut that is stored with the head. */
export function findCutFault(stateOfCut: CutProof, { cut, cutUnreadable }: StoredHead): AuditFinding[] {
  const state = cut === null ? 'genuine' : stateOfCut(cut);
  if (state === 'genuine' && !cutUnreadable) return [];
  const why = state === 'unknown' ? 'was signed with a key that is not given' : 'is not genuine';
  return [finding('head', { sequence: cut?.sequence ?? 0 }, `The stored cut of retention ${why}.`)];
}
