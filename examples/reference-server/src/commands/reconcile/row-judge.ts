import { maskSensitive } from '@sallyport/masking';
import type { ReconciledAction, RowValues } from './reconciled-table.js';

/** What is wrong with a row or a record. */
export type DifferenceKind =
  /** A record says that a row was made or changed, no record says that it was deleted, and it is not there. */
  | 'row-missing'
  /** No record says that a row was made. */
  | 'record-missing'
  /** A record says that a row was deleted, and it is there. */
  | 'not-deleted'
  /** A row has another value than its newest record. */
  | 'changed';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly table: string;
  /** The key of the row. */
  readonly key: string;
  readonly detail: string;
}

/** A record that names a row, without a value for columns that it did not change. */
export interface RowRecord {
  readonly id: string;
  readonly action: string;
  /** When its operation began, in milliseconds since 1970. */
  readonly at: number;
  readonly effect: ReconciledAction['effect'];
  readonly values: RowValues;
}

export interface JudgedRow {
  readonly values: RowValues;
  readonly isSeed: boolean;
  /** Whether its record may have been deleted by retention. */
  readonly mayLackRecord: boolean;
}

export interface RowJudge {
  /** Takes a success record of the row. The records come in the order of the log. */
  add(record: RowRecord): void;
  /** Compares the row with the records. Null: there is no row. */
  judge(row: JudgedRow | null): {
    readonly differences: readonly Difference[];
    /** Whether a record says that the row was made. */
    readonly isCovered: boolean;
    /** Values that were cut in their record. */
    readonly cutValues: number;
  };
}

/**
 * Two changes of a row by two nodes may be in the log in another order than they were committed. Within this time, in
 * milliseconds, each counts as the newest.
 */
const SAME_TIME_MILLIS = 60_000;

/** What `maskSensitive` leaves of a value that is too long. */
const CUT = '[cut]';

/** Compares one row with its records. It keeps the newest value of each column only. */
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

/** Records have masked values, also where they are harmless and look like secrets. */
function isSame(name: string, recorded: unknown, stored: unknown): boolean {
  const text = JSON.stringify(recorded);
  return text === JSON.stringify(stored) || text === JSON.stringify(maskedValue(name, stored));
}

function maskedValue(name: string, value: unknown): unknown {
  const masked = maskSensitive({ [name]: value }) as Readonly<Record<string, unknown>>;
  return masked[name];
}

function isCut(value: unknown): boolean {
  return value === CUT || (Array.isArray(value) && value.at(-1) === CUT);
}
