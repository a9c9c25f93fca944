import { getTableConfig } from 'drizzle-orm/pg-core';
import { inArray, sql } from 'drizzle-orm/sql';
import { type AuditChain, createAuditChain } from '../chain/chain.js';
import { type AuditChainOptions, chainOptionFaults, refuseFaults } from '../chain/chain-options.js';
import {
  chainName,
  readHead,
  rowSelection,
  type StoredHead,
  type StoredRow,
  storedRowOf,
} from '../chain/chain-rows.js';
import type { Checkpoint } from '../chain/checkpoint.js';
import { readPending } from '../chain/pending-rows.js';
import { AUDIT_TABLE_DEFAULTS, type AuditQueries, type AuditTables } from '../chain/postgres-table.js';
import { type AuditFinding, finding } from './finding.js';
import { createInspection, type Inspection } from './inspection.js';

/** Rows that are read at once. Proving them takes some milliseconds, in which a server that verifies itself answers nobody. */
const BATCH_ROWS = 200;

export interface VerifyOptions extends AuditChainOptions {
  /** What was written to the second place, in any order, such as `readCheckpointFile(path)`. Default none: then the loss of the newest rows shows only where the head of the chain wasn't set back with them. */
  readonly checkpoints?: Iterable<Checkpoint> | AsyncIterable<Checkpoint>;
}

export interface AuditVerification {
  /** Nothing is wrong. */
  readonly intact: boolean;
  /** What is wrong, by sequence. */
  readonly findings: readonly AuditFinding[];
  /** How many rows were read. */
  readonly rows: number;
  /** The last one of them; 0 where there was none. */
  readonly lastSequence: number;
  /** How many checkpoints were held against the log. */
  readonly checkpoints: number;
  /** How many records waited for their place in the chain. */
  readonly pending: number;
}

/**
 * Reads the whole log and holds it against its chain, its head and the checkpoints; names what was changed, inserted,
 * deleted, reordered or cut off, and the row. It locks nothing: the service may go on writing, and retention deleting.
 * Checkpoints have to be read before, as an iterable is. Requirement AUD-6.
 *
 * @throws TypeError that names every bad option. It rejects with the database's error where it can't read.
 */
export async function verifyAuditLog(options: VerifyOptions): Promise<AuditVerification> {
  refuseFaults('verifyAuditLog', chainOptionFaults(options));
  const {
    database,
    key,
    previousKeys,
    table = AUDIT_TABLE_DEFAULTS.table,
    heads = AUDIT_TABLE_DEFAULTS.heads,
    pending = AUDIT_TABLE_DEFAULTS.pending,
  } = options;
  const chain = createAuditChain(key, previousKeys);
  // Before the head, and the head before the rows: what came after them is no fault.
  const checkpoints = await sorted(chain, options.checkpoints ?? []);
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

/** Proves the records that wait for their place. */
async function inspectPending(
  database: AuditQueries,
  table: NonNullable<AuditTables['pending']>,
  chain: AuditChain,
): Promise<{ readonly rows: number; readonly findings: readonly AuditFinding[] }> {
  const findings: AuditFinding[] = [];
  let rows = 0;
  for (let behind: string | null = null; ; ) {
    const page = await readPending(database, table, { behind, olderThanSeconds: 0, limit: BATCH_ROWS });
    rows += page.length;
    for (const row of page) {
      if (chain.provesPending(row)) continue;
      const unknownKey = chain.knows(row.keyId) ? '' : ' It names a key that is not given.';
      const detail = `The record that waits for its place is not what was written.${unknownKey}`;
      findings.push(finding('pending', { sequence: 0, id: row.id }, detail));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < BATCH_ROWS) return { rows, findings };
    behind = last.id;
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
  readonly table: NonNullable<AuditTables['table']>;
  readonly heads: NonNullable<AuditTables['heads']>;
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
      const now = await readHead(database, heads, getTableConfig(table).name);
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
  table: NonNullable<AuditTables['table']>,
  upTo: number | null,
): AsyncGenerator<StoredRow> {
  // By both: whoever inserts a second row with a sequence has to drop the primary key first.
  let behind = sql`true`;
  for (;;) {
    const within = upTo === null ? sql`true` : sql`${table.sequence} <= ${upTo}::bigint`;
    const rows = await queries
      .select(rowSelection(table))
      .from(table)
      .where(sql`${behind} and ${within}`)
      .orderBy(table.sequence, table.id)
      .limit(BATCH_ROWS);
    for (const row of rows) yield storedRowOf(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_ROWS) return;
    behind = sql`(${table.sequence}, ${table.id}) > (${last.sequence}::bigint, ${last.id}::uuid)`;
  }
}

/** What is wrong with the head, but for its row. */
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
    const detail = `The head of the chain was set back to ${after.sequence}; there are genuine rows behind it.`;
    found.push(finding('head', { sequence: after.sequence, lastSequence: lastGenuine }, detail));
  }
  return before === null ? found : [...found, ...findCutFault(chain, before)];
}

/** What is wrong with the note of where retention cut. */
export function findCutFault(chain: AuditChain, { cut, cutUnreadable }: StoredHead): AuditFinding[] {
  const isGenuine = cut === null || (cut.kind === 'cut' && chain.provesCheckpoint(cut));
  if (isGenuine && !cutUnreadable) return [];
  return [finding('head', { sequence: cut?.sequence ?? 0 }, 'The note of where retention cut is not genuine.')];
}
