import { maskSensitive } from '@sallyport/masking';
import type { ReconciledAction, RowValues } from './reconciled-table.js';

/** The fault of a row or a record. */
export type DifferenceKind =
  /** By the records, a row was made or changed and not deleted, but it does not exist. */
  | 'row-missing'
  /** No record shows that the row was made. */
  | 'record-missing'
  /** By a record, the row was deleted, but it exists. */
  | 'not-deleted'
  /** The row has another value than its newest record. */
  | 'changed';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly table: string;
  /** The key of the row. */
  readonly key: string;
  readonly detail: string;
}

/** A record of a row, without values for columns that it did not change. */
export interface RowRecord {
  readonly id: string;
  readonly action: string;
  /** The start of its operation, in milliseconds since 1970. */
  readonly at: number;
  readonly effect: ReconciledAction['effect'];
  readonly values: RowValues;
}

export interface JudgedRow {
  readonly values: RowValues;
  readonly isSeed: boolean;
  /** Whether retention may have deleted its record. */
  readonly mayLackRecord: boolean;
}

export interface RowJudge {
  /** Adds a success record of the row. Records must be added in the order of the log. */
  add(record: RowRecord): void;
  /** Compares the row with the records. Null if there is no row. */
  judge(row: JudgedRow | null): {
    readonly differences: readonly Difference[];
    /** Whether a record shows that the row was made. */
    readonly isCovered: boolean;
    /** Values that were cut in their record. */
    readonly cutValues: number;
  };
}

/**
 * Two changes of a row by two nodes may be logged in another order than they were committed. Within this time, in
 * milliseconds, each counts as the newest.
 */
const SAME_TIME_MILLIS = 60_000;

/** The end of a value that `maskSensitive` has cut. */
const CUT = '[cut]';

/** A shorter text that ends so was typed. */
const MIN_CUT_LENGTH = 500;

/** Compares a row with its records. It keeps only the newest value of each column. */
export function createRowJudge(table: string, key: string): RowJudge {
  let isMade = false;
  let newest: RowRecord | null = null;
  let deletion: RowRecord | null = null;
  const said = new Map<string, RowRecord[]>();

  function changesOf(row: JudgedRow) {
    const differences: Difference[] = [];
    let cutValues = 0;
    for (const [name, records] of said) {
      const [value, last] = [row.values[name], records.at(-1)!];
      if (isCut(last.values[name])) cutValues += 1;
      else if (!records.some(({ values }) => isSame(name, values[name], value))) {
        const [is, was] = [value, last.values[name]].map((one) => JSON.stringify(maskedValue(name, one)));
        const detail = `${name} is ${is}. Record ${nameOf(last)} says ${was}.`;
        differences.push({ kind: 'changed', table, key, detail });
      }
    }
    return { differences, isCovered: isMade, cutValues };
  }

  return {
    add(record) {
      if (record.effect === 'deletes') deletion = record;
      if (record.effect === 'makes') isMade = true;
      newest = record;
      for (const [name, value] of Object.entries(record.values)) {
        if (value === undefined) continue;
        const earlier = (said.get(name) ?? []).filter(({ at }) => at >= record.at - SAME_TIME_MILLIS);
        said.set(name, [...earlier, record]);
      }
    },

    judge(row) {
      const of = (kind: DifferenceKind, detail: string) => ({
        differences: [{ kind, table, key, detail }],
        isCovered: isMade,
        cutValues: 0,
      });
      if (deletion !== null) {
        if (row === null) return { differences: [], isCovered: isMade, cutValues: 0 };
        return of('not-deleted', `The row exists. Record ${nameOf(deletion)} says that it was deleted.`);
      }
      if (row === null) return of('row-missing', `There is no such row. Record ${nameOf(newest!)} says that there is.`);
      if (!isMade && !row.isSeed && !row.mayLackRecord) return of('record-missing', 'No record says who made it.');
      return changesOf(row);
    },
  };
}

function nameOf({ id, action, at }: RowRecord): string {
  return `${id} (${action}, ${new Date(at).toISOString()})`;
}

/** Records have masked values, even for harmless ones that look like secrets. */
function isSame(name: string, recorded: unknown, stored: unknown): boolean {
  const text = JSON.stringify(recorded);
  return text === JSON.stringify(stored) || text === JSON.stringify(maskedValue(name, stored));
}

function maskedValue(name: string, value: unknown): unknown {
  const masked = maskSensitive({ [name]: value }) as Readonly<Record<string, unknown>>;
  return masked[name];
}

function isCut(value: unknown): boolean {
  if (Array.isArray(value)) return value.at(-1) === CUT;
  return typeof value === 'string' && value.endsWith(CUT) && (value === CUT || value.length > MIN_CUT_LENGTH);
}
