import { type AnyCut, type AuditChain, CHAIN_START, type ChainHead, type StoredRow } from '../chain/index.js';
import { type AuditGap, hasRow, subtractGaps } from '../notes/index.js';
import { type AuditFinding, finding } from './finding.js';

export interface InspectionOptions {
  /** Null without the key of the chain. In that case only the links between the rows are verified. */
  readonly chain: AuditChain | null;
  /** The head of the chain, read before the first row. Null if there is none, or if only a part is inspected. */
  readonly head: ChainHead | null;
  /** The cut after which the rows begin. Null if there is none. */
  readonly cut: AnyCut | null;
  /** The last row that a genuine checkpoint covers. 0 if none does. */
  readonly coveredTo: number;
  /** Reads the newest cut again, because retention may have run since. */
  readonly newestCut: () => Promise<AnyCut | null>;
  /** The current sequences of the rows with these macs. */
  readonly sequencesOf: (macs: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

export interface Inspection {
  /** Inspects the next row. Rows must come in the order of their sequence. */
  look(row: StoredRow): Promise<void>;
  /** All faults, by sequence. */
  findings(): Promise<AuditFinding[]>;
  readonly rows: number;
  /** The number of faults of rows so far. */
  readonly faults: number;
  /** The last inspected row, genuine or not. */
  readonly last: ChainHead;
  /** The sequence of the last genuine row. */
  readonly lastGenuine: number;
  /** The newest cut so far. Null if there is none. */
  readonly cut: AnyCut | null;
}

/** The start of the rows, which is after a cut or at the start of the chain. */
type Cut = ChainHead | AnyCut;

/** Follows the chain row by row. Its memory doesn't grow with the log. */
export function createInspection(options: InspectionOptions): Inspection {
  const { chain, head, coveredTo, newestCut, sequencesOf } = options;
  let cut: Cut = options.cut ?? CHAIN_START;
  const suspects = createSuspects(chain, cut);
  const found: AuditFinding[] = [];
  const gaps: AuditGap[] = [];
  /** Rows outside of the sequence, which are below 1 or repeat a number. */
  const misplaced = new Set<StoredRow>();
  let last: ChainHead & { readonly genuine: boolean } = { ...CHAIN_START, genuine: true };
  let lastGenuine = 0;
  let rows = 0;

  /** The mac that the row must have as `previous`. Null if it is unknown. */
  async function predecessorOf(row: StoredRow): Promise<string | null> {
    if (row.sequence === last.sequence + 1) return last.genuine ? last.mac : null;
    if (row.sequence - 1 > cut.sequence) {
      const newest = await newestCut();
      if (newest !== null && newest.sequence > cut.sequence) cut = newest;
    }
    if (row.sequence - 1 === cut.sequence) return cut.mac;
    if (row.sequence - 1 > cut.sequence)
      gaps.push({ from: Math.max(last.sequence, cut.sequence) + 1, to: row.sequence - 1 });
    return null;
  }

  function suspect(row: StoredRow): void {
    if (!suspects.add(row)) found.push(finding('changed', row, 'The row is not what was written.'));
  }

  function placeOf(row: StoredRow, origin: number | undefined, displaced: ReadonlySet<number>): AuditFinding {
    const isExtra =
      misplaced.has(row) || isBehindTheEnd(row.sequence) || row.sequence <= cut.sequence || displaced.has(row.sequence);
    if (origin === undefined) {
      if (isExtra || chain === null) return finding('inserted', row, 'The row was never written.');
      const unknownKey = chain.knows(row.keyId) ? '' : ' It names a key that is not given.';
      return finding('changed', row, `The row is not what was written.${unknownKey}`);
    }
    const isCopy =
      origin <= last.sequence && !isMissing(origin) && !suspects.rows.some(({ sequence }) => sequence === origin);
    if (!isCopy) return finding('reordered', row, `The row was written with the sequence ${origin}.`);
    const copy = `The row is a copy of the one with the sequence ${origin}.`;
    return finding(isExtra ? 'inserted' : 'replaced', row, copy);
  }

  const isBehindTheEnd = (sequence: number) => head !== null && sequence > Math.max(head.sequence, lastGenuine);

  const isMissing = (sequence: number) => sequence <= cut.sequence || hasRow(gaps, sequence);

  /** Rows that the head or a checkpoint expects after the last row. */
  function truncation(): AuditFinding[] {
    const reached = Math.max(last.sequence, cut.sequence);
    if (coveredTo > reached) {
      const place = { sequence: reached + 1, lastSequence: Math.max(coveredTo, head?.sequence ?? 0) };
      return [finding('truncated', place, `A checkpoint covers rows up to ${coveredTo}.`)];
    }
    if (head === null || head.sequence <= reached) return [];
    if (head.mac === last.mac) {
      return [finding('head', head, `The head is that of the row ${last.sequence}, but says ${head.sequence}.`)];
    }
    const place = { sequence: reached + 1, lastSequence: head.sequence };
    return [finding('truncated', place, `The head of the chain says that there are rows up to ${head.sequence}.`)];
  }

  return {
    get rows() {
      return rows;
    },
    get faults() {
      return found.length + suspects.rows.length + gaps.length;
    },
    get lastGenuine() {
      return lastGenuine;
    },
    get last() {
      return { sequence: last.sequence, mac: last.mac };
    },
    get cut() {
      return 'kind' in cut ? cut : null;
    },
    async look(row) {
      rows += 1;
      const genuine = chain === null || chain.proves(row);
      if (row.sequence <= last.sequence) {
        misplaced.add(row);
        suspect(row);
        return;
      }
      const predecessor = await predecessorOf(row);
      if (!genuine) suspect(row);
      else if (predecessor !== null && row.previous !== predecessor && chain === null) {
        const detail = 'The row does not follow the one before it: one of them was changed.';
        found.push(finding('changed', { sequence: row.sequence - 1, lastSequence: row.sequence }, detail));
      } else if (predecessor !== null && row.previous !== predecessor) {
        found.push(finding('replaced', row, 'The row is genuine, but does not follow the one before it.'));
      }
      if (genuine && row.sequence === head?.sequence && row.mac !== head.mac) {
        found.push(finding('head', row, 'The head of the chain is not that of its row.'));
      }
      if (genuine) lastGenuine = row.sequence;
      last = { sequence: row.sequence, mac: row.mac, genuine };
    },
    async findings() {
      const origins = await suspects.origins(sequencesOf);
      const displaced = new Set(origins.values());
      const elsewhere = [...displaced].map((sequence) => ({ from: sequence, to: sequence }));
      return [
        ...found,
        ...suspects.rows.map((row) => placeOf(row, origins.get(row), displaced)),
        ...subtractGaps(gaps, elsewhere).map(({ from, to }) =>
          finding('deleted', { sequence: from, lastSequence: to }, 'Rows are missing from the chain.'),
        ),
        ...truncation(),
      ].sort((one, other) => one.sequence - other.sequence);
    },
  };
}

/**
 * The limit of the search. Further rows with a wrong mac are reported as changed, without a search for their origin.
 */
const MAX_SUSPECTS = 1000;

/** Rows with a wrong mac for their sequence, and the search for the sequence for which it is right. */
interface Suspects {
  readonly rows: readonly StoredRow[];
  /** Returns false if there are too many. */
  add(row: StoredRow): boolean;
  /** The original sequences of rows, for rows that are genuine with that sequence. */
  origins(
    sequencesOf: (macs: readonly string[]) => Promise<ReadonlyMap<string, number>>,
  ): Promise<ReadonlyMap<StoredRow, number>>;
}

function createSuspects(chain: AuditChain | null, cut: Cut): Suspects {
  const rows: StoredRow[] = [];

  return {
    rows,
    add(row) {
      if (rows.length >= MAX_SUSPECTS) return false;
      rows.push(row);
      return true;
    },
    async origins(sequencesOf) {
      const origins = new Map<StoredRow, number>();
      if (rows.length === 0 || chain === null) return origins;
      const current = await sequencesOf([...new Set(rows.map(({ previous }) => previous))]);
      const suspectOfMac = new Map(rows.map((row) => [row.mac, row]));

      // A row follows the row with the mac `previous`. That row may also have been moved, and be found in a later
      // round.
      for (let found = true; found; ) {
        found = false;
        for (const row of rows) {
          if (origins.has(row)) continue;
          const before = suspectOfMac.get(row.previous);
          const candidates = [
            row.previous === CHAIN_START.mac ? 1 : undefined,
            row.previous === cut.mac ? cut.sequence + 1 : undefined,
            next(before === undefined ? current.get(row.previous) : origins.get(before)),
            row.sequence - 1,
            row.sequence + 1,
          ];
          const origin = candidates.find(
            (sequence) => sequence !== undefined && sequence !== row.sequence && chain.proves({ ...row, sequence }),
          );
          if (origin === undefined) continue;
          origins.set(row, origin);
          found = true;
        }
      }
      return origins;
    },
  };
}

function next(sequence: number | undefined): number | undefined {
  return sequence === undefined ? undefined : sequence + 1;
}
