import { describe, expect, it } from 'vitest';
import { createRowJudge, type JudgedRow, type RowRecord } from '../../src/commands/reconcile/row-judge.js';

const MINUTE = 60_000;

function record(effect: RowRecord['effect'], at: number, values = {}): RowRecord {
  return { id: `id-${at}`, action: `payment.${effect}`, at, effect, values };
}

function row(values: object, more: Partial<JudgedRow> = {}): JudgedRow {
  return { values: { ...values }, isSeed: false, mayLackRecord: false, ...more };
}

function kindsOf(records: readonly RowRecord[], given: JudgedRow | null): string[] {
  const judge = createRowJudge('payments', 'a');
  for (const one of records) judge.add(one);
  return judge.judge(given).differences.map(({ kind }) => kind);
}

describe('a row and its records', () => {
  const made = record('makes', 0, { payee: 'a', amount: 1 });

  it('AUD-16 agree where the row has the newest value of each column', () => {
    const changed = record('changes', 5 * MINUTE, { payee: 'b' });
    expect(kindsOf([made, changed], row({ payee: 'b', amount: 1 }))).toEqual([]);
    expect(kindsOf([made, changed], row({ payee: 'a', amount: 1 }))).toEqual(['changed']);
    expect(kindsOf([made, changed], row({ payee: 'b', amount: 2 }))).toEqual(['changed']);
  });

  it('AUD-16 agree in either order of two changes of the same minute, which two nodes may have recorded', () => {
    const [first, second] = [record('changes', MINUTE, { payee: 'b' }), record('changes', MINUTE + 1, { payee: 'c' })];
    expect(kindsOf([made, second, first], row({ payee: 'c', amount: 1 }))).toEqual([]);
    expect(kindsOf([made, first, second], row({ payee: 'c', amount: 1 }))).toEqual([]);
    const later = record('changes', 3 * MINUTE, { payee: 'd' });
    expect(kindsOf([made, first, second, later], row({ payee: 'c', amount: 1 }))).toEqual(['changed']);
  });

  it('AUD-16 differ where one of them is missing, or a deleted row is there', () => {
    expect(kindsOf([made], null)).toEqual(['row-missing']);
    expect(kindsOf([record('changes', 0)], null)).toEqual(['row-missing']);
    expect(kindsOf([], row({ payee: 'a' }))).toEqual(['record-missing']);
    expect(kindsOf([record('changes', 0)], row({ payee: 'a' }))).toEqual(['record-missing']);
    expect(kindsOf([made, record('deletes', 1)], null)).toEqual([]);
    expect(kindsOf([record('deletes', 1), made], row({ payee: 'a' }))).toEqual(['not-deleted']);
  });

  it('AUD-16 need no record of a seeded row, nor of one that is older than the log, and still compare changes', () => {
    const changed = record('changes', 0, { payee: 'b' });
    for (const excuse of [{ isSeed: true }, { mayLackRecord: true }]) {
      expect(kindsOf([], row({ payee: 'a' }, excuse))).toEqual([]);
      expect(kindsOf([changed], row({ payee: 'a' }, excuse))).toEqual(['changed']);
    }
  });

  it('AUD-16 agree where the record has a masked value, and count one that was cut', () => {
    const masked = record('makes', 0, { payee: 'Bearer [masked]' });
    expect(kindsOf([masked], row({ payee: 'Bearer abcdefghijklmnop' }))).toEqual([]);
    expect(kindsOf([masked], row({ payee: 'Basic abcdefghijklmnop' }))).toEqual(['changed']);
    const judge = createRowJudge('roles', 'a');
    judge.add(record('makes', 0, { permissions: ['a', '[cut]'] }));
    expect(judge.judge(row({ permissions: ['a', 'b'] }))).toEqual({ differences: [], isCovered: true, cutValues: 1 });
  });
});
