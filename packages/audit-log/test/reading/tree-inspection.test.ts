import { expect, it } from 'vitest';
import { leafOf, type StoredRow } from '../../src/chain/index.js';
import { type Checkpoint, createMerkleTree } from '../../src/notes/index.js';
import { createTreeInspection } from '../../src/reading/tree-inspection.js';

const EMPTY = { size: 0, frontier: [] };

const rowAt = (sequence: number, mac = `mac ${sequence}`) =>
  ({
    sequence,
    mac,
    previous: '',
    keyId: 'k1',
    id: `${sequence}`,
    occurredAt: '',
    ...{ actor: null, action: 'a', target: null, outcome: 'success', reason: null, durationMillis: null },
    ...{ parameters: '', clientIp: null, extra: '' },
  }) as unknown as StoredRow;

const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => rowAt(from + index));

/** What is signed of a log that has these rows. */
function checkpointOf(log: readonly StoredRow[]): Checkpoint {
  const tree = createMerkleTree();
  for (const row of log) {
    tree.appendGaps(row.sequence - 1);
    tree.append(leafOf(row));
  }
  return { sequence: tree.size, root: tree.root(), frontier: tree.state().frontier } as unknown as Checkpoint;
}

function differences(log: readonly StoredRow[], ...checkpoints: readonly Checkpoint[]) {
  const inspection = createTreeInspection(EMPTY, checkpoints);
  for (const row of log) inspection.look(row);
  return inspection.differences.map(({ from, to }) => [from, to]);
}

/** The rows 8 to 11 are covered, and lost in a failover. */
const [before, covered, after] = [
  checkpointOf(rows(1, 7)),
  checkpointOf(rows(1, 11)),
  checkpointOf([...rows(1, 7), ...rows(12, 13)]),
];

it('AUD-15 covered rows that a failover lost make no difference of the rows that follow', () => {
  const log = [...rows(1, 7), ...rows(12, 13)];
  expect(differences(log, before, covered, after)).toEqual([[8, 11]]);
  expect(differences(log, covered, after)).toEqual([[1, 11]]);
});

it('AUD-15 nor do they after a row that somebody deleted', () => {
  const log = [...rows(1, 2), ...rows(4, 7), ...rows(12, 13)];
  expect(differences(log, before, covered, after)).toEqual([
    [1, 7],
    [8, 11],
  ]);
});

it('AUD-12 a row that was written anew after them is a difference', () => {
  const log = [...rows(1, 7), rowAt(12, 'another'), ...rows(13, 13)];
  expect(differences(log, before, covered, after)).toEqual([
    [8, 11],
    [12, 13],
  ]);
});
