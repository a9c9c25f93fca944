import { option, readOptions } from '@sallyport/options';
import { inArray, sql } from 'drizzle-orm/sql';
import {
  type AuditChain,
  type AuditChainHeadsTable,
  type AuditChainOptions,
  type AuditPendingTable,
  type AuditQueries,
  type AuditRecordsTable,
  type Checkpoint,
  chainName,
  chainRules,
  createAuditChain,
  keyFaults,
  readHead,
  readPending,
  rowSelection,
  type StoredHead,
  type StoredRow,
  storedRowOf,
} from '../chain/index.js';
import { AuditSetupError } from '../errors.js';
import { type AuditFinding, finding } from './finding.js';
import { createInspection, type Inspection } from './inspection.js';

/** Rows that are read at once. Verifying them blocks the event loop for some milliseconds. */
const BATCH_ROWS = 200;

export interface VerifyOptions extends AuditChainOptions {
  /**
   * The checkpoints from the second place, in any order, such as `readCheckpointFile(path)`. Default none: then the
   * loss of the newest rows is only found where the head of the chain was not set back with them.
   */
  readonly checkpoints?: Iterable<Checkpoint> | AsyncIterable<Checkpoint>;
}

export interface AuditVerification {
  /** There are no findings. */
  readonly intact: boolean;
  /** By sequence. */
  readonly findings: readonly AuditFinding[];
  /** How many rows were read. */
  readonly rows: number;
  /** The sequence of the last row; 0 for an empty log. */
  readonly lastSequence: number;
  /** How many genuine checkpoints the log was compared with. */
  readonly checkpoints: number;
  /** How many records were pending. */
  readonly pending: number;
}

const rules = {
  ...chainRules,
  checkpoints: option<Iterable<Checkpoint> | AsyncIterable<Checkpoint>>({
    meaning: 'an iterable of checkpoints, such as readCheckpointFile(path)',
    accepts: (value) =>
      typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value),
    default: [],
  }),
};

/**
 * Reads the whole log and compares it with its chain, its head and the checkpoints. Names every row that was changed,
 * inserted, deleted, reordered or cut off. It locks nothing: the service may write and retention may delete meanwhile.
 * Anyone who holds the key can forge a log that passes, and rows after the last checkpoint can be cut off. Requirement
 * AUD-6.
 *
 * Rejects with AuditSetupError for bad options, and with the database's error where it can't read.
 */
export async function verifyAuditLog(options: VerifyOptions): Promise<AuditVerification> {
  const given = readOptions<Required<VerifyOptions>>(
    { subject: 'verifyAuditLog', SetupError: AuditSetupError },
    options,
    rules,
    keyFaults,
  );
  const { database, table, heads, pending } = given;
  const chain = createAuditChain(given.key, given.previousKeys);
  // Checkpoints first, then the head, then the rows: whatever is written meanwhile is not a finding.
  const checkpoints = await sorted(chain, given.checkpoints);
  const name = chainName(table);
  const head = await readHead(database, heads, name);
  const inspection = await inspect({ database, table, heads, chain, head, checkpoints, upTo: null });

  const found = await inspection.findings();
  found.push(...checkpoints.forged, ...headFindings(chain, head, await readHead(database, heads, name), inspection));
  const waiting = await inspectPending(database, pending, chain);
  found.push(...waiting.findings);
  found.sort((one, other) => one.sequence - other.sequence);
  return {
    intact: found.length === 0,
    findings: found,
    rows: inspection.rows,
    lastSequence: inspection.last.sequence,
    checkpoints: checkpoints.genuine.length,
    pending: waiting.rows,
  };
}

/** Verifies the pending records. */
async function inspectPending(
  database: AuditQueries,
  table: AuditPendingTable,
  chain: AuditChain,
): Promise<{ readonly rows: number; readonly findings: readonly AuditFinding[] }> {
  const findings: AuditFinding[] = [];
  let rows = 0;
  for (let after: string | null = null; ; ) {
    const page = await readPending(database, table, { after, olderThanSeconds: 0, limit: BATCH_ROWS });
    rows += page.length;
    for (const row of page) {
      if (chain.provesPending(row)) continue;
      const unknownKey = chain.knows(row.keyId) ? '' : ' It names a key that is not given.';
      const detail = `The pending record is not what was written.${unknownKey}`;
      findings.push(finding('pending', { sequence: 0, id: row.id }, detail));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < BATCH_ROWS) return { rows, findings };
    after = last.id;
  }
}

interface SortedCheckpoints {
  readonly genuine: readonly Checkpoint[];
  readonly forged: readonly AuditFinding[];
}

async function sorted(
  chain: AuditChain,
  given: Iterable<Checkpoint> | AsyncIterable<Checkpoint>,
): Promise<SortedCheckpoints> {
  const genuine: Checkpoint[] = [];
  const forged: AuditFinding[] = [];
  for await (const checkpoint of given) {
    if (chain.provesCheckpoint(checkpoint)) genuine.push(checkpoint);
    else {
      const why = chain.knows(checkpoint.keyId) ? 'is not genuine' : 'names a key that is not given';
      forged.push(finding('checkpoint', checkpoint, `The checkpoint of ${checkpoint.at} ${why}.`));
    }
  }
  return { genuine, forged };
}

/** Inspects the rows, all or those up to a sequence. */
export async function inspect(given: {
  readonly database: AuditQueries;
  readonly table: AuditRecordsTable;
  readonly heads: AuditChainHeadsTable;
  readonly chain: AuditChain;
  readonly head: StoredHead | null;
  readonly checkpoints: Pick<SortedCheckpoints, 'genuine'>;
  readonly upTo: number | null;
}): Promise<Inspection> {
  const { database, table, heads, chain, head, checkpoints, upTo } = given;
  const isGenuineCut = (cut: Checkpoint | null | undefined): cut is Checkpoint =>
    cut?.kind === 'cut' && chain.provesCheckpoint(cut);
  const known = checkpoints.genuine.filter(({ sequence }) => upTo === null || sequence <= upTo);
  const inspection = createInspection({
    chain,
    head: upTo === null ? head : null,
    cuts: [head?.cut, ...checkpoints.genuine].filter(isGenuineCut),
    checkpoints: known.filter(({ kind }) => kind === 'progress'),
    async newestCut() {
      const now = await readHead(database, heads, chainName(table));
      return isGenuineCut(now?.cut) ? now.cut : null;
    },
    async sequencesOf(macs) {
      const rows = await database
        .select({ mac: table.mac, sequence: table.sequence })
        .from(table)
        .where(inArray(table.mac, [...macs]));
      return new Map(rows.map(({ mac, sequence }) => [mac, sequence]));
    },
  });
  for await (const row of storedRows(database, table, upTo)) await inspection.look(row);
  return inspection;
}

async function* storedRows(
  queries: AuditQueries,
  table: AuditRecordsTable,
  upTo: number | null,
): AsyncGenerator<StoredRow> {
  // By sequence and id: without its primary key, a table can hold two rows with the same sequence.
  let after = sql`true`;
  for (;;) {
    const within = upTo === null ? sql`true` : sql`${table.sequence} <= ${upTo}::bigint`;
    const rows = await queries
      .select(rowSelection(table))
      .from(table)
      .where(sql`${after} and ${within}`)
      .orderBy(table.sequence, table.id)
      .limit(BATCH_ROWS);
    for (const row of rows) yield storedRowOf(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_ROWS) return;
    after = sql`(${table.sequence}, ${table.id}) > (${last.sequence}::bigint, ${last.id}::uuid)`;
  }
}

/** The faults of the head. The inspection compares it with its row. */
function headFindings(
  chain: AuditChain,
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
  return before === null ? found : [...found, ...findCutFault(chain, before)];
}

/** The faults of the cut that is stored beside the head. */
export function findCutFault(chain: AuditChain, { cut, cutUnreadable }: StoredHead): AuditFinding[] {
  const isGenuine = cut === null || (cut.kind === 'cut' && chain.provesCheckpoint(cut));
  if (isGenuine && !cutUnreadable) return [];
  return [finding('head', { sequence: cut?.sequence ?? 0 }, 'The stored cut of retention is not genuine.')];
}
