import { describe, expect, it } from 'vitest';
import { type Attempt, createHistory, type Told } from '../../faults/history.js';
import { checkHistory, type PaymentRow, type Rules, type ViolationKind } from '../../faults/history-checker.js';
import { toldBy } from '../../faults/load-client.js';

const RULES: Rules = { definiteWithinMillis: 1000, mayBeUnknown: true };

const acknowledged = (paymentId: string): Told => ({ kind: 'acknowledged', paymentId });
const submitted: Told = { kind: 'submitted' };
const unknown: Told = { kind: 'unknown' };
const tryAgain: Told = { kind: 'try-again', status: 409, code: 'IDEMPOTENCY_PROCESSING' };
const nothing: Told = { kind: 'nothing', reason: 'ECONNRESET' };
const refused: Told = { kind: 'refused', status: 422, code: 'IDEMPOTENCY_DIGEST_MISMATCH' };

/** A run with one key `k`, whose attempts got these answers, 100 ms apart. */
function violations(
  told: readonly Told[],
  rows: readonly string[],
  {
    audited = null as readonly string[] | null,
    waiting = [] as readonly string[],
    faults = [] as readonly string[],
    rules = RULES,
    more = [] as readonly PaymentRow[],
  } = {},
): ViolationKind[] {
  const history = createHistory();
  history.begin('k');
  told.forEach((what, index) => {
    const attempt: Attempt = {
      key: 'k',
      origin: 'http://a',
      sentAt: index * 100,
      toldAt: index * 100 + 50,
      told: what,
    };
    history.record(attempt);
  });
  const payments = [...rows.map((id) => ({ id, key: 'k' })), ...more];
  const audit = audited && { created: audited, waiting, faults };
  return checkHistory(history, { payments, audit }, rules).map(({ kind }) => kind);
}

describe('REL-1 the history checker', () => {
  it.each<[string, readonly Told[], readonly string[]]>([
    ['a write that was acknowledged at once', [acknowledged('p1')], ['p1']],
    ['a retry that was told it is done', [nothing, tryAgain, submitted], ['p1']],
    ['a retry that ran because nothing had been done', [nothing, acknowledged('p1')], ['p1']],
    ['an unknown outcome with a row', [nothing, unknown], ['p1']],
    ['an unknown outcome without a row', [nothing, unknown], []],
    ['a row behind an answer that never came, told of later', [nothing, nothing, submitted], ['p1']],
  ])('finds nothing wrong with %s', (_, told, rows) => {
    expect(violations(told, rows)).toEqual([]);
  });

  it.each<[string, ViolationKind, readonly Told[], readonly string[]]>([
    ['a key with two rows', 'row-twice', [nothing, acknowledged('p2')], ['p1', 'p2']],
    ['a key with two rows and an unknown outcome', 'row-twice', [nothing, unknown], ['p1', 'p2']],
    ['an acknowledgement without a row', 'acknowledged-without-row', [acknowledged('p1')], []],
    ['"submitted" without a row', 'acknowledged-without-row', [nothing, submitted], []],
    ['an acknowledgement with the id of another row', 'acknowledged-other-row', [acknowledged('p1')], ['p2']],
    ['two acknowledgements', 'acknowledged-twice', [acknowledged('p1'), acknowledged('p1')], ['p1']],
    ['a write that was refused for good', 'refused', [nothing, refused], ['p1']],
    ['a key without a definite answer', 'no-definite-answer', [nothing, tryAgain], []],
    ['a key whose client never heard anything', 'no-definite-answer', [], ['p1']],
    ['a definite answer after the limit', 'late-answer', [...Array<Told>(10).fill(tryAgain), submitted], ['p1']],
  ])('finds %s', (_, kind, told, rows) => {
    expect(violations(told, rows)).toContain(kind);
  });

  it('finds a row that no client sent', () => {
    expect(violations([acknowledged('p1')], ['p1'], { more: [{ id: 'p9', key: 'stranger' }] })).toEqual([
      'row-of-nobody',
    ]);
  });

  it('counts the definite answer within the limit, however long later attempts take', () => {
    expect(violations([submitted, ...Array<Told>(20).fill(submitted)], ['p1'])).toEqual([]);
  });

  it('finds an unknown outcome of a store that knows the outcome', () => {
    const rules = { ...RULES, mayBeUnknown: false };
    expect(violations([nothing, unknown], ['p1'], { rules })).toEqual(['unknown-outcome']);
    expect(violations([nothing, submitted], ['p1'], { rules })).toEqual([]);
  });

  it.each<[string, Told]>([
    ['acknowledged', acknowledged('p1')],
    ['"submitted"', submitted],
  ])('finds a row that was told as %s and has no audit record, once the server keeps them', (_, told) => {
    expect(violations([told], ['p1'])).toEqual([]);
    expect(violations([told], ['p1'], { audited: ['p1'] })).toEqual([]);
    expect(violations([told], ['p1'], { audited: ['p2'] })).toEqual(['acknowledged-without-audit-record']);
    expect(violations([told], ['p1'], { audited: ['p1', 'p1'] })).toEqual(['audit-record-twice']);
    expect(violations([told], ['p1'], { audited: ['p1'], waiting: ['r1'] })).toEqual(['audit-record-waits']);
    expect(violations([told], ['p1'], { audited: ['p1'], faults: ['deleted 5'] })).toEqual(['audit-log-broken']);
  });
});

describe('REL-1 the load client understands', () => {
  it.each<[number, { data?: { id: string }; code?: string }, Told['kind']]>([
    [201, { data: { id: 'p1' } }, 'acknowledged'],
    [409, { code: 'IDEMPOTENCY_SUBMITTED' }, 'submitted'],
    [409, { code: 'IDEMPOTENCY_OUTCOME_UNKNOWN' }, 'unknown'],
    [409, { code: 'IDEMPOTENCY_PROCESSING' }, 'try-again'],
    [503, { code: 'STORE_UNAVAILABLE' }, 'try-again'],
    [500, {}, 'try-again'],
    [429, { code: 'RATE_LIMITED' }, 'try-again'],
    [422, { code: 'IDEMPOTENCY_DIGEST_MISMATCH' }, 'refused'],
    [401, { code: 'SESSION_REVOKED' }, 'refused'],
    [201, {}, 'refused'],
  ])('%i %o as "%s"', (status, body, kind) => {
    expect(toldBy(status, body).kind).toBe(kind);
  });
});
