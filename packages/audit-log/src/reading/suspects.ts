import { type AuditChain, CHAIN_START } from '../chain/chain.js';
import type { StoredRow } from '../chain/chain-rows.js';

/** More rows than this that prove nothing are each called changed, without a look at where they came from. */
const MOST_SUSPECTS = 1000;

/** Rows whose mac doesn't hold in their place, and the search for the place where it does. */
export interface Suspects {
  readonly rows: readonly StoredRow[];
  /** Resolves to false where there are too many. */
  add(row: StoredRow): boolean;
  /**
   * The sequence that a row was written with, for those that hold there. `sequencesOf` yields where the rows with these
   * macs stand now.
   */
  origins(
    sequencesOf: (macs: readonly string[]) => Promise<ReadonlyMap<string, number>>,
  ): Promise<ReadonlyMap<StoredRow, number>>;
}

export function createSuspects(chain: AuditChain, cut: { readonly sequence: number; readonly mac: string }): Suspects {
  const rows: StoredRow[] = [];

  return {
    rows,
    add(row) {
      if (rows.length >= MOST_SUSPECTS) return false;
      rows.push(row);
      return true;
    },
    async origins(sequencesOf) {
      const origins = new Map<StoredRow, number>();
      if (rows.length === 0) return origins;
      const standing = await sequencesOf([...new Set(rows.map(({ previous }) => previous))]);
      const suspectOfMac = new Map(rows.map((row) => [row.mac, row]));

      // A row follows the one that its `previous` names: that one may have been moved too, and be found in a later round.
      for (let found = true; found; ) {
        found = false;
        for (const row of rows) {
          if (origins.has(row)) continue;
          const before = suspectOfMac.get(row.previous);
          const candidates = [
            row.previous === CHAIN_START.mac ? 1 : undefined,
            row.previous === cut.mac ? cut.sequence + 1 : undefined,
            next(before === undefined ? standing.get(row.previous) : origins.get(before)),
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
