import { type AuditRecordsTable, type DrizzleQueries, leafOf, readRows } from '../chain/index.js';
import { type AuditGap, type Checkpoint, createMerkleTree, type MerkleTree, type TreeState } from '../notes/index.js';

/** A log that is read for its acceptance. */
export interface AcceptedLog {
  /** Reads the rows after the last read one. */
  readOn(): Promise<void>;
  readonly tree: MerkleTree;
  readonly missing: readonly AuditGap[];
  /** The mac of the last row. Null if there is none. */
  mac(): string | null;
  /** The last checkpoint before the first one that covers other rows. */
  agreedTo(): number;
  /** The checkpoints with a row in the log. */
  contained(): readonly Checkpoint[];
}

/**
 * @param start the tree of the rows that retention deleted
 * @param signed checkpoints that count, by sequence
 */
export function readLog(
  { database, table }: { readonly database: DrizzleQueries; readonly table: AuditRecordsTable },
  start: TreeState | undefined,
  signed: readonly Checkpoint[],
): AcceptedLog {
  const tree = createMerkleTree(start);
  const missing: AuditGap[] = [];
  const contained: Checkpoint[] = [];
  const bySequence = new Map<number, Checkpoint[]>();
  for (const one of signed) bySequence.set(one.sequence, [...(bySequence.get(one.sequence) ?? []), one]);
  let mac: string | null = null;
  let agreedTo = tree.size;
  let next = 0;
  let agrees = true;

  /** Compares the checkpoints up to this row. The rows before it are missing. */
  function compare(to: number): void {
    for (let one = signed[next]; agrees && one !== undefined && one.sequence <= to; one = signed[next]) {
      if (one.sequence > tree.size) tree.appendGaps(one.sequence);
      agrees = one.sequence < tree.size || one.root === tree.root();
      if (!agrees) return;
      agreedTo = Math.max(agreedTo, one.sequence);
      next += 1;
    }
  }

  compare(tree.size);
  return {
    tree,
    missing,
    async readOn() {
      for await (const row of readRows(database, table, { after: tree.size, upTo: null })) {
        if (row.sequence <= tree.size || !Number.isSafeInteger(row.sequence)) continue;
        if (row.sequence > tree.size + 1) missing.push({ from: tree.size + 1, to: row.sequence - 1 });
        compare(row.sequence - 1);
        tree.appendGaps(row.sequence - 1);
        tree.append(leafOf(row));
        mac = row.mac;
        compare(row.sequence);
        const covering = bySequence.get(row.sequence) ?? [];
        contained.push(...covering.filter((one) => one.mac === null || one.mac === row.mac));
      }
    },
    mac: () => mac,
    agreedTo: () => agreedTo,
    contained: () => contained,
  };
}
