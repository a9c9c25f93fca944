import { getTableName } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { ViolationKind } from '../../faults/history-checker.js';
import {
  checkRecords,
  type KeyOutcome,
  type LoadAnswer,
  type LogRecord,
  type Observed,
} from '../../faults/record-checker.js';
import { AUDITED_TABLES, type ShadowRow } from '../../faults/shadow.js';
import { changesOf, changesOfValue, createAccountNames, type StateChange } from '../../faults/state-changes.js';
import { toldOfKey, untriedOperations } from '../../faults/writing-load.js';
import { writingOperations } from '../../faults/writing-operations.js';
import { catalog } from '../../src/app.js';
import * as schema from '../../src/storage/schema.js';

const LIMIT_MILLIS = 15_000;

/** Ids of one operation: its begun record, and its completion. */
const BEGUN = '019aa7c5-6b1e-7c3a-9c50-6f1d3b2a7e44';
const COMPLETION = '019aa7c5-6b1e-8c3a-9c50-6f1d3b2a7e44';
const OTHER = '019aa7c5-6b1e-7c3a-9c50-6f1d3b2a7e45';

const created: StateChange = { kind: 'role created', id: 'r1', names: ['r1'], txid: '7' };
const ended: StateChange = { kind: 'session ended', id: 'sessionA', names: ['sessionA', 'admin:a1'], txid: null };

const record = (given: Partial<LogRecord> = {}): LogRecord => ({
  id: BEGUN,
  actor: 'admin:root',
  action: 'role.create',
  target: 'r1',
  outcome: 'success',
  requestId: 'q1',
  named: [],
  sessionStart: null,
  ...given,
});

const answer = (given: Partial<LoadAnswer> = {}): LoadAnswer => ({
  operation: 'POST /admin/roles',
  status: 201,
  code: '',
  requestId: 'q1',
  ...given,
});

const outcome = (given: Partial<KeyOutcome> = {}): KeyOutcome => ({
  key: 'k1',
  operation: 'POST /admin/roles',
  told: 'done',
  detail: '201 ',
  afterMillis: 100,
  ...given,
});

function check(given: Partial<Observed>) {
  const nothing: Observed = { changes: [], links: new Map(), records: [], answers: [], keys: [] };
  return checkRecords({ ...nothing, ...given }, LIMIT_MILLIS);
}

const kinds = (given: Partial<Observed>): ViolationKind[] => check(given).violations.map(({ kind }) => kind);

describe('REL-12 the record checker', () => {
  it.each<[string, Partial<Observed>]>([
    [
      'a change with the record of its transaction',
      { changes: [created], links: new Map([['7', [BEGUN]]]), records: [record()] },
    ],
    ['a change with a record of another transaction', { changes: [created], records: [record()] }],
    ['a change whose outcome is unknown', { changes: [created], records: [record({ outcome: 'unknown' })] }],
    [
      'a crash before the record had its target',
      {
        changes: [{ ...created, names: ['r1', 'admin:root'] }],
        records: [record({ outcome: 'unknown', target: null })],
      },
    ],
    [
      'a begun record with its completion, which are one',
      { changes: [created], records: [record({ outcome: 'unknown' }), record({ id: COMPLETION })] },
    ],
    [
      'several sessions that one record ended',
      {
        changes: [ended, { ...ended, id: 'sessionB', names: ['sessionB', 'admin:a1'] }],
        records: [record({ action: 'session.revoke', target: 'a1', named: ['admin:a1'] })],
      },
    ],
    ['a refusal and a failure without a change', { records: [record({ outcome: 'refused' })] }],
    ['a 503 that changed nothing and has no record', { answers: [answer({ status: 503 })] }],
    ['a key that was answered in time', { keys: [outcome()] }],
  ])('finds nothing wrong with %s', (_, observed) => {
    expect(kinds(observed)).toEqual([]);
  });

  it.each<[string, ViolationKind[], Partial<Observed>]>([
    ['a change without a record', ['change-without-record'], { changes: [created] }],
    [
      'a change whose record says that it failed',
      ['change-without-record'],
      { changes: [created], records: [record({ outcome: 'failure' })] },
    ],
    [
      'a change with the record of another row',
      ['change-without-record', 'success-without-change'],
      { changes: [created], records: [record({ target: 'r2' })] },
    ],
    [
      'a change with the record of another kind',
      ['change-without-record', 'success-without-change'],
      { changes: [created], records: [record({ action: 'role.delete' })] },
    ],
    [
      'two changes with one record',
      ['change-without-record'],
      { changes: [created, { ...created, txid: '8' }], links: new Map([['7', [BEGUN]]]), records: [record()] },
    ],
    [
      'a record that its transaction committed and the log does not have',
      ['change-without-record'],
      { changes: [created], links: new Map([['7', [OTHER]]]) },
    ],
    ['a success without a change', ['success-without-change'], { records: [record()] }],
    [
      'a begun record whose completion is a success without a change',
      ['success-without-change'],
      { records: [record({ outcome: 'unknown' }), record({ id: COMPLETION })] },
    ],
    [
      'an ended session without a record',
      ['change-without-record', 'success-without-change'],
      {
        changes: [ended],
        records: [record({ action: 'auth.logout', target: null, named: ['admin:a1'], sessionStart: 'sessionB' })],
      },
    ],
    [
      'a sign-out that ended no session',
      ['success-without-change'],
      { records: [record({ action: 'auth.logout', target: null, named: ['admin:a1'], sessionStart: 'sessionA' })] },
    ],
    ['an acknowledgement without a record', ['acknowledged-without-audit-record'], { answers: [answer()] }],
    [
      'an acknowledgement whose record says unknown',
      ['acknowledged-without-audit-record'],
      { changes: [created], records: [record({ outcome: 'unknown' })], answers: [answer()] },
    ],
    ['a key without an answer', ['no-definite-answer'], { keys: [outcome({ told: 'none' })] }],
    ['a key that was refused for good', ['refused'], { keys: [outcome({ told: 'refused' })] }],
    ['a key whose outcome the server should know', ['unknown-outcome'], { keys: [outcome({ told: 'unknown' })] }],
    ['an answer after the limit', ['late-answer'], { keys: [outcome({ afterMillis: LIMIT_MILLIS + 1 })] }],
  ])('finds %s', (_, expected, observed) => {
    expect(kinds(observed)).toEqual(expected);
  });

  it('counts changes, records and changes without a record by kind, and the 503 that are recorded', () => {
    const report = check({
      changes: [created, { ...created, id: 'r2', names: ['r2'], txid: '8' }],
      records: [record()],
      answers: [answer({ status: 503 }), answer({ status: 503, requestId: 'q2' })],
    });
    expect(report.kinds.find(({ kind }) => kind === 'role created')).toEqual({
      kind: 'role created',
      changes: 2,
      records: 1,
      without: 1,
    });
    expect([report.unavailable, report.unavailableRecorded]).toEqual([2, 1]);
  });
});

describe('REL-12 the noted rows', () => {
  let seq = 0;
  const row = (tab: string, before: ShadowRow['before'], after: ShadowRow['after'], txid = '7'): ShadowRow => ({
    seq: ++seq,
    at: 0,
    txid,
    tab,
    before,
    after,
  });
  const kindsOf = (...rows: ShadowRow[]) => changesOf(rows, createAccountNames()).changes.map(({ kind }) => kind);
  const account = { id: 'a1', username: 'ada', password_hash: 'x', disabled: false };
  const file = { id: 'f1', created_by: 'a1', state: 'stored' };
  const live = (...ids: string[]) => JSON.stringify({ live: ids.map((id) => ({ id })) });

  it.each<[string, string[], ShadowRow[]]>([
    ['a new account', ['administrator created'], [row('administrators', null, account)]],
    [
      'its password',
      ['administrator’s password'],
      [row('administrators', account, { ...account, password_hash: 'y' })],
    ],
    ['its end', ['administrator deleted'], [row('administrators', account, null)]],
    [
      'a disabled account',
      ['administrator disabled'],
      [row('administrators', account, { ...account, disabled: true })],
    ],
    [
      'an account and its roles, changed together',
      ['administrator changed'],
      [
        row('administrator_roles', { administrator_id: 'a1', role_id: 'r1' }, null),
        row('administrators', account, { ...account, version: 2 }),
        row('administrator_roles', null, { administrator_id: 'a1', role_id: 'r2' }),
      ],
    ],
    [
      'an account that two transactions changed',
      ['administrator changed', 'administrator changed'],
      [row('administrators', account, account, '7'), row('administrators', account, account, '8')],
    ],
    [
      'roles given without a change of the account',
      ['administrator changed'],
      [row('administrator_roles', null, { administrator_id: 'a1', role_id: 'r2' })],
    ],
    ['a file that is pending', [], [row('stored_files', null, { ...file, state: 'pending' })]],
    ['a file that is stored', ['file stored'], [row('stored_files', { ...file, state: 'pending' }, file)]],
    ['a file that is stored at once', ['file stored'], [row('stored_files', null, file)]],
    ['a file that is removed later', ['file deleted'], [row('stored_files', file, { ...file, state: 'removed' })]],
    ['a file that is gone', ['file deleted'], [row('stored_files', file, null)]],
    [
      'sessions that begin and end',
      ['session begun', 'session ended'],
      [
        row(
          'ttl_entries',
          { key: 'auth-tokens:session:admin:a1', value: live('s1') },
          { key: 'auth-tokens:session:admin:a1', value: live('s2') },
        ),
      ],
    ],
  ])('show %s', (_, expected, rows) => {
    expect(kindsOf(...rows)).toEqual(expected);
  });

  it('come from every table of the server, apart from those of the log and of the protection itself', () => {
    const exempt = /^(?:audit_|idempotency_records$|ttl_entries$|file_contents$|session_ends$|name_skeletons$)/;
    const tables = Object.values(schema).map((table) => getTableName(table));
    expect(tables.filter((table) => !exempt.test(table)).sort()).toEqual([...AUDITED_TABLES].sort());
  });

  it('refuse a table that the checker does not know', () => {
    expect(() => kindsOf(row('ledger', null, { id: 'x' }))).toThrow('the harness knows no table ledger');
  });

  it('show tickets and sent messages', () => {
    const names = createAccountNames();
    const ticket = JSON.stringify({ principal: { audience: 'admin', subject: 'a1' } });
    const messages = JSON.stringify([{ id: 'm1', mobile: '+8613300000001' }]);
    const values = [
      { key: 'auth-tokens:ticket:abc', before: null, after: ticket },
      { key: 'auth-tokens:ticket:abc', before: ticket, after: null },
      { key: 'development-outbox', before: '[]', after: messages },
    ];
    expect(
      values.flatMap((value) => changesOfValue(value, names)).map(({ kind, names: called }) => [kind, called]),
    ).toEqual([
      ['ticket issued', ['admin:a1', 'a1']],
      ['message sent', ['+8613300000001', '+86133****0001']],
    ]);
  });
});

describe('REL-12 the load', () => {
  it('has a request for every operation of the server that writes', () => {
    const writing = Object.keys(catalog.operations).filter((operation) => !/^(?:GET|HEAD) /.test(operation));
    expect(writing.length).toBeGreaterThan(25);
    expect(untriedOperations(writing)).toEqual([]);
    expect(untriedOperations(['POST /admin/ledgers']).map(({ kind }) => kind)).toEqual(['operation-not-tried']);
    expect(writing.filter((operation) => writingOperations[operation]?.hasKey)).toEqual(
      expect.arrayContaining(['POST /admin/payments', 'POST /admin/storage/files', 'POST /admin/administrators']),
    );
  });

  it.each<[number, string, KeyOutcome['told'] | null]>([
    [201, '', 'done'],
    [409, 'IDEMPOTENCY_SUBMITTED', 'done'],
    [409, 'IDEMPOTENCY_OUTCOME_UNKNOWN', 'unknown'],
    [409, 'IDEMPOTENCY_PROCESSING', null],
    [503, 'AUDIT_UNAVAILABLE', null],
    [429, 'RATE_LIMITED', null],
    [0, 'ECONNRESET', null],
    [409, 'USERNAME_TAKEN', 'refused'],
  ])('understands %i %s as "%s"', (status, code, told) => {
    expect(toldOfKey({ status, code })).toBe(told);
  });
});
