import { setTimeout as sleep } from 'node:timers/promises';
import { count, inArray, lte, max, min } from 'drizzle-orm/sql';
import {
  type AnyCut,
  type AuditChain,
  type AuditChainHeadsTable,
  type AuditRecordsTable,
  type CutProof,
  chainName,
  type DrizzleQueries,
  genuineCut,
  readHead,
  readRows,
  type StoredHead,
  treeAt,
} from '../chain/index.js';
import type { Checkpoint } from '../notes/index.js';
import { type AuditFinding, finding } from './finding.js';
import { createInspection, type Inspection } from './inspection.js';
import type { SortedCheckpoints } from './sorted-checkpoints.js';
import { createTreeInspection, type TreeInspection } from './tree-inspection.js';

/** The number of rows between two calls of `onProgress`, which are read at once. */
const PROGRESS_ROWS = 200;

const EMPTY_TREE = { size: 0, frontier: [] };

/** The progress of a verification. */
export interface VerifyProgress {
  /** The number of rows that were read. */
  readonly rows: number;
  /** The sequence of the last row that was read. */
  readonly sequence: number;
  /** The sequence of the last row of the log when the verification began. Later rows are verified as well. */
  readonly lastSequence: number;
  /** The number of faults of rows so far. They are named at the end. */
  readonly faults: number;
}

export interface InspectedLog {
  readonly database: DrizzleQueries;
  readonly table: AuditRecordsTable;
  readonly heads: AuditChainHeadsTable;
  readonly chain: AuditChain | null;
  readonly stateOfCut: CutProof;
  readonly head: StoredHead | null;
  readonly checkpoints: Pick<SortedCheckpoints, 'signed' | 'compared'>;
  readonly upTo: number | null;
  readonly onProgress?: ((progress: VerifyProgress) => void | Promise<void>) | undefined;
}

/** Inspects the rows, all or those up to a sequence. */
export async function inspect(
  log: InspectedLog,
): Promise<{ readonly inspection: Inspection; readonly tree: TreeInspection }> {
  const { database, table, heads, chain, stateOfCut, head, upTo, onProgress } = log;
  const isWithin = ({ sequence }: Checkpoint) => upTo === null || sequence <= upTo;
  const [signed, compared] = [log.checkpoints.signed.filter(isWithin), log.checkpoints.compared.filter(isWithin)];
  const inspection = createInspection({
    chain,
    head: upTo === null ? head : null,
    cut: await firstCut(log, genuineCut(stateOfCut, head), signed.findLast(({ kind }) => kind === 'cut') ?? null),
    coveredTo: compared.at(-1)?.sequence ?? 0,
    async newestCut() {
      return genuineCut(stateOfCut, await readHead(database, heads, chainName(table)));
    },
    async sequencesOf(macs) {
      const rows = await database
        .select({ mac: table.mac, sequence: table.sequence })
        .from(table)
        .where(inArray(table.mac, [...macs]));
      return new Map(rows.map(({ mac, sequence }) => [mac, sequence]));
    },
  });
  const tree = createTreeInspection(inspection.cut === null ? EMPTY_TREE : treeAt(inspection.cut), compared);
  for await (const row of readRows(database, table, { after: null, upTo })) {
    await inspection.look(row);
    if (inspection.cut !== null) tree.startAt(treeAt(inspection.cut));
    tree.look(row);
    if (onProgress === undefined || inspection.rows % PROGRESS_ROWS !== 0) continue;
    await onProgress(progressOf(inspection, head));
  }
  return { inspection, tree };
}

export function progressOf({ rows, last, faults }: Inspection, head: StoredHead | null): VerifyProgress {
  return { rows, sequence: last.sequence, lastSequence: head?.sequence ?? 0, faults };
}

/**
 * The cut after which the rows begin. Retention gives its cut to the other places before it stores it with the head of
 * the chain. As long as the row after the stored cut exists, no later row was deleted, and all of them are compared.
 */
async function firstCut(
  { database, table }: InspectedLog,
  stored: AnyCut | null,
  given: Checkpoint | null,
): Promise<AnyCut | null> {
  const after = stored?.sequence ?? 0;
  if (given === null || given.sequence <= after) return stored;
  const next = await readRows(database, table, { after, upTo: after + 1 }).next();
  return next.done === true ? given : stored;
}

/** The last row that retention deleted. 0 if it deleted none. */
export const cutOf = ({ cut }: Inspection) => cut?.sequence ?? 0;

/** The time between two counts of rows before the cut, in milliseconds. Retention deletes many within that time. */
const COUNT_PAUSE_MILLIS = 3000;

/**
 * Rows up to the cut, which searches show although nothing covers them. Retention stores its cut before it deletes, so
 * they are a finding only if their number does not fall twice: no retention is at work on them.
 *
 * @param named findings of rows
 * @param beforePause may end the verification, as between rows
 */
export async function findLeftRows(
  { database, table }: Pick<InspectedLog, 'database' | 'table'>,
  cut: number,
  named: readonly AuditFinding[],
  beforePause: () => void | Promise<void>,
): Promise<AuditFinding[]> {
  const ofRows = named.filter(({ id, lastSequence }) => id !== null && lastSequence <= cut).length;
  let unchanged = 0;
  for (let before = Number.POSITIVE_INFINITY; cut > 0; await sleep(COUNT_PAUSE_MILLIS)) {
    const [left] = await database
      .select({ rows: count(), first: min(table.sequence), last: max(table.sequence) })
      .from(table)
      .where(lte(table.sequence, cut));
    const { rows = 0, first, last } = left ?? {};
    if (rows <= ofRows || first == null || last == null) return [];
    // A busy database may stand still between two batches.
    unchanged = rows >= before ? unchanged + 1 : 0;
    if (unchanged === 2) {
      const detail =
        `Retention cut the log at row ${cut}, and ${rows} rows up to it are there: it did not delete them, or they ` +
        'were put back. Run retention again.';
      return [finding('inserted', { sequence: first, lastSequence: last }, detail)];
    }
    before = rows;
    await beforePause();
  }
  return [];
}
